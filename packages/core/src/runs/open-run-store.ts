import { z } from "zod";
import type { Run } from "../contract/run.ts";
import { openLeaseTable } from "../database/lease-table.ts";
import type { Database } from "../database/open-database.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { ulid } from "../text/ulid.ts";
import { approvalTables } from "./approval-tables.ts";
import { conversationTables } from "./conversation-tables.ts";
import { inspectionTables } from "./inspection-tables.ts";
import {
  RunLostError,
  type ClaimMethods,
  type Committed,
  type ConversationMethods,
  type RunClaim,
  type RunOccurrence,
  type RunStore,
  type StoredEventBody,
} from "./run-store.ts";
import { runClaims, type RunHolder, runList, runTables } from "./run-tables.ts";

// Events on which a side effect or a person's decision depends are flushed to disk before the call returns.
const FLUSHED: ReadonlySet<StoredEventBody["type"]> = new Set<StoredEventBody["type"]>([
  "action-started",
  "observation-made",
  "approval-requested",
  "approval-resolved",
  "question-asked",
  "run-ended",
]);

const VersionRow = z.object({ data_version: z.int() }).transform((row) => row.data_version);

export interface RunStoreOptions {
  clock?: () => Date;
  /** How to treat a request for an unknown conversation: refuse it (default) or create the conversation. */
  unknownConversations?: "refuse" | "make";
}

/** Opens the run store of a profile on its `state.db`, opened with `stateMigrations`. */
export function openRunStore(database: Database, options: RunStoreOptions = {}): RunStore {
  const now = options.clock ?? (() => new Date());
  const tables = openTables(database, now, options.unknownConversations ?? "refuse");
  const { leases, claims, runs, conversations, approvals, inspection } = tables;
  const list = runList(database);
  const version = database.query("PRAGMA data_version", VersionRow);
  const setRunOfOccurrence = database.command(
    "UPDATE occurrences SET run_id = ? WHERE schedule_id = ? AND due_at = ? AND state = 'running' AND run_id IS NULL",
  );
  /** Joins the creation of a run with its occurrence, so that neither exists without the other. */
  const linkOccurrence = (runId: string, { scheduleId, dueAt }: RunOccurrence): void => {
    if (setRunOfOccurrence.run(runId, scheduleId, dueAt).changes === 0)
      throw new ConflictError("This occurrence has a run already, or is not running.");
  };
  const eventWriter = createEventWriter(tables);

  return {
    holder: leases.holder,

    create: async (runRequest) =>
      database.durably(() => {
        leases.renew();
        const at = now().toISOString();
        const { goal, conversationId: named } = runRequest.request;
        const conversationId = conversations.open(named, goal, at);
        const id = `run-${ulid()}`;
        const run = runs.insert({ id, conversationId, createdAt: at, owner: leases.holder }, runRequest);
        conversations.addMessage({ conversationId, runId: id, role: "person", text: goal, at });
        if (runRequest.occurrence) linkOccurrence(id, runRequest.occurrence);
        return run;
      }),
    hasRun: async (runId) => claims.of(runId) !== undefined,
    run: async (runId) => runs.get(runId),
    request: async (runId) => runs.request(runId),
    runs: async (query) => list.page(query),
    unfinishedRuns: async (limit) => list.unfinishedRuns(limit),
    latest: async (limit) => list.latest(limit),
    events: async (runId, from, limit) => runs.events(runId, from, limit),
    actionStarted: async (runId, step) => runs.actionStarted(runId, step),
    externalVersion: async () => version.get() ?? 0,

    recordModelCall: async (claim, call) =>
      database.transaction(() => {
        requireNewestClaim(tables, claim);
        inspection.addCall(claim.runId, call);
      }),
    modelCalls: async (runId) => inspection.calls(runId),
    giveFeedback: async (runId, feedback) =>
      database.durably(() => {
        runs.get(runId);
        inspection.setFeedback(runId, feedback);
      }),
    feedback: async (runId) => inspection.feedback(runId),

    ...writeMethods(tables, eventWriter),
    ...claimMethods(tables, eventWriter),
    ...conversationMethods(database, conversations),
    ...approvalMethods(database, approvals),

    close: async () =>
      database.transaction(() => {
        claims.releaseQueued();
        leases.release();
      }),
  };
}

type Tables = ReturnType<typeof openTables>;

function openTables(
  database: Database,
  now: () => Date,
  unknownConversations: NonNullable<RunStoreOptions["unknownConversations"]>,
) {
  const leases = openLeaseTable(database, now);
  return {
    database,
    leases,
    claims: runClaims(database, leases.holder),
    runs: runTables(database, now),
    conversations: conversationTables(database, unknownConversations),
    approvals: approvalTables(database),
    inspection: inspectionTables(database),
  };
}

/** Throws `RunLostError` unless this is the run's newest claim. */
function requireNewestClaim({ claims }: Tables, { runId, fence }: RunClaim): RunHolder {
  const holder = claims.of(runId);
  if (holder?.fence !== fence) throw new RunLostError(runId);
  return holder;
}

