import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunStore } from "../runs/run-store.ts";
import { answered as answer, claimNext, requestFor, started } from "../runs/store-fixtures.ts";
import type { OccurrenceLedger } from "./occurrence-ledger.ts";
import type { WatchedPages } from "./watched-pages.ts";

/** Empty watched pages of a profile, with its runs and its ledger. */
export interface WatchedPagesHarness {
  pages: WatchedPages;
  runs: RunStore;
  ledger: OccurrenceLedger;
  close(): Promise<void>;
}

const URL_OF_PAGE = "https://example.org/prices";
const scheduleId = "sched-01kaswk2p0000000000000000a";

/** Tests the contract of `WatchedPages`. */
export function describeWatchedPages(name: string, makeHarness: () => Promise<WatchedPagesHarness>): void {
  describe(`watched pages ${name}`, () => {
    let harness: WatchedPagesHarness;
    let minute = 0;
    beforeEach(async () => {
      harness = await makeHarness();
      minute = 0;
    });
    afterEach(() => harness.close());

    const startedRun = async (): Promise<string> =>
      (await harness.runs.create(requestFor("check the page"))).id;

    async function end(runId: string, outcome: "answered" | "failed"): Promise<void> {
      const claim = await claimNext(harness.runs);
      if (claim.runId !== runId) throw new Error("another run was queued before");
      const run = await harness.runs.run(runId);
      const answers = outcome === "answered" ? [answer("Done.")] : [];
      await harness.runs.append(claim, [started(run), ...answers, { type: "run-ended", outcome }]);
    }
    async function remove(runId: string): Promise<void> {
      await harness.runs.removeConversation((await harness.runs.run(runId)).conversationId);
    }
    async function look(runId: string, text: string, watcher: string | undefined = scheduleId) {
      const at = new Date(Date.UTC(2026, 10, 23, 12, (minute += 1))).toISOString();
      return (await harness.pages.replace({ scheduleId: watcher, url: URL_OF_PAGE, runId }, { text, at }))
        ?.text;
    }
    async function answered(text: string, watcher: string | undefined = scheduleId) {
      const runId = await startedRun();
      const before = await look(runId, text, watcher);
      await end(runId, "answered");
      return before;
    }

    it("are compared with their earlier content", async () => {
      expect([await answered("a"), await answered("a"), await answered("b"), await answered("c")]).toEqual([
        undefined,
        "a",
        "a",
        "b",
      ]);
    });

    it("keep the time at which they were first stored", async () => {
      await answered("a");
      await answered("a");
      const runId = await startedRun();
      const at = "2026-11-24T00:00:00.000Z";
      expect(await harness.pages.replace({ scheduleId, url: URL_OF_PAGE, runId }, { text: "b", at })).toEqual(
        {
          text: "a",
          at: "2026-11-23T12:01:00.000Z",
        },
      );
    });

    it("return the same answer to a run that is repeated after it was killed", async () => {
      await answered("a");
      const runId = await startedRun();
      expect([await look(runId, "b"), await look(runId, "b"), await look(runId, "c")]).toEqual([
        "a",
        "a",
        "a",
      ]);
      await end(runId, "answered");
      expect(await answered("c")).toBe("c");
    });

    it("keep an unreported change of a run that failed after storing it", async () => {
      await answered("a");
      const failed = await startedRun();
      await look(failed, "b");
      await end(failed, "failed");
      expect([await answered("b"), await answered("b")]).toEqual(["a", "b"]);
    });

    it("are kept when the conversations of their runs are deleted", async () => {
      await answered("a");
      const failed = await startedRun();
      await look(failed, "b");
      await end(failed, "failed");
      await remove(failed);
      const startedId = await startedRun();
      expect(await look(startedId, "b")).toBe("a");
      await end(startedId, "answered");
      await remove(startedId);
      expect(await answered("b")).toBe("b");
    });

    it("are deleted if only a deleted run stored them", async () => {
      const failed = await startedRun();
      await look(failed, "a");
      await end(failed, "failed");
      await remove(failed);
      expect(await answered("b")).toBeUndefined();
    });

    it("are stored for each schedule, and for the person", async () => {
      await answered("a");
      expect([await answered("b", "sched-01kaswk2p0000000000000000b"), await answered("b", "")]).toEqual([
        undefined,
        undefined,
      ]);
      expect(await answered("b")).toBe("a");
    });

    it("are deleted with the schedule, and after a long time without a check", async () => {
      await harness.ledger.setMoment({ scheduleId, timing: "t", next: null, note: null });
      await answered("a");
      await harness.ledger.forget(scheduleId, "It was deleted.");
      expect(await answered("b")).toBeUndefined();
      await harness.pages.prune("2000-01-01T00:00:00.000Z");
      expect(await answered("c")).toBe("b");
      await harness.pages.prune("2100-01-01T00:00:00.000Z");
      expect(await answered("c")).toBeUndefined();
    });
  });
}
