import { decodeTime } from "ulid";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { applyEvent, queuedRun } from "../contract/apply-event.ts";
import { Run } from "../contract/run.ts";
import { LEASE_MS } from "../database/lease-table.ts";
import { ConflictError, InvalidArgsError } from "../errors/request-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { RunLostError, type RunStore } from "./run-store.ts";
import {
  answered,
  approvalFor,
  began,
  changeIdle,
  claimNext,
  ended,
  modelCall,
  observed,
  planned,
  requestFor,
  running,
  started,
} from "./store-fixtures.ts";

/** An empty run store with a clock that the test sets. */
export interface RunStoreHarness {
  /** Opens the store as another process would. */
  open(): Promise<RunStore>;
  /** Advances the store's clock. */
  passTime(ms: number): void;
  close(): Promise<void>;
}

let harness: RunStoreHarness;
const open = () => harness.open();

/** Tests the contract of `RunStore` for one process. */
export function describeRunStore(name: string, makeHarness: () => Promise<RunStoreHarness>): void {
  describe(`a run store ${name}`, () => {
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.close());

    it("stores the run that replaying its events yields", async () => {
      const store = await open();
      const { claim: first, ...run } = await running(store, "what's in out?");
      const approval = approvalFor(run, 2, "1");
      await store.append(first, [planned(1), began(1), observed(1), planned(2, "fs_delete")]);
      await store.append(first, [{ type: "approval-requested", step: 2, approval }]);
      await changeIdle(store, run.id, [
        { type: "approval-resolved", step: 2, approvalId: approval.id, decision: "deny", reason: "keep it" },
      ]);
      const claim = await claimNext(store);
      await store.append(claim, [{ type: "run-resumed", reason: "a person decided", status: "running" }]);
      await store.append(claim, [answered("Nothing."), { type: "warning-raised", message: "slow" }, ended]);

      const events = await store.events(run.id, 0, 100);
      expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
      const stored = await store.run(run.id);
      expect(stored).toEqual(events.reduce(applyEvent, queuedRun(run)));
      expect(Run.parse(stored)).toMatchObject({
        status: "ended",
        outcome: "answered",
        result: "Nothing.",
        lastSeq: events.length,
      });
    });

    it("stores request and answer as messages, which are found ignoring case", async () => {
      const store = await open();
      const run = await running(store, "Wo ist der SCHLÜSSEL zu 100%?");
      await store.append(run.claim, [answered("Im Flur."), ended]);
      await running(store, "and now?", run.conversationId);
      const messages = await store.messages(run.conversationId);
      expect(messages.map(({ role, text }) => [role, text])).toEqual([
        ["person", "Wo ist der SCHLÜSSEL zu 100%?"],
        ["operator", "Im Flur."],
        ["person", "and now?"],
      ]);
      expect((await store.messages(run.conversationId, { limit: 1 }))[0]?.text).toBe("and now?");
      const before = await store.messages(run.conversationId, {
        limit: 1,
        beforeRun: messages[2]?.runId ?? "",
      });
      expect(before.map((message) => message.text)).toEqual(["Im Flur."]);
      expect((await store.conversations({ query: "schlüssel zu 100%", limit: 5 })).items[0]).toMatchObject({
        messageCount: 3,
      });
      expect((await store.conversations({ query: "100_", limit: 5 })).total).toBe(0);
    });

    it("claims the runs of a conversation one after another, and others meanwhile", async () => {
      const store = await open();
      const first = await running(store, "pack for the trip");
      const second = await store.create(requestFor("and the tent", first.conversationId));
      const other = await store.create(requestFor("list my tasks"));
      const limit = { maxConcurrent: 9, adopt: true };
      expect((await store.claim(limit))?.run.id).toBe(other.id);
      expect(await store.claim(limit)).toBeUndefined();
      await store.append(first.claim, [answered("Packed."), ended]);
      expect((await store.claim(limit))?.run.id).toBe(second.id);
      const { turns } = await store.turns(first.conversationId, { limit: 9, beforeRun: second.id });
      expect(turns.map(({ text }) => text)).toEqual(["pack for the trip", "Packed."]);
    });

    it("replaces the title of a conversation only while it is the expected one", async () => {
      const store = await open();
      const { conversationId: id } = await store.create(requestFor("how long was the rope again?"));
      const from = "how long was the rope again?";
      expect(await store.replaceTitle(id, { from, to: "Länge des Seils" })).toBe(true);
      expect(await store.replaceTitle(id, { from, to: "Another title" })).toBe(false);
      const { items } = await store.conversations({ query: "LÄNGE", limit: 5 });
      expect(items.map(({ title }) => title)).toEqual(["Länge des Seils"]);
    });

    it("shows the part of the newest message that a search matches, unless the title has it", async () => {
      const store = await open();
      const run = await running(store, "Where do I keep the spare key?");
      const before = "The hall has four cupboards and a long shelf. ".repeat(6);
      await store.append(run.claim, [answered(`${before}It is in the BLUE tin behind the clock.`), ended]);
      const search = async (query: string) =>
        (await store.conversations({ query, limit: 5 })).items.map(({ match }) => match);
      const [match = ""] = await search("blue tin");
      expect(match).toContain("It is in the BLUE tin behind the clock.");
      expect(match.startsWith("…")).toBe(true);
      expect(match.length).toBeLessThanOrEqual(200);
      expect(await search("spare key")).toEqual([undefined]);
      expect((await store.conversations({ limit: 5 })).items[0]).not.toHaveProperty("match");
    });

    it("lists pinned conversations first, on every page and in every search", async () => {
      const store = await open();
      const ids: string[] = [];
      for (const goal of ["one", "two", "three", "four"]) {
        harness.passTime(1_000);
        ids.push((await store.create(requestFor(goal))).conversationId);
      }
      const [first = "", second = ""] = ids;
      expect(await store.pinConversation(first, true)).toMatchObject({ title: "one", pinned: true });
      await store.pinConversation(second, true);
      const titles: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await store.conversations({ limit: 1, ...(cursor !== undefined && { cursor }) });
        titles.push(...page.items.map(({ title }) => title));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(titles).toEqual(["two", "one", "four", "three"]);
      const found = await store.conversations({ query: "o", limit: 5 });
      expect(found.items.map(({ title }) => title)).toEqual(["two", "one", "four"]);
      expect(await store.pinConversation(first, false)).not.toHaveProperty("pinned");
      await expect(store.pinConversation(`conv-${"0".repeat(26)}`, true)).rejects.toThrow(NotFoundError);
    });

    it("pages through runs and conversations, newest first by default", async () => {
      const store = await open();
      const ids: string[] = [];
      for (const goal of ["a", "b", "c", "d", "e"]) {
        harness.passTime(1_000);
        ids.unshift((await store.create(requestFor(goal))).id);
      }
      const readAll = async (sort?: "newest" | "oldest") => {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.runs({ limit: 2, ...(sort && { sort }), ...(cursor && { cursor }) });
          expect(page.total).toBe(5);
          seen.push(...page.items.map((run) => run.id));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        return seen;
      };
      expect(await readAll()).toEqual(ids);
      expect(await readAll("oldest")).toEqual(ids.toReversed());
      const first = await store.conversations({ limit: 3 });
      const rest = await store.conversations({ limit: 3, cursor: first.nextCursor ?? "" });
      expect([...first.items, ...rest.items].map(({ title }) => title).join("")).toBe("edcba");
      await expect(store.runs({ limit: 2, cursor: "nonsense" })).rejects.toThrow(InvalidArgsError);
      await expect(store.conversations({ limit: 2, cursor: first.items[0]?.id ?? "" })).rejects.toThrow(
        InvalidArgsError,
      );
    });

    it("lists the runs of a period: from its first moment until before its last", async () => {
      const store = await open();
      // An id contains its time in milliseconds, so each run needs another time.
      const moments: number[] = [];
      vi.useFakeTimers({ toFake: ["Date"] });
      try {
        for (const goal of ["a", "b", "c", "d"]) {
          const { id } = await store.create(requestFor(goal));
          const moment = decodeTime(id.slice("run-".length).toUpperCase());
          moments.push(moment);
          // Ids never go back, so an id of another test may be later than the machine's clock.
          vi.setSystemTime(moment + 1);
        }
      } finally {
        vi.useRealTimers();
      }
      const [, second, , fourth] = moments.map((moment) => new Date(moment).toISOString());
      const goals = async (query: { from?: string; until?: string }) =>
        (await store.runs({ ...query, limit: 10 })).items.map(({ goal }) => goal);
      expect(await goals({ from: second ?? "", until: fourth ?? "" })).toEqual(["c", "b"]);
      expect(await goals({ from: fourth ?? "" })).toEqual(["d"]);
      expect(await goals({ until: second ?? "" })).toEqual(["a"]);
      const page = await store.runs({ from: second ?? "", limit: 1, sort: "oldest" });
      expect(page).toMatchObject({ total: 3, items: [{ goal: "b" }] });
    });

    it("throws NotFoundError for unknown ids", async () => {
      const store = await open();
      const stranger = "0".repeat(26);
      await expect(store.run(`run-${stranger}`)).rejects.toThrow(NotFoundError);
      await expect(store.messages(`conv-${stranger}`)).rejects.toThrow(NotFoundError);
      await expect(store.create(requestFor("go on", `conv-${stranger}`))).rejects.toThrow(NotFoundError);
      await expect(store.approval(`appr-${stranger}`)).rejects.toThrow(NotFoundError);
      await expect(store.revokeGrant(`grant-${stranger}`)).rejects.toThrow(NotFoundError);
    });

    it("creates one grant for 'always', and withdraws pending approvals of an ended run", async () => {
      const store = await open();
      for (const id of ["1", "2"]) {
        const run = await running(store);
        const approval = approvalFor(run, 1, id);
        await store.append(run.claim, [{ type: "approval-requested", step: 1, approval }]);
        await changeIdle(store, run.id, [
          { type: "approval-resolved", step: 1, approvalId: approval.id, decision: "always" },
        ]);
        await changeIdle(store, run.id, [{ type: "run-ended", outcome: "cancelled" }]);
      }
      const grants = await store.grants();
      expect(grants).toMatchObject([{ skill: "fs_delete", pathPrefix: "out/" }]);
      await store.revokeGrant(grants[0]?.id ?? "");
      expect(await store.grants()).toEqual([]);

      const run = await running(store);
      await store.append(run.claim, [
        { type: "approval-requested", step: 1, approval: approvalFor(run, 1, "3") },
      ]);
      expect((await store.approvals({ status: "pending", limit: 9 })).total).toBe(1);
      await changeIdle(store, run.id, [{ type: "run-ended", outcome: "cancelled" }]);
      expect((await store.approvalsOf(run.id))[0]?.status).toBe("withdrawn");
    });

    it("removes a conversation with its runs, but not while one is active", async () => {
      const store = await open();
      const run = await running(store);
      await expect(store.removeConversation(run.conversationId)).rejects.toThrow(ConflictError);
      await store.append(run.claim, [ended]);
      await store.removeConversation(run.conversationId);
      await expect(store.run(run.id)).rejects.toThrow(NotFoundError);
      expect(await store.events(run.id, 0, 9)).toEqual([]);
    });

    it("stores several events atomically", async () => {
      const store = await open();
      const run = await running(store);
      const unknown = {
        type: "approval-resolved",
        step: 1,
        approvalId: `appr-${"0".repeat(26)}`,
        decision: "once",
      } as const;
      await expect(store.append(run.claim, [planned(1), unknown])).rejects.toThrow(NotFoundError);
      expect(await store.run(run.id)).toMatchObject({ lastSeq: 1, scratchpad: [] });
      expect((await store.append(run.claim, [planned(1)])).run.lastSeq).toBe(2);
    });

    it("never orders events before earlier ones if the clock goes backwards", async () => {
      const store = await open();
      const run = await running(store);
      harness.passTime(-60_000);
      expect((await store.append(run.claim, [ended])).run.endedAt).toBe(run.updatedAt);
    });
  });
}

