import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Ledger } from "./testing/ledger.ts";
import { createTestProfile, type TestProfile } from "./testing/open-test-memory.ts";
import { runUntilKilled } from "./testing/run-until-killed.ts";

let profile: TestProfile;
beforeEach(async () => {
  profile = await createTestProfile();
});
afterEach(() => profile.remove());

/** The moments of the kills, the same in every run; `npm run soak` uses fifty random ones. */
const MOMENTS = [
  { lines: 2, extraMs: 0 },
  { lines: 8, extraMs: 3 },
];

describe("killed at any moment", { timeout: 60_000 }, () => {
  it("has made every acknowledged change and all or nothing of the last one, whatever state the index is in", async () => {
    const ledger = new Ledger();
    for (const [round, moment] of [
      { lines: 70, extraMs: 9 },
      { lines: 30, extraMs: 2 },
    ].entries()) {
      ledger.note(await runUntilKilled("change-memories.ts", [profile.home, `${round + 7}`], moment));
      if (round === 0) await rm(dirname(profile.paths.memory.index), { recursive: true });
      const opened = await profile.open();
      expect(await ledger.check(opened)).toEqual([]);
      await opened.close();
    }
    expect(ledger.size).toBeGreaterThan(20);
  });

  it("keeps every acknowledged memory, in file and index", async () => {
    const acknowledged: string[] = [];
    for (const moment of MOMENTS) {
      const [, ...ids] = await runUntilKilled("write-memories.ts", [profile.home, "single"], moment);
      acknowledged.push(...ids);
    }
    const { memory, index } = await profile.open();
    for (const id of acknowledged) expect((await memory.get(id)).content).toContain("walnut");
    const { items } = await memory.list({ query: "walnut", limit: 200 });
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    expect((await index.status()).quarantined).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(6);
  });

  it("keeps every bulk write whole: all of it once acknowledged, all or nothing before", async () => {
    const size = 120;
    const acknowledged: string[] = [];
    for (const moment of [
      { lines: 1, extraMs: 3 },
      { lines: 2, extraMs: 20 },
    ]) {
      const [, ...batches] = await runUntilKilled(
        "write-memories.ts",
        [profile.home, "bulk", `${size}`],
        moment,
      );
      acknowledged.push(...batches.flatMap((batch) => batch.split(" ")));
    }
    const opened = await profile.open();
    const { items, quarantined } = await opened.index.status();
    expect(items % size).toBe(0);
    expect(quarantined).toEqual([]);
    for (const id of acknowledged) expect((await opened.memory.get(id)).id).toBe(id);
    // They are flushed in the background; the next opening flushes what is left when a profile closes.
    await expect.poll(() => readdir(join(profile.paths.memory.root, "journal"))).toEqual([]);
    await opened.close();
  });
});