/** Throws `RunLostError` unless this is the newest claim, it belongs to this holder, and the run is in progress. */
function requireOwnClaim(tables: Tables, claim: RunClaim): void {
  const { claimed, owner } = requireNewestClaim(tables, claim);
  if (!claimed || owner !== tables.leases.holder) throw new RunLostError(claim.runId);
}

/** Writes the events of runs with what follows from them. */
function createEventWriter({ database, claims, runs, conversations, approvals }: Tables) {
  /** Requires a transaction. */
  function write(before: Run, bodies: readonly StoredEventBody[]): Committed {
    const committed = runs.append(before, bodies);
    for (const event of committed.events) {
      approvals.applyEvent(event);
      if (event.type === "answer-completed") {
        conversations.addMessage({
          conversationId: before.conversationId,
          runId: before.id,
          role: "operator",
          text: event.text,
          at: event.at,
        });
      }
    }
    return committed;
  }

  return {
    write,
    /** Runs the work in a transaction, which is flushed to disk if one of the events requires it. */
    commit: <Result>(bodies: readonly StoredEventBody[], work: () => Result): Result =>
      bodies.some((body) => FLUSHED.has(body.type)) ? database.durably(work) : database.transaction(work),
    /** Keeps a committed run in the cache. Called after its transaction. */
    cacheRun(committed: Committed): Committed {
      runs.cacheRun(committed.run);
      return committed;
    },
    /** Takes a claimed run from a holder whose lease has expired. Requires a transaction. */
    takeBack({ id, status }: RunHolder): Committed | undefined {
      claims.revoke(id);
      // A claimed run that has not started only returns to the queue.
      if (status !== "running") return undefined;
      return write(runs.get(id), [
        { type: "run-interrupted", reason: "The process that executed it has ended." },
      ]);
    },
  };
}

type EventWriter = ReturnType<typeof createEventWriter>;

function writeMethods(
  tables: Tables,
  { write, commit, cacheRun, takeBack }: EventWriter,
): Pick<RunStore, "append" | "confirmClaim" | "idleRun" | "commitIdle"> {
  const { database, leases, claims, runs } = tables;
  const isLive = (owner: string | null) => owner !== null && leases.live().has(owner);
  return {
    append: async (claim, bodies) =>
      cacheRun(
        commit(bodies, () => {
          const { runId } = claim;
          requireOwnClaim(tables, claim);
          const committed = write(runs.get(runId), bodies);
          if (committed.run.status !== "running") claims.finish(runId);
          return committed;
        }),
      ),
    confirmClaim: async (claim) => requireOwnClaim(tables, claim),
    async idleRun(runId) {
      if (!claims.of(runId)?.claimed) return { events: [], run: runs.get(runId) };
      const idle = database.durably(() => {
        const holder = claims.of(runId);
        if (holder?.claimed && isLive(holder.owner)) return undefined;
        return (holder?.claimed && takeBack(holder)) || { events: [], run: runs.get(runId) };
      });
      return idle && cacheRun(idle);
    },
    async commitIdle(runId, { after, bodies, identity }) {
      const committed = database.durably(() => {
        const before = runs.get(runId);
        if (claims.of(runId)?.claimed || before.lastSeq !== after) return undefined;
        leases.renew();
        if (identity) runs.setRequest(runId, { ...runs.request(runId), identity });
        const written = write(before, bodies);
        if (written.run.status === "queued") claims.enqueue(runId);
        else claims.finish(runId);
        return written;
      });
      return committed && cacheRun(committed);
    },
  };
}

function claimMethods(
  { database, leases, claims, runs }: Tables,
  { cacheRun, takeBack }: EventWriter,
): ClaimMethods {
  return {
    async claim(options) {
      // Usually no run is queued; that case must not write.
      if (claims.claimedAndQueued().every((run) => run.claimed)) return undefined;
      return database.transaction(() => {
        leases.renew();
        const next = claims.next(leases.live(), options);
        if (!next) return undefined;
        const fence = claims.claim(next.id);
        return { run: runs.get(next.id), claim: { runId: next.id, fence } };
      });
    },
    releaseQueued: async () => database.transaction(() => claims.releaseQueued()),
    requestCancel: async (runId) => database.transaction(() => claims.requestCancel(runId)),
    cancelRequests: async () => claims.cancelRequests(),
    hasQueuedRuns: async () => claims.ofThisHolder().some((run) => !run.claimed),
    async renewLease() {
      if (claims.ofThisHolder().length > 0) database.transaction(() => leases.renew());
    },
    async interruptLost() {
      const lostClaims = (live: ReadonlySet<string>) =>
        claims
          .claimedAndQueued()
          .filter((run) => run.claimed && (run.owner === null || !live.has(run.owner)));
      if (lostClaims(leases.live()).length === 0) return [];
      return database
        .durably(() => lostClaims(leases.live()).flatMap((run) => takeBack(run) ?? []))
        .map(cacheRun);
    },
  };
}