/** Tests the contract of `RunStore` for several processes. */
export function describeSharedRunStore(name: string, makeHarness: () => Promise<RunStoreHarness>): void {
  describe(`runs of several processes ${name}`, () => {
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.close());

    it("are executed by exactly one of them", async () => {
      const [one, two] = [await open(), await open()];
      const run = await running(one);
      await expect(two.append(run.claim, [planned(1)])).rejects.toThrow(RunLostError);
      expect(await changeIdle(two, run.id, [ended])).toBeUndefined();
      expect(await two.claim({ maxConcurrent: 9, adopt: true })).toBeUndefined();
      await two.requestCancel(run.id);
      expect(await one.cancelRequests()).toEqual([run.id]);
      expect(await two.cancelRequests()).toEqual([]);
    });

    it("share one limit, in the order of the requests", async () => {
      const [one, two] = [await open(), await open()];
      const first = await running(one);
      const second = await two.create(requestFor("second"));
      const third = await one.create(requestFor("third"));
      const limit = { maxConcurrent: 1, adopt: true };
      expect(await two.claim(limit)).toBeUndefined();
      await one.append(first.claim, [ended]);
      expect(await one.claim(limit)).toBeUndefined();
      const claimed = await two.claim(limit);
      if (claimed?.run.id !== second.id) throw new Error("the second run is not the next one");
      await two.append(claimed.claim, [started(second)]);
      await two.append(claimed.claim, [ended]);
      expect((await one.claim(limit))?.run.id).toBe(third.id);
    });

    it("become interrupted when the lease of their process expires", async () => {
      const [one, two] = [await open(), await open()];
      const run = await running(one);
      harness.passTime(LEASE_MS - 1);
      expect(await two.interruptLost()).toEqual([]);
      await one.renewLease();
      harness.passTime(LEASE_MS - 1);
      expect(await two.interruptLost()).toEqual([]);
      harness.passTime(1);
      expect((await two.interruptLost()).map((committed) => committed.run.status)).toEqual(["interrupted"]);
      await expect(one.append(run.claim, [planned(1)])).rejects.toThrow(RunLostError);
      expect(await two.run(run.id)).toMatchObject({ status: "interrupted", lastSeq: 2 });
    });

    it("reject writes of a process that was suspended for longer than its lease, even after it claims the run again", async () => {
      const [frozen, other] = [await open(), await open()];
      const run = await running(frozen);
      await frozen.append(run.claim, [planned(1)]);
      harness.passTime(LEASE_MS);
      const [lost] = await other.interruptLost();
      const step = { reading: { isGuess: true }, asks: "words" };
      expect(lost?.run).toMatchObject({ id: run.id, scratchpad: [step] });
      await changeIdle(other, run.id, [{ type: "run-resumed", reason: "asked for", status: "queued" }]);
      const [claim, before] = [await claimNext(other), await other.run(run.id)];
      expect(claim.fence).toBeGreaterThan(run.claim.fence);
      await expect(frozen.append(run.claim, [began(1)])).rejects.toThrow(RunLostError);
      await expect(frozen.recordModelCall(run.claim, modelCall(1, ["late"]))).rejects.toThrow(RunLostError);
      await expect(frozen.confirmClaim(run.claim)).rejects.toThrow(RunLostError);
      expect(await other.run(run.id)).toEqual(before);
      expect(await other.modelCalls(run.id)).toEqual([]);

      await other.confirmClaim(claim);
      await other.append(claim, [{ type: "run-interrupted", reason: "stopped" }]);
      await expect(other.confirmClaim(claim)).rejects.toThrow(RunLostError);
      await changeIdle(frozen, run.id, [{ type: "run-resumed", reason: "asked for", status: "queued" }]);
      const anew = await claimNext(frozen);
      await expect(frozen.append(run.claim, [began(1)])).rejects.toThrow(RunLostError);
      await frozen.append(anew, [{ type: "run-resumed", reason: "its turn", status: "running" }]);
      expect(await other.actionStarted(run.id, 1)).toBe(false);
    });

    it("are interrupted before a change if their holder's lease has expired", async () => {
      const [one, two] = [await open(), await open()];
      const run = await running(one);
      expect(await two.idleRun(run.id)).toBeUndefined();
      harness.passTime(LEASE_MS);
      const idle = await two.idleRun(run.id);
      expect(idle?.events.map(({ type }) => type)).toEqual(["run-interrupted"]);
      expect(idle?.run.status).toBe("interrupted");
      expect(await two.idleRun(run.id)).toEqual({ events: [], run: idle?.run });
      await expect(one.append(run.claim, [planned(1)])).rejects.toThrow(RunLostError);
    });

    it("reject a change that was decided before another change or a claim", async () => {
      const [one, two] = [await open(), await open()];
      const { id, claim } = await running(one);
      await one.append(claim, [{ type: "run-interrupted", reason: "stopped" }]);
      const after = (await two.idleRun(id))?.run.lastSeq ?? 0;
      const bodies = [{ type: "run-resumed", reason: "asked for", status: "queued" } as const];
      expect((await one.commitIdle(id, { after, bodies }))?.run.status).toBe("queued");
      expect(await two.commitIdle(id, { after, bodies })).toBeUndefined();
      expect((await two.run(id)).lastSeq).toBe(after + 1);
      await claimNext(one);
      expect(await two.commitIdle(id, { after: after + 1, bodies: [ended] })).toBeUndefined();
      expect((await two.run(id)).lastSeq).toBe(after + 1);
    });

    it("accept records of a claim after the run has ended", async () => {
      const store = await open();
      const run = await running(store);
      await store.append(run.claim, [ended]);
      await store.recordModelCall(run.claim, modelCall(1, ["sum up"]));
      expect(await store.modelCalls(run.id)).toHaveLength(1);
      await expect(store.append(run.claim, [planned(1)])).rejects.toThrow(RunLostError);
    });

    it("can be claimed by others after their process releases them", async () => {
      const [one, two] = [await open(), await open()];
      const run = await one.create(requestFor("later"));
      expect(await two.claim({ maxConcurrent: 1, adopt: true })).toBeUndefined();
      await one.close();
      expect(await two.claim({ maxConcurrent: 1, adopt: false })).toBeUndefined();
      expect((await two.claim({ maxConcurrent: 1, adopt: true }))?.run.id).toBe(run.id);
    });

    it("return to the queue if their process ended before they started", async () => {
      const [one, two] = [await open(), await open()];
      const run = await one.create(requestFor("later"));
      await one.claim({ maxConcurrent: 1, adopt: false });
      harness.passTime(LEASE_MS);
      expect(await two.interruptLost()).toEqual([]);
      expect((await two.claim({ maxConcurrent: 1, adopt: true }))?.run.id).toBe(run.id);
    });

    it("are reported as queued to the process that queued them", async () => {
      const [one, two] = [await open(), await open()];
      await one.create(requestFor("later"));
      expect(await one.hasQueuedRuns()).toBe(true);
      expect(await two.hasQueuedRuns()).toBe(false);
      await claimNext(one);
      expect(await one.hasQueuedRuns()).toBe(false);
    });

    it("is idle during an approval, and continues in the process that decides", async () => {
      const [one, two] = [await open(), await open()];
      const run = await running(one);
      const approval = approvalFor(run, 1, "1");
      await one.append(run.claim, [{ type: "approval-requested", step: 1, approval }]);
      const decided = await changeIdle(two, run.id, [
        { type: "approval-resolved", step: 1, approvalId: approval.id, decision: "once" },
      ]);
      expect(decided?.run.status).toBe("queued");
      expect(await one.claim({ maxConcurrent: 9, adopt: true })).toBeUndefined();
      expect((await two.claim({ maxConcurrent: 9, adopt: false }))?.run.id).toBe(run.id);
    });

    it("increase a number that own commits do not change", async () => {
      const [one, two] = [await open(), await open()];
      const before = await two.externalVersion();
      await two.create(requestFor("mine"));
      expect(await two.externalVersion()).toBe(before);
      await one.create(requestFor("theirs"));
      expect(await two.externalVersion()).not.toBe(before);
    });

    it("is read equally by two processes, whichever wrote last", async () => {
      const [one, two] = [await open(), await open()];
      const run = await running(one);
      await one.append(run.claim, [planned(1), began(1)]);
      expect(await two.actionStarted(run.id, 1)).toBe(true);
      expect(await two.actionStarted(run.id, 2)).toBe(false);
      harness.passTime(LEASE_MS);
      await two.interruptLost();
      await changeIdle(two, run.id, [{ type: "run-resumed", reason: "asked for", status: "queued" }]);
      expect(await one.run(run.id)).toEqual(await two.run(run.id));
    });
  });
}
