import { createTestProfile, found, USER_ORIGIN } from "./open-test-memory.ts";
import { runUntilKilled } from "./run-until-killed.ts";

const MEMORIES = 400;

/**
 * Kills a process (SIGKILL) that rebuilds the index of 400 memories again and again, `extraMs` milliseconds after its line
 * number `lines`. Returns what the index that it leaves does not find.
 */
export async function lostInKilledRebuild(moment: { lines: number; extraMs: number }): Promise<string[]> {
  const profile = await createTestProfile();
  try {
    const first = await profile.open();
    const contents = Array.from({ length: MEMORIES }, (_, number) => `walnut number ${String(number)}`);
    await first.memory.addMany(
      contents.map((content) => ({ type: "observation", content })),
      USER_ORIGIN,
    );
    await first.close();
    await runUntilKilled("rebuild-index.ts", [profile.home], moment);
    const again = await profile.open();
    const { items, quarantined } = await again.index.status();
    const { total } = await again.memory.list({ query: "walnut", limit: 1 });
    const last = `walnut number ${String(MEMORIES - 1)}`;
    return [
      ...(items === MEMORIES ? [] : [`The index has ${String(items)} memories.`]),
      ...quarantined.map((one) => `Quarantined: ${JSON.stringify(one)}`),
      ...((await found(again, last)).includes(last) ? [] : [`“${last}” is not found.`]),
      ...(total === MEMORIES ? [] : [`${String(total)} memories are listed.`]),
    ];
  } finally {
    await profile.remove();
  }
}
