import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LEASE_MS } from "../database/lease-table.ts";
import { ConflictError } from "../errors/request-errors.ts";
import type { OccurrenceLedger } from "./occurrence-ledger.ts";

/** An empty ledger with a clock that the test sets. */
export interface LedgerHarness {
  /** Opens the ledger as another process would. */
  open(): Promise<OccurrenceLedger>;
  now(): Date;
  /** Advances the ledger's clock. */
  passTime(ms: number): void;
  close(): Promise<void>;
}

const scheduleId = "sched-01jd0000000000000000000000";
const first = "2026-11-20T09:00:00.000Z";
const second = "2026-11-21T09:00:00.000Z";

/** Tests the contract of `OccurrenceLedger`. */
export function describeOccurrenceLedger(name: string, makeHarness: () => Promise<LedgerHarness>): void {
  describe(`a ledger of occurrences ${name}`, () => {
    let harness: LedgerHarness;
    let one: OccurrenceLedger;
    let two: OccurrenceLedger;
    beforeEach(async () => {
      harness = await makeHarness();
      one = await harness.open();
      two = await harness.open();
      await one.setMoment({ scheduleId, timing: "daily", next: first, note: null });
    });
    afterEach(() => harness.close());

    const advance = (ledger: OccurrenceLedger, timing = "daily") =>
      ledger.advance([
        {
          scheduleId,
          expected: { timing, next: first },
          rows: [{ dueAt: first, state: "due" }],
          next: second,
          note: null,
        },
      ]);

    it("gives each moment one row, whichever process is first", async () => {
      expect(await advance(one)).toEqual([scheduleId]);
      expect(await advance(two)).toEqual([]);
      expect((await two.occurrences(scheduleId, { limit: 10 })).items).toEqual([
        { scheduleId, dueAt: first, state: "due", attempt: 0 },
      ]);
      expect(await two.moment(scheduleId)).toMatchObject({ next: second });
    });

    it("does not advance a schedule that was changed meanwhile", async () => {
      expect(await advance(one, "weekly")).toEqual([]);
      expect((await one.occurrences(scheduleId, { limit: 10 })).total).toBe(0);
    });

    it("lets one process claim an occurrence", async () => {
      await advance(one);
      expect(await one.claim({ scheduleId, dueAt: first })).toEqual({ scheduleId, dueAt: first, attempt: 1 });
      expect(await two.claim({ scheduleId, dueAt: first })).toBeUndefined();
    });

    it("never changes a final state", async () => {
      await advance(one);
      const claim = await one.claim({ scheduleId, dueAt: first });
      if (!claim) throw new Error("not claimed");
      expect(await one.end(claim, { state: "succeeded", outcome: "answered" })).toBe(true);
      expect(await one.end(claim, { state: "failed", reason: "Too late." })).toBe(false);
      await one.drop({ scheduleId, dueAt: first }, { state: "skipped", reason: "Too late." });
      expect(await one.occurrence({ scheduleId, dueAt: first })).toMatchObject({
        state: "succeeded",
        outcome: "answered",
      });
    });

    it("counts attempts, and failures in a row only after the last one", async () => {
      await advance(one);
      const attempt = async () => {
        const claim = await one.claim({ scheduleId, dueAt: first });
        if (!claim) throw new Error("not claimed");
        return claim;
      };
      const retryAt = new Date(harness.now().getTime() + 60_000).toISOString();
      await one.end(await attempt(), { state: "retry", retryAt, reason: "No network." });
      expect((await one.moment(scheduleId))?.failures).toBe(0);
      expect(await one.due(harness.now())).toEqual([]);
      harness.passTime(60_000);
      expect(await one.due(harness.now())).toMatchObject([
        { dueAt: first, attempt: 1, reason: "No network." },
      ]);
      const claim = await attempt();
      expect(claim.attempt).toBe(2);
      await one.end(claim, { state: "failed", reason: "Still none.", modelCalls: 2, tokens: 70 });
      expect((await one.moment(scheduleId))?.failures).toBe(1);
      expect(await one.usage(scheduleId, first)).toEqual({ modelCalls: 2, tokens: 70 });
      await one.resetFailures(scheduleId);
      expect((await one.moment(scheduleId))?.failures).toBe(0);
    });

    it("transfers a running occurrence when the lease of its process expires", async () => {
      await advance(one);
      const claim = await one.claim({ scheduleId, dueAt: first });
      if (!claim) throw new Error("not claimed");
      harness.passTime(LEASE_MS - 1);
      await one.renewLease();
      harness.passTime(LEASE_MS - 1);
      expect(await two.takeOver()).toEqual([]);
      harness.passTime(1);
      expect(await two.takeOver()).toMatchObject([{ scheduleId, dueAt: first, attempt: 1 }]);
      expect(await one.end(claim, { state: "succeeded" })).toBe(false);
      expect(await two.end(claim, { state: "succeeded" })).toBe(true);
    });

    it("adds a moment that a person asks for, once", async () => {
      await one.add({ scheduleId, dueAt: first }, "You started it.");
      await expect(two.add({ scheduleId, dueAt: first }, "Again.")).rejects.toThrow(ConflictError);
    });

    it("skips pending occurrences of a deleted schedule", async () => {
      await advance(one);
      await two.forget(scheduleId, "The schedule was deleted.");
      expect(await one.moment(scheduleId)).toBeUndefined();
      expect(await one.occurrence({ scheduleId, dueAt: first })).toMatchObject({ state: "skipped" });
      expect(await one.nextAt()).toBeUndefined();
    });

    it("returns the next start, and lists in pages", async () => {
      expect(await one.nextAt()).toBe(first);
      await advance(one);
      expect(await one.nextAt()).toBe(first);
      await one.complete([{ scheduleId, dueAt: first }], "told");
      expect(await one.nextAt()).toBe(second);
      await one.add({ scheduleId, dueAt: "2026-11-20T10:00:00.000Z" }, "You started it.");
      const page = await one.occurrences(scheduleId, { limit: 1 });
      expect(page).toMatchObject({ total: 2, items: [{ state: "due" }] });
      const rest = await one.occurrences(scheduleId, { limit: 1, cursor: page.nextCursor ?? "" });
      expect(rest).toMatchObject({ nextCursor: null, items: [{ dueAt: first, state: "succeeded" }] });
      expect((await one.latest()).get(scheduleId)).toMatchObject({ dueAt: "2026-11-20T10:00:00.000Z" });
    });

    it("deletes rows that are older than requested", async () => {
      await advance(one);
      await one.complete([{ scheduleId, dueAt: first }], "told");
      await one.prune({ schedules: second, agents: second });
      expect((await one.occurrences(scheduleId, { limit: 1 })).total).toBe(0);
    });
  });
}
