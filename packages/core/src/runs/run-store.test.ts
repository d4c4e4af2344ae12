import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyEvent, queuedRun } from "../contract/apply-event.ts";
import { Run } from "../contract/run.ts";
import { type Database, openDatabase } from "../database/open-database.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import { InvalidArgsError } from "../errors/invalid-args-error.ts";
import { NotFoundError } from "../errors/not-found-error.ts";
import { stateMigrations } from "./migrations.ts";
import { openRunStore, RunLostError } from "./open-run-store.ts";
import { LEASE_MS } from "./process-table.ts";
import type { RunStore } from "./run-store.ts";
import {
  answered,
  approvalFor,
  began,
  ended,
  observed,
  planned,
  requestFor,
  running,
  started,
} from "./store-fixtures.ts";

let folder: string;
let time: number;
const databases: Database[] = [];
const clock = () => new Date(time);

/** Another process, as far as the store can tell: its own connection and its own place among the processes. */
function open(options: { path?: string; clock?: () => Date } = {}): RunStore {
  const database = openDatabase(options.path ?? join(folder, "state.db"), stateMigrations, {
    title: "the state database",
  });
  databases.push(database);
  return openRunStore(database, { clock: options.clock ?? clock });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runs-"));
  time = Date.parse("2026-11-20T09:30:00.000Z");
});
afterEach(() => {
  databases.splice(0).forEach((database) => database.close());
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ["on disk", () => open()],
  ["in memory", () => open({ path: ":memory:" })],
])("a run store %s", (_name, openStore) => {
  it("stores what replaying its events gives", async () => {
    const store = openStore();
    const run = await running(store, "what's in out?");
    const approval = approvalFor(run, 2, "1");
    await store.append(run.id, [planned(1), began(1), observed(1), planned(2, "fs_delete")]);
    await store.append(run.id, [{ type: "approval-requested", step: 2, approval }]);
    await store.steer(run.id, () => [
      { type: "approval-resolved", step: 2, approvalId: approval.id, decision: "deny", reason: "keep it" },
    ]);
    await store.claim({ maxConcurrent: 2, adopt: false });
    await store.append(run.id, [{ type: "run-resumed", reason: "a person decided", status: "running" }]);
    await store.append(run.id, [answered("Nothing."), { type: "warning-raised", message: "slow" }, ended]);

    const events = await store.events(run.id, 0, 100);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, place) => place + 1));
    const stored = await store.run(run.id);
    expect(stored).toEqual(events.reduce(applyEvent, queuedRun(run)));
    expect(Run.parse(stored)).toMatchObject({
      status: "ended",
      outcome: "answered",
      result: "Nothing.",
      lastSeq: events.length,
    });
  });

  it("keeps the exchange as messages of a conversation, found by their words in any case", async () => {
    const store = openStore();
    const run = await running(store, "Wo ist der SCHLÜSSEL zu 100%?");
    await store.append(run.id, [answered("Im Flur."), ended]);
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

  it("pages through runs and conversations, each once, newest first unless asked otherwise", async () => {
    const store = openStore();
    const ids: string[] = [];
    for (const goal of ["a", "b", "c", "d", "e"]) {
      time += 1_000;
      ids.unshift((await store.create(requestFor(goal))).id);
    }
    const readAll = async (sort?: "newest" | "oldest") => {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.runs({
          limit: 2,
          ...(sort && { sort }),
          ...(cursor !== undefined && { cursor }),
        });
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
    expect([...first.items, ...rest.items].map((conversation) => conversation.title)).toEqual([
      "e",
      "d",
      "c",
      "b",
      "a",
    ]);
    await expect(store.runs({ limit: 2, cursor: "nonsense" })).rejects.toThrow(InvalidArgsError);
    await expect(store.conversations({ limit: 2, cursor: first.items[0]?.id ?? "" })).rejects.toThrow(
      InvalidArgsError,
    );
  });

  it("knows nothing of ids that are not its own", async () => {
    const store = openStore();
    const stranger = "0".repeat(26);
    await expect(store.run(`run-${stranger}`)).rejects.toThrow(NotFoundError);
    await expect(store.messages(`conv-${stranger}`)).rejects.toThrow(NotFoundError);
    await expect(store.create(requestFor("go on", `conv-${stranger}`))).rejects.toThrow(NotFoundError);
    await expect(store.approval(`appr-${stranger}`)).rejects.toThrow(NotFoundError);
    await expect(store.revokeGrant(`grant-${stranger}`)).rejects.toThrow(NotFoundError);
  });

  it("turns 'always' into one visible grant, and withdraws what a run that ended still asked for", async () => {
    const store = openStore();
    for (const id of ["1", "2"]) {
      const run = await running(store);
      const approval = approvalFor(run, 1, id);
      await store.append(run.id, [{ type: "approval-requested", step: 1, approval }]);
      await store.steer(run.id, () => [
        { type: "approval-resolved", step: 1, approvalId: approval.id, decision: "always" },
      ]);
      await store.steer(run.id, () => [{ type: "run-ended", outcome: "cancelled" }]);
    }
    const grants = await store.grants();
    expect(grants).toMatchObject([{ skill: "fs_delete", pathPrefix: "out/" }]);
    await store.revokeGrant(grants[0]?.id ?? "");
    expect(await store.grants()).toEqual([]);

    const run = await running(store);
    await store.append(run.id, [{ type: "approval-requested", step: 1, approval: approvalFor(run, 1, "3") }]);
    expect((await store.approvals({ status: "pending", limit: 9 })).total).toBe(1);
    await store.steer(run.id, () => [{ type: "run-ended", outcome: "cancelled" }]);
    expect((await store.approvalsOf(run.id))[0]?.status).toBe("withdrawn");
  });

  it("removes a conversation with its runs, but not while one is under way", async () => {
    const store = openStore();
    const run = await running(store);
    await expect(store.removeConversation(run.conversationId)).rejects.toThrow(ConflictError);
    await store.append(run.id, [ended]);
    await store.removeConversation(run.conversationId);
    await expect(store.run(run.id)).rejects.toThrow(NotFoundError);
    expect(await store.events(run.id, 0, 9)).toEqual([]);
  });

  it("stores none of several events when one of them cannot be stored", async () => {
    const store = openStore();
    const run = await running(store);
    const unknown = {
      type: "approval-resolved",
      step: 1,
      approvalId: `appr-${"0".repeat(26)}`,
      decision: "once",
    } as const;
    await expect(store.append(run.id, [planned(1), unknown])).rejects.toThrow(NotFoundError);
    expect(await store.run(run.id)).toMatchObject({ lastSeq: 1, scratchpad: [] });
    expect((await store.append(run.id, [planned(1)])).run.lastSeq).toBe(2);
  });

  it("never lets a clock that goes backwards end a run before it began", async () => {
    const store = openStore();
    const run = await running(store);
    time -= 60_000;
    expect((await store.append(run.id, [ended])).run.endedAt).toBe(run.updatedAt);
  });
});

describe("runs of several processes", () => {
  it("are carried out by one of them alone", async () => {
    const [one, two] = [open(), open()];
    const run = await running(one);
    await expect(two.append(run.id, [planned(1)])).rejects.toThrow(RunLostError);
    expect(await two.steer(run.id, () => [ended])).toBeUndefined();
    expect(await two.claim({ maxConcurrent: 9, adopt: true })).toBeUndefined();
    await two.requestCancel(run.id);
    expect(await one.cancelRequests()).toEqual([run.id]);
    expect(await two.cancelRequests()).toEqual([]);
  });

  it("keep to one limit together, in the order in which they were asked for", async () => {
    const [one, two] = [open(), open()];
    const first = await running(one);
    const second = await two.create(requestFor("second"));
    const third = await one.create(requestFor("third"));
    const limit = { maxConcurrent: 1, adopt: true };
    expect(await two.claim(limit)).toBeUndefined();
    await one.append(first.id, [ended]);
    expect(await one.claim(limit)).toBeUndefined();
    expect((await two.claim(limit))?.id).toBe(second.id);
    await two.append(second.id, [started(second)]);
    await two.append(second.id, [ended]);
    expect((await one.claim(limit))?.id).toBe(third.id);
  });

  it("become interrupted when the lease of their process passed, and not before", async () => {
    const [one, two] = [open(), open()];
    const run = await running(one);
    time += LEASE_MS - 1;
    expect(await two.interruptLost()).toEqual([]);
    await one.beat();
    time += LEASE_MS - 1;
    expect(await two.interruptLost()).toEqual([]);
    time += 1;
    expect((await two.interruptLost()).map((committed) => committed.run.status)).toEqual(["interrupted"]);
    await expect(one.append(run.id, [planned(1)])).rejects.toThrow(RunLostError);
    expect(await two.run(run.id)).toMatchObject({ status: "interrupted", lastSeq: 2 });
  });

  it("are handed on when their process leaves the queue to others", async () => {
    const [one, two] = [open(), open()];
    const run = await one.create(requestFor("later"));
    expect(await two.claim({ maxConcurrent: 1, adopt: true })).toBeUndefined();
    await one.close();
    expect(await two.claim({ maxConcurrent: 1, adopt: false })).toBeUndefined();
    expect((await two.claim({ maxConcurrent: 1, adopt: true }))?.id).toBe(run.id);
  });

  it("go back to the queue when their process vanished before they began", async () => {
    const [one, two] = [open(), open()];
    const run = await one.create(requestFor("later"));
    await one.claim({ maxConcurrent: 1, adopt: false });
    time += LEASE_MS;
    expect(await two.interruptLost()).toEqual([]);
    expect((await two.claim({ maxConcurrent: 1, adopt: true }))?.id).toBe(run.id);
  });

  it("waits in nobody's hands while a person decides, and goes on where the decision is made", async () => {
    const [one, two] = [open(), open()];
    const run = await running(one);
    const approval = approvalFor(run, 1, "1");
    await one.append(run.id, [{ type: "approval-requested", step: 1, approval }]);
    const decided = await two.steer(run.id, () => [
      { type: "approval-resolved", step: 1, approvalId: approval.id, decision: "once" },
    ]);
    expect(decided?.run.status).toBe("queued");
    expect(await one.claim({ maxConcurrent: 9, adopt: true })).toBeUndefined();
    expect((await two.claim({ maxConcurrent: 9, adopt: false }))?.id).toBe(run.id);
  });

  it("are seen to change through a number that one's own commits leave alone", async () => {
    const [one, two] = [open(), open()];
    const before = two.foreignVersion();
    await two.create(requestFor("mine"));
    expect(two.foreignVersion()).toBe(before);
    await one.create(requestFor("theirs"));
    expect(two.foreignVersion()).not.toBe(before);
  });

  it("is what two processes read alike, also when the other one wrote last", async () => {
    const [one, two] = [open(), open()];
    const run = await running(one);
    await one.append(run.id, [planned(1), began(1)]);
    expect(await two.actionStarted(run.id, 1)).toBe(true);
    expect(await two.actionStarted(run.id, 2)).toBe(false);
    time += LEASE_MS;
    await two.interruptLost();
    await two.steer(run.id, () => [{ type: "run-resumed", reason: "asked for", status: "queued" }]);
    expect(await one.run(run.id)).toEqual(await two.run(run.id));
  });
});
