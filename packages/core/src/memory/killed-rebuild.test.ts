import { describe, expect, it } from "vitest";
import { lostInKilledRebuild } from "./testing/killed-rebuild.ts";

describe("a process that is killed while it rebuilds the index", () => {
  // Other moments are in `npm run soak -- memory-kills`.
  it.each([
    ["while files are read", { lines: 1, extraMs: 15 }],
    ["in a later rebuild", { lines: 3, extraMs: 5 }],
  ])("leaves an index that finds every memory: %s", async (_when, moment) => {
    expect(await lostInKilledRebuild(moment)).toEqual([]);
  });
});
