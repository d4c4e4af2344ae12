import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestProfile, found, USER_ORIGIN, type TestProfile } from "./testing/open-test-memory.ts";
import { runUntilKilled } from "./testing/run-until-killed.ts";

const MEMORIES = 400;

let profile: TestProfile;
beforeEach(async () => {
  profile = await createTestProfile();
  const first = await profile.open();
  const contents = Array.from({ length: MEMORIES }, (_, number) => `walnut number ${String(number)}`);
  await first.memory.addMany(
    contents.map((content) => ({ type: "observation", content })),
    USER_ORIGIN,
  );
  await first.close();
});
afterEach(() => profile.remove());

describe("a process that is killed while it rebuilds the index", () => {
  it.each([
    ["when a rebuild has just begun", { lines: 1, extraMs: 0 }],
    ["while files are read", { lines: 1, extraMs: 15 }],
    ["further on", { lines: 2, extraMs: 40 }],
    ["in a later rebuild", { lines: 5, extraMs: 5 }],
  ])("leaves an index that finds every memory: %s", async (_when, moment) => {
    await runUntilKilled("rebuild-index.ts", [profile.home], moment);
    const again = await profile.open();
    expect(await again.index.status()).toMatchObject({ items: MEMORIES, quarantined: [] });
    expect(await found(again, "walnut number 399")).toContain("walnut number 399");
    expect((await again.memory.list({ query: "walnut", limit: 1 })).total).toBe(MEMORIES);
  });
});
