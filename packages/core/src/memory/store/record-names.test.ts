import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryId, TaskId } from "../../contract/ids.ts";
import { profilePaths } from "../../paths/profile-paths.ts";
import {
  createRecordIds,
  possiblePaths,
  randomSuffix,
  recordFolders,
  recordPath,
  topFolders,
} from "./record-files.ts";
import { shortSlug } from "../../text/slug.ts";

describe("a slug", () => {
  it.each([
    ["The garage code is kept in the blue notebook", "garage-code-kept-blue-notebook"],
    ["Ça va, Zoë?", "ca-va-zoe"],
    ["to be or not to be", "to-be-or-not-to-be"],
    ["קוד המוסך", "memory"],
    ["🎉", "memory"],
    ["../../etc/passwd", "etc-passwd"],
    ["x".repeat(100), "x".repeat(48)],
    ["word ".repeat(30), "word-word-word-word-word-word-word-word-word"],
  ])("of %j", (text, slug) => {
    expect(shortSlug(text, "memory")).toBe(slug);
  });

  it("always makes a valid id, with a suffix too", () => {
    const memories = createRecordIds("evt", () => new Date("2026-01-01T00:00:00Z"));
    const tasks = createRecordIds("task", () => new Date("2026-01-01T00:00:00Z"));
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const slug = shortSlug(text, "fallback");
        expect(MemoryId.safeParse(memories.next(`${slug}-${randomSuffix()}`)).success).toBe(true);
        expect(TaskId.safeParse(tasks.next(slug)).success).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

describe("ids", () => {
  it("are each later than the previous one, also if the clock is set back", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4e12 }), { minLength: 2, maxLength: 50 }), (times) => {
        let turn = 0;
        const ids = createRecordIds("evt", () => new Date(times[turn++] ?? 0));
        const made = times.map(() => ids.next("same"));
        expect([...made].sort()).toEqual(made);
        expect(new Set(made).size).toBe(made.length);
      }),
    );
  });

  it("contain the time of their creation", () => {
    const ids = createRecordIds("task", () => new Date("2025-11-14T09:30:12.123Z"));
    expect(ids.next("buy-milk")).toBe("task-20251114T093012123Z-buy-milk");
  });
});

describe("the place of a record", () => {
  const folders = recordFolders(profilePaths("/data", "ada").memory);

  it("follows from type and year, and is one of the possible ones", () => {
    const id = "evt-20251114T093012123Z-x";
    expect(recordPath(folders, { id, type: "function_usage" })).toBe(`episodic/functions/2025/${id}.json`);
    for (const type of ["observation", "dream", "curated"] as const) {
      expect(possiblePaths(folders, id)).toContain(recordPath(folders, { id, type }));
    }
  });

  it("is read once: no folder to read is inside another", () => {
    expect(topFolders(folders)).not.toContain("episodic/functions");
    expect(topFolders(folders)).toContain("episodic");
  });
});
