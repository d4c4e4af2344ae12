import { describe, expect, it } from "vitest";
import { type MemoryUses, MAX_MOMENTS } from "./memory-uses.ts";

/** The contract of every `MemoryUses`. `open` returns an empty one. */
export function describeMemoryUses(
  name: string,
  open: () => Promise<{ uses: MemoryUses; close: () => void }>,
): void {
  describe(`uses of memories: ${name}`, () => {
    async function withUses(work: (uses: MemoryUses) => Promise<void>): Promise<void> {
      const { uses, close } = await open();
      try {
        await work(uses);
      } finally {
        close();
      }
    }

    it("returns when each memory was used, newest first, and omits other memories", () =>
      withUses(async (uses) => {
        await uses.record([
          { memoryId: "a", kind: "cited", at: 10 },
          { memoryId: "a", kind: "opened", at: 30 },
          { memoryId: "b", kind: "useful", at: 20 },
        ]);
        expect(await uses.momentsOf(["a", "c"])).toEqual(new Map([["a", [30, 10]]]));
        expect(await uses.allMoments()).toEqual(
          new Map([
            ["a", [30, 10]],
            ["b", [20]],
          ]),
        );
      }));

    it("counts a negative rating without treating it as a use", () =>
      withUses(async (uses) => {
        await uses.record([
          { memoryId: "a", kind: "not_useful", at: 40, note: "out of date" },
          { memoryId: "a", kind: "useful", at: 10 },
        ]);
        expect(await uses.momentsOf(["a"])).toEqual(new Map([["a", [10]]]));
        expect(await uses.countsOf("a")).toEqual({
          ...{ cited: 0, followed: 0, opened: 0, restored: 0, useful: 1, not_useful: 1 },
          lastUsedAt: new Date(10).toISOString(),
        });
        expect(await uses.countsOf("nobody")).not.toHaveProperty("lastUsedAt");
      }));

    it("counts a use of one kind once per run", () =>
      withUses(async (uses) => {
        const use = { memoryId: "a", kind: "cited", runId: "run-1" } as const;
        await uses.record([
          { ...use, at: 1 },
          { ...use, at: 2 },
          { ...use, kind: "followed", at: 3 },
          { ...use, runId: "run-2", at: 4 },
        ]);
        await uses.record([{ memoryId: "b", kind: "opened", runId: "run-1", at: 5 }]);
        expect(await uses.inRun("run-1")).toEqual(["a"]);
        expect(await uses.inRun("run-9")).toEqual([]);
        expect((await uses.countsOf("a")).cited).toBe(2);
        expect((await uses.momentsOf(["a"])).get("a")).toEqual([4, 3, 1]);
      }));

    it("returns at most MAX_MOMENTS uses of one memory", () =>
      withUses(async (uses) => {
        await uses.record(
          Array.from({ length: MAX_MOMENTS + 20 }, (_, index) => ({
            memoryId: "a",
            kind: "opened" as const,
            at: index,
          })),
        );
        const moments = (await uses.momentsOf(["a"])).get("a");
        expect(moments).toHaveLength(MAX_MOMENTS);
        expect(moments?.[0]).toBe(MAX_MOMENTS + 19);
      }));

    it("exports all uses and restores them elsewhere without duplicates", () =>
      withUses(async (uses) => {
        await uses.record([
          { memoryId: "b", kind: "useful", at: 20, note: "just so" },
          { memoryId: "a", kind: "cited", at: 10, runId: "run-1" },
        ]);
        const all = (await Array.fromAsync(uses.batches())).flat();
        expect(all).toEqual([
          { memoryId: "b", kind: "useful", at: 20, note: "just so" },
          { memoryId: "a", kind: "cited", at: 10, runId: "run-1" },
        ]);
        await withUses(async (others) => {
          expect(await others.restore(all)).toBe(2);
          expect(await others.restore(all)).toBe(0);
          expect((await Array.fromAsync(others.batches())).flat()).toEqual(all);
        });
      }));
  });
}
