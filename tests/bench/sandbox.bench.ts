import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { inspectCode, type CodeToRead } from "@metahuman/sandbox/code/inspect-code";
import { openCodeTools } from "@metahuman/sandbox/code/open-code-tools";
import { openSandbox } from "@metahuman/sandbox/open-sandbox";
import type { FunctionRun, Sandbox } from "@metahuman/sandbox/sandbox";
import { installedSkills } from "@metahuman/skills/installed";
import { isForCode } from "@metahuman/skills/execute-code/skill";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "sandbox";

const CALLS = 300;
const COLD = 20;
/** Calls with a pause, in which the process prepares the engine of the next one. */
const SPACED = 100;
const PAUSE_MS = 15;
const AT_ONCE = 50;
const READINGS = 50;

const call: FunctionRun = {
  module: "export const main = async ({ path }) => (await skills.echo({ path })).path.length;",
  parameters: { path: "out/notes/today.md" },
  skills: ["echo"],
  callSkill: async (_skill, args) => args,
};

/**
 * Inspects a function that calls one of all declared skills, and its test, as the page does at each pause of typing.
 */
const typed: CodeToRead = {
  code: {
    source: `export async function main({ path }: { path: string }) {
  const { content } = await skills.fs_read({ path });
  return { words: content.split(/\\s+/u).filter(Boolean).length };
}`,
    tests: `fake("fs_read", ({ path }) => ({ path, content: "one two", bytes: 7, truncated: false }));
assert.deepEqual(await main({ path: "a.md" }), { words: 2 });`,
    grants: ["fs_read"],
  },
  parameters: [{ name: "path", type: "path", description: "A file", required: true }],
};

async function reading(): Promise<Row[]> {
  const tools = openCodeTools();
  const dependencies = { tools, skills: installedSkills.filter(isForCode) };
  const read = async (index: number): Promise<number> => {
    const began = performance.now();
    const { source } = typed.code;
    await inspectCode({ ...typed, code: { ...typed.code, source: `${source}\n// ${index}` } }, dependencies);
    return performance.now() - began;
  };
  try {
    const first = await read(0);
    const later: number[] = [];
    for (let index = 1; index <= READINGS; index += 1) later.push(await read(index));
    return [
      { what: "reading code as it is typed, the first time", figure: first, unit: "ms" },
      { what: `reading it again, p95 of ${READINGS}`, figure: quantile(later, 0.95), unit: "ms" },
    ];
  } finally {
    await tools.close();
  }
}

/** A function that calls one skill: in a process that waits for it, in one that has to be started, and fifty at once. */
export async function run(): Promise<Row[]> {
  const cold: number[] = [];
  for (let count = 0; count < COLD; count += 1) {
    const sandbox = openSandbox({ softLimit: 1 });
    cold.push(await timed(sandbox));
    await sandbox.close();
  }

  const sandbox = openSandbox();
  try {
    for (let count = 0; count < 20; count += 1) await timed(sandbox);
    const warm: number[] = [];
    for (let count = 0; count < CALLS; count += 1) warm.push(await timed(sandbox));

    const spaced: number[] = [];
    for (let count = 0; count < SPACED; count += 1) {
      await setTimeout(PAUSE_MS);
      spaced.push(await timed(sandbox));
    }

    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const together = await Promise.all(Array.from({ length: AT_ONCE }, () => timed(sandbox)));
    const all = performance.now() - began;
    delay.disable();
    return [
      { what: `warm call, p95 of ${CALLS}`, figure: quantile(warm, 0.95), unit: "ms", target: 5 },
      { what: "warm call, median", figure: quantile(warm, 0.5), unit: "ms" },
      {
        what: `warm call ${PAUSE_MS} ms after the last one, p95 of ${SPACED}`,
        figure: quantile(spaced, 0.95),
        unit: "ms",
        target: 5,
      },
      {
        what: `cold call, process started for it, p95 of ${COLD}`,
        figure: quantile(cold, 0.95),
        unit: "ms",
        target: 200,
      },
      { what: "cold call, median", figure: quantile(cold, 0.5), unit: "ms" },
      { what: `${AT_ONCE} at once, all done`, figure: all, unit: "ms" },
      { what: `${AT_ONCE} at once, p95 of one`, figure: quantile(together, 0.95), unit: "ms" },
      {
        what: `event-loop delay p99 while ${AT_ONCE} run at once`,
        figure: delay.percentile(99) / 1e6,
        unit: "ms",
        target: 10,
      },
      ...(await reading()),
    ];
  } finally {
    await sandbox.close();
  }
}

async function timed(sandbox: Sandbox): Promise<number> {
  const began = performance.now();
  await sandbox.run(call);
  return performance.now() - began;
}
