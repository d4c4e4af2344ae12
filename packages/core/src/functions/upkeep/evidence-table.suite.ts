import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FunctionUseRecord } from "../functions-port.ts";
import type { EvidenceTable } from "./evidence-table.ts";

/** Two empty evidence tables. */
export interface EvidenceHarness {
  here: EvidenceTable;
  elsewhere: EvidenceTable;
  close(): Promise<void>;
}

const ID = "func-20260101-abc123";
const OTHER = "func-20260101-abc124";
const at = (minute: number) => `2026-11-20T09:${String(minute).padStart(2, "0")}:00.000Z`;

/** The contract of every `EvidenceTable`. */
export function describeEvidenceTable(name: string, makeHarness: () => Promise<EvidenceHarness>): void {
  describe(`the evidence of functions ${name}`, () => {
    let harness: EvidenceHarness;
    let table: EvidenceTable;
    beforeEach(async () => {
      harness = await makeHarness();
      table = harness.here;
    });
    afterEach(() => harness.close());

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

    it("lists outcomes newest first, and sums page by page", async () => {
      for (const [minute, outcome] of (["succeeded", "failed", "offered"] as const).entries())
        await table.record({ functionId: ID, runId: `run-${minute}`, outcome }, at(minute));
      await table.record({ functionId: OTHER, runId: "run-0", outcome: "followed" }, at(9));
      expect(await table.outcomesSince(ID, at(0))).toEqual(["failed"]);
      expect(await table.outcomesSince(ID, "")).toEqual(["failed", "succeeded"]);
      const first = await table.rows("", 1);
      expect(first).toEqual([await table.row(ID)]);
      expect((await table.rows(ID, 9)).map(({ id }) => id)).toEqual([OTHER]);
    });

    it("counts runs by function and day, with the cost of those that succeeded", async () => {
      const record = (runId: string, outcome: FunctionUseRecord["outcome"], cost: object, day: number) =>
        table.record({ functionId: ID, runId, outcome, ...cost }, `2026-11-${day}T23:59:00.000Z`);
      await record("run-1", "succeeded", { planningCalls: 1, tokens: 400 }, 20);
      await record("run-2", "succeeded", { planningCalls: 0 }, 20);
      await record("run-3", "failed", { planningCalls: 5, tokens: 900 }, 20);
      await record("run-4", "offered", { planningCalls: 7, tokens: 900 }, 20);
      await record("run-5", "followed", {}, 21);
      await table.record({ functionId: OTHER, runId: "run-1", outcome: "offered" }, at(9));
      const none = { used: 0, succeeded: 0, failed: 0, planned: 0, planningCalls: 0, metered: 0, tokens: 0 };
      const first = {
        functionId: ID,
        day: "2026-11-20",
        offered: 4,
        used: 3,
        succeeded: 2,
        failed: 1,
        planned: 2,
        planningCalls: 1,
        metered: 1,
        tokens: 400,
      };
      const second = { ...none, functionId: ID, day: "2026-11-21", offered: 1, used: 1 };
      expect(await table.dailyUses({ since: "2026-11-20T00:00:00.000Z" })).toEqual([
        first,
        { ...none, functionId: OTHER, day: "2026-11-20", offered: 1 },
        second,
      ]);
      expect(await table.dailyUses({ since: "2026-11-21T00:00:00.000Z" })).toEqual([second]);
      expect(await table.dailyUses({ since: "", functionId: ID })).toEqual([first, second]);
    });

    it("is deleted completely", async () => {
      await table.record({ functionId: ID, runId: "run-1", outcome: "failed" }, at(1));
      await table.forget(ID);
      expect(await table.row(ID)).toBeUndefined();
      expect(await table.dailyUses({ since: "" })).toEqual([]);
    });

    it("is restored elsewhere unchanged, and only for functions without evidence", async () => {
      const error = "no such file";
      await table.record({ functionId: ID, runId: "run-1", outcome: "failed", error, tokens: 7 }, at(1));
      await table.record({ functionId: OTHER, runId: "run-1", outcome: "offered" }, at(2));
      await harness.elsewhere.record({ functionId: OTHER, runId: "run-9", outcome: "succeeded" }, at(3));
      const restored: boolean[] = [];
      for await (const copy of table.copies()) restored.push(await harness.elsewhere.restore(copy));
      expect(restored).toEqual([true, false]);
      expect((await harness.elsewhere.of([ID])).get(ID)).toEqual((await table.of([ID])).get(ID));
      expect((await harness.elsewhere.of([OTHER])).get(OTHER)).toMatchObject({ stats: { successes: 1 } });
    });
  });
}
