import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Ledger } from "@metahuman/core/memory/testing/ledger";
import { lostInKilledRebuild } from "@metahuman/core/memory/testing/killed-rebuild";
import { createTestProfile } from "@metahuman/core/memory/testing/open-test-memory";
import { runUntilKilled } from "@metahuman/core/memory/testing/run-until-killed";
import { seededRandom } from "../bench/statistics.ts";
import type { SoakOptions, SoakReport } from "./soak.ts";

export const name = "memory-kills";

const ROUNDS = 50;
const REBUILDS = 12;

/**
 * Repeatedly kills a process that changes memories at random moments, on one profile. The index is sometimes deleted in
 * between, so that a kill hits a rebuild. Every acknowledged change must survive. Then, processes that only rebuild an index
 * are killed.
 */
export async function run({ seed, progress }: SoakOptions): Promise<SoakReport> {
  const random = seededRandom(seed);
  const profile = await createTestProfile();
  const ledger = new Ledger();
  const problems: string[] = [];
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const moment = { lines: 1 + Math.floor(random() * 60), extraMs: Math.floor(random() * 40) };
      ledger.note(
        await runUntilKilled("change-memories.ts", [profile.home, `${seed * 1_000 + round}`], moment),
      );
      const indexIsGone = random() < 0.25;
      if (indexIsGone) await rm(dirname(profile.paths.memory.index), { recursive: true, force: true });
      const opened = await profile.open();
      problems.push(...(await ledger.check(opened)).map((problem) => `round ${round}: ${problem}`));
      await opened.close();
      progress(
        `round ${round}: killed ${moment.extraMs} ms after line ${moment.lines}; ${ledger.size} memories accounted for`,
      );
    }
  } finally {
    await profile.remove();
  }
  for (let rebuild = 1; rebuild <= REBUILDS; rebuild += 1) {
    const moment = { lines: 1 + Math.floor(random() * 5), extraMs: Math.floor(random() * 60) };
    const when = `rebuild ${rebuild}: killed ${moment.extraMs} ms after line ${moment.lines}`;
    problems.push(...(await lostInKilledRebuild(moment)).map((problem) => `${when}: ${problem}`));
    progress(when);
  }
  return {
    done: `${ROUNDS} kills, ${ledger.size} memories accounted for; ${REBUILDS} kills of rebuilds.`,
    problems,
  };
}
