import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EvidenceTable } from "./evidence-table.ts";

/** Two empty evidence tables. */
export interface EvidenceBench {
  here: EvidenceTable;
  elsewhere: EvidenceTable;
  close(): Promise<void>;
}

const ID = "func-20260101-abc123";
const OTHER = "func-20260101-abc124";
const at = (minute: number) => `2026-11-20T09:${String(minute).padStart(2, "0")}:00.000Z`;

/** The contract of every `EvidenceTable`. */
export function describeEvidenceTable(name: string, makeBench: () => Promise<EvidenceBench>): void {
  describe(`the evidence of functions ${name}`, () => {
    let bench: EvidenceBench;
    let table: EvidenceTable;
    beforeEach(async () => {
      bench = await makeBench();
      table = bench.here;
    });
    afterEach(() => bench.close());

    it("counts each run once with its latest outcome, in whichever order it is recorded", async () => {
      const use = { functionId: ID, runId: "run-1" };
      expect(await table.record({ ...use, outcome: "succeeded" }, at(1))).toBe(true);
      expect(await table.record({ ...use, outcome: "offered" }, at(2))).toBe(true);
      expect(await table.record({ ...use, outcome: "succeeded" }, at(3))).toBe(false);
      expect((await table.of([ID, OTHER])).get(ID)).toMatchObject({
        usageCount: 1,
        offeredCount: 1,
        stats: { executions: 1, successes: 1, failures: 0 },
      });
      await table.record({ ...use, outcome: "failed", weight: 2, error: "not useful" }, at(4));
      expect((await table.of([ID])).get(ID)?.stats).toEqual({
        executions: 2,
        successes: 0,
        failures: 2,
        lastFailure: "not useful",
      });
    });

    it("lists outcomes newest first, uses oldest first, and sums page by page", async () => {
      for (const [minute, outcome] of (["succeeded", "failed", "offered"] as const).entries())
        await table.record({ functionId: ID, runId: `run-${minute}`, outcome }, at(minute));
      await table.record({ functionId: OTHER, runId: "run-0", outcome: "followed" }, at(9));
      expect(await table.outcomesSince(ID, at(0))).toEqual(["failed"]);
      expect(await table.outcomesSince(ID, "")).toEqual(["failed", "succeeded"]);
      expect((await table.uses({ since: at(1) })).map(({ outcome }) => outcome)).toEqual([
        "failed",
        "offered",
        "followed",
      ]);
      expect(await table.uses({ since: at(1), functionId: OTHER })).toHaveLength(1);
      const first = await table.rows("", 1);
      expect(first).toEqual([await table.row(ID)]);
      expect((await table.rows(ID, 9)).map(({ id }) => id)).toEqual([OTHER]);
    });

    it("is deleted completely", async () => {
      await table.record({ functionId: ID, runId: "run-1", outcome: "failed" }, at(1));
      await table.forget(ID);
      expect(await table.row(ID)).toBeUndefined();
      expect(await table.uses({ since: "" })).toEqual([]);
    });

    it("is restored elsewhere unchanged, and only for functions without evidence", async () => {
      const error = "no such file";
      await table.record({ functionId: ID, runId: "run-1", outcome: "failed", error, tokens: 7 }, at(1));
      await table.record({ functionId: OTHER, runId: "run-1", outcome: "offered" }, at(2));
      await bench.elsewhere.record({ functionId: OTHER, runId: "run-9", outcome: "succeeded" }, at(3));
      const restored: boolean[] = [];
      for await (const copy of table.copies()) restored.push(await bench.elsewhere.restore(copy));
      expect(restored).toEqual([true, false]);
      expect((await bench.elsewhere.of([ID])).get(ID)).toEqual((await table.of([ID])).get(ID));
      expect((await bench.elsewhere.of([OTHER])).get(OTHER)).toMatchObject({ stats: { successes: 1 } });
    });
  });
}