function conversationMethods(
  database: Database,
  conversations: ReturnType<typeof conversationTables>,
): ConversationMethods {
  return {
    hasConversation: async (id) => conversations.has(id),
    conversation: async (id) => conversations.get(id),
    conversations: async (query) => conversations.list(query),
    messages: async (conversationId, { limit = -1, beforeRun } = {}) =>
      conversations.messages(conversations.get(conversationId).id, limit, beforeRun),
    turns: async (conversationId, { limit, beforeRun }) =>
      conversations.turns(conversations.get(conversationId).id, limit, beforeRun),
    saveSummary: async (conversationId, { text, through }) =>
      database.transaction(() => conversations.summarize(conversationId, text, through)),
    renameConversation: async (id, title) => database.transaction(() => conversations.rename(id, title)),
    replaceTitle: async (id, titles) => database.transaction(() => conversations.replaceTitle(id, titles)),
    pinConversation: async (id, pinned) => database.transaction(() => conversations.pin(id, pinned)),
    removeConversation: async (id) => database.transaction(() => conversations.remove(id)),
  };
}

function approvalMethods(
  database: Database,
  approvals: ReturnType<typeof approvalTables>,
): Pick<RunStore, "approval" | "approvals" | "approvalsOf" | "grants" | "revokeGrant"> {
  return {
    approval: async (id) => approvals.get(id),
    approvals: async (query) => approvals.list(query),
    approvalsOf: async (runId) => approvals.ofRun(runId),
    grants: async () => approvals.grants(),
    revokeGrant: async (id) => database.transaction(() => approvals.revokeGrant(id)),
  };
}

/**
 * A run store that only this process uses, and that `open` opens with its first run. Until then, it answers as an empty one, so that a
 * profile that never uses it pays nothing for it.
 */
export function runStoreWhenUsed(open: () => RunStore): RunStore {
  let opened: RunStore | undefined;
  const use = (): RunStore => (opened ??= open());
  return {
    get holder() {
      return use().holder;
    },
    create: async (request) => await use().create(request),
    hasRun: async (runId) => (await opened?.hasRun(runId)) ?? false,
    run: async (runId) => await use().run(runId),
    request: async (runId) => await use().request(runId),
    runs: async (query) => await use().runs(query),
    unfinishedRuns: async (limit) => (await opened?.unfinishedRuns(limit)) ?? [],
    latest: async (limit) => (await opened?.latest(limit)) ?? [],
    events: async (runId, from, limit) => await use().events(runId, from, limit),
    actionStarted: async (runId, step) => await use().actionStarted(runId, step),

    append: async (claim, bodies) => await use().append(claim, bodies),
    confirmClaim: async (claim) => await use().confirmClaim(claim),
    idleRun: async (runId) => await use().idleRun(runId),
    commitIdle: async (runId, change) => await use().commitIdle(runId, change),

    claim: async (options) => await opened?.claim(options),
    releaseQueued: async () => await opened?.releaseQueued(),
    requestCancel: async (runId) => await use().requestCancel(runId),
    cancelRequests: async () => (await opened?.cancelRequests()) ?? [],
    hasQueuedRuns: async () => (await opened?.hasQueuedRuns()) ?? false,
    renewLease: async () => await opened?.renewLease(),
    interruptLost: async () => (await opened?.interruptLost()) ?? [],
    externalVersion: async () => (await opened?.externalVersion()) ?? 0,

    recordModelCall: async (claim, call) => await use().recordModelCall(claim, call),
    modelCalls: async (runId) => await use().modelCalls(runId),
    giveFeedback: async (runId, feedback) => await use().giveFeedback(runId, feedback),
    feedback: async (runId) => await use().feedback(runId),

    hasConversation: async (id) => (await opened?.hasConversation(id)) ?? false,
    conversation: async (id) => await use().conversation(id),
    conversations: async (query) =>
      (await opened?.conversations(query)) ?? { items: [], nextCursor: null, total: 0 },
    messages: async (conversationId, options) => await use().messages(conversationId, options),
    turns: async (conversationId, options) => await use().turns(conversationId, options),
    saveSummary: async (conversationId, summary) => await use().saveSummary(conversationId, summary),
    renameConversation: async (id, title) => await use().renameConversation(id, title),
    replaceTitle: async (id, titles) => await use().replaceTitle(id, titles),
    pinConversation: async (id, pinned) => await use().pinConversation(id, pinned),
    removeConversation: async (id) => await use().removeConversation(id),

    approval: async (id) => await use().approval(id),
    approvals: async (query) => await use().approvals(query),
    approvalsOf: async (runId) => await use().approvalsOf(runId),
    grants: async () => await use().grants(),
    revokeGrant: async (id) => await use().revokeGrant(id),

    close: async () => await opened?.close(),
  };
}
