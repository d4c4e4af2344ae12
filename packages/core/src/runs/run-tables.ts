import { z } from "zod";
import { applyEvent, queuedRun } from "../contract/apply-event.ts";
import { ContextExplanation } from "../contract/context.ts";
import { RunEvent } from "../contract/event.ts";
import type { Page } from "../contract/http.ts";
import { RunStatusSummary } from "../contract/live-updates.ts";
import { Run, type RunSummary, ScratchpadEntry } from "../contract/run.ts";
import type { Database } from "../database/open-database.ts";
import { CountRow, decodeCursor, jsonColumn, likePattern, pageOf } from "../database/rows.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { firstRunIdAt } from "../text/ulid.ts";
import { foldText } from "../text/words.ts";
import { type Committed, type RunQuery, RunRequest, type StoredEventBody } from "./run-store.ts";

const StoredSummary = Run.omit({ scratchpad: true, context: true });
const SummaryRow = z
  .object({ summary: jsonColumn(StoredSummary), context: jsonColumn(ContextExplanation).nullable() })
  .transform(({ summary, context }) => (context === null ? summary : { ...summary, context }));
const EntryRow = z.object({ entry: jsonColumn(ScratchpadEntry) }).transform((row) => row.entry);
const EventRow = z.object({ event: jsonColumn(RunEvent) }).transform((row) => row.event);
const RequestRow = z.object({ request: jsonColumn(RunRequest) }).transform((row) => row.request);

/**
 * The maximum number of cached runs. Without the cache, each event reads its run again, and a step of a run with eight steps
 * takes twice as long.
 */
const MAX_CACHED = 64;

function prepareStatements(database: Database) {
  return {
    summary: database.query("SELECT summary, context FROM runs WHERE id = ?", SummaryRow),
    entries: database.query("SELECT entry FROM run_steps WHERE run_id = ? ORDER BY step", EntryRow),
    seqOf: database.query("SELECT last_seq AS count FROM runs WHERE id = ?", CountRow),
    request: database.query("SELECT request FROM runs WHERE id = ?", RequestRow),
    setRequest: database.command("UPDATE runs SET request = ? WHERE id = ?"),
    insert: database.command(
      `INSERT INTO runs (id, conversation_id, goal_folded, status, steps, last_seq, summary, request, owner)
       VALUES (?, ?, ?, ?, 0, 0, ?, ?, ?)`,
    ),
    update: database.command(
      "UPDATE runs SET status = ?, steps = ?, last_seq = ?, summary = ?, context = ? WHERE id = ?",
    ),
    saveEntry: database.command(
      "INSERT INTO run_steps (run_id, step, entry) VALUES (?, ?, ?) ON CONFLICT (run_id, step) DO UPDATE SET entry = excluded.entry",
    ),
    insertEvent: database.command("INSERT INTO run_events (run_id, seq, event) VALUES (?, ?, ?)"),
    events: database.query(
      "SELECT event FROM run_events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?",
      EventRow,
    ),
    started: database.query(
      `SELECT count(*) AS count FROM run_events
       WHERE run_id = ? AND event ->> 'type' = 'action-started' AND event ->> 'step' = ?`,
      CountRow,
    ),
  };
}

/** A queued run for a request. */
export function newRun(
  { id, conversationId, createdAt }: Pick<Run, "id" | "conversationId" | "createdAt">,
  { request, continues }: RunRequest,
): Run {
  const { goal, agentId = "operator" } = request;
  return queuedRun({
    id,
    conversationId,
    agentId,
    goal,
    createdAt,
    ...(continues !== undefined && { continues }),
  });
}

/** Numbers events and applies them to the run. */
export function numberEvents(before: Run, bodies: readonly StoredEventBody[], now: Date): Committed {
  let run = before;
  const events = bodies.map((body) => {
    // The clock may go backwards, but no event may precede an earlier one.
    const time = now.toISOString();
    const at = time > run.updatedAt ? time : run.updatedAt;
    const event: RunEvent = { ...body, runId: run.id, seq: run.lastSeq + 1, at };
    run = applyEvent(run, event);
    return event;
  });
  return { events, run };
}

/** The entries of the scratchpad that events added or replaced; none is ever removed. */
export function changedEntries(before: Run, after: Run): ScratchpadEntry[] {
  return after.scratchpad.filter((entry, index) => entry !== before.scratchpad[index]);
}

/** The number of steps with an action. */
export function countSteps({ scratchpad }: Run): number {
  return scratchpad.filter((entry) => entry.action !== undefined).length;
}

/** Runs and their events. Methods that write require the caller's transaction. */
export function runTables(database: Database, now: () => Date) {
  const {
    summary: summaryOf,
    entries,
    seqOf,
    request,
    setRequest,
    insert,
    update,
    saveEntry,
    insertEvent,
    events,
    started,
  } = prepareStatements(database);
  const cache = new Map<string, Run>();
  const cacheRun = (run: Run): void => {
    cache.delete(run.id);
    cache.set(run.id, run);
    const oldest = cache.keys().next().value;
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  };

  const get = (id: string): Run => {
    const seq = seqOf.get(id)?.count;
    if (seq === undefined) throw new NotFoundError("There is no such run.");
    const known = cache.get(id);
    if (known?.lastSeq === seq) return known;
    const found = summaryOf.get(id);
    if (!found) throw new NotFoundError("There is no such run.");
    return { ...found, scratchpad: entries.all(id) };
  };

  const save = (before: Run, after: Run): void => {
    const { scratchpad: _entries, context, ...summary } = after;
    const explained = context === undefined ? null : JSON.stringify(context);
    update.run(after.status, countSteps(after), after.lastSeq, JSON.stringify(summary), explained, after.id);
    for (const entry of changedEntries(before, after))
      saveEntry.run(after.id, entry.step, JSON.stringify(entry));
  };

  return {
    get,
    request(id: string): RunRequest {
      const found = request.get(id);
      if (!found) throw new NotFoundError("There is no such run.");
      return found;
    },
    setRequest: (id: string, changed: RunRequest) => void setRequest.run(JSON.stringify(changed), id),
    insert(
      known: { id: string; conversationId: string; createdAt: string; owner: string | null },
      runRequest: RunRequest,
    ): Run {
      const run = newRun(known, runRequest);
      const { scratchpad: _none, ...summary } = run;
      insert.run(
        run.id,
        run.conversationId,
        foldText(run.goal),
        run.status,
        JSON.stringify(summary),
        JSON.stringify(runRequest),
        known.owner,
      );
      return run;
    },
    /** Numbers and stores events, and stores the run after them. */
    append(before: Run, bodies: readonly StoredEventBody[]): Committed {
      const added = numberEvents(before, bodies, now());
      for (const event of added.events) insertEvent.run(before.id, event.seq, JSON.stringify(event));
      save(before, added.run);
      return added;
    },
    /**
     * Stores all events of a run that has none, and the run after them. They must be numbered from 1 without gaps, which
     * `validateCopy` checks.
     */
    applyEvents(queued: Run, past: readonly RunEvent[]): Run {
      const run = past.reduce(applyEvent, queued);
      for (const event of past) insertEvent.run(run.id, event.seq, JSON.stringify(event));
      save(queued, run);
      return run;
    },
    /** Caches the run for the next commit. Call it after the transaction has committed. */
    cacheRun,
    events: (id: string, from: number, limit: number) => events.all(id, from, limit),
    actionStarted: (id: string, step: number) => (started.get(id, step)?.count ?? 0) > 0,
  };
}

const ListedRow = z
  .object({ summary: jsonColumn(StoredSummary), steps: z.int() })
  .transform((row): RunSummary => ({ ...row.summary, steps: row.steps }));
const StatusRow = z
  .object({ id: z.string(), conversation_id: z.string(), status: z.string(), last_seq: z.int() })
  .transform((row) => ({
    id: row.id,
    conversationId: row.conversation_id,
    status: row.status,
    lastSeq: row.last_seq,
  }))
  .pipe(RunStatusSummary);

/** Lists runs without their events, ordered by id and therefore by time. */
export function runList(database: Database) {
  const unfinishedRuns = database.query(
    `SELECT summary, steps FROM runs WHERE status IN ('queued', 'running', 'waiting', 'interrupted')
     ORDER BY id DESC LIMIT ?`,
    ListedRow,
  );
  const latest = database.query(
    "SELECT id, conversation_id, status, last_seq FROM runs ORDER BY id DESC LIMIT ?",
    StatusRow,
  );

  // One statement per combination of filters, because a combined one would use no index.
  const prepared = new Map<string, ReturnType<typeof prepare>>();
  function prepare(conditions: readonly string[], rest: string) {
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    return {
      rows: database.query(`SELECT summary, steps FROM runs ${where} ${rest}`, ListedRow),
      count: database.query(`SELECT count(*) AS count FROM runs ${where}`, CountRow),
    };
  }
  function statements(conditions: readonly string[], rest: string) {
    const key = [...conditions, rest].join();
    const known = prepared.get(key) ?? prepare(conditions, rest);
    prepared.set(key, known);
    return known;
  }

  return {
    unfinishedRuns: (limit: number) => unfinishedRuns.all(limit),
    latest: (limit: number) => latest.all(limit),
    page({ status, conversationId, query, from, until, sort, limit, cursor }: RunQuery): Page<RunSummary> {
      const words = query?.trim();
      const [last] = cursor === undefined ? [] : decodeCursor(cursor, 1);
      const parameters = {
        status,
        conversationId,
        words: words && likePattern(words),
        from: from && firstRunIdAt(from),
        until: until && firstRunIdAt(until),
        last,
        limit: limit + 1,
      };
      const conditions = [
        ...(status === undefined ? [] : ["status = :status"]),
        ...(conversationId === undefined ? [] : ["conversation_id = :conversationId"]),
        ...(words ? ["goal_folded LIKE :words ESCAPE '\\'"] : []),
        ...(from === undefined ? [] : ["id >= :from"]),
        ...(until === undefined ? [] : ["id < :until"]),
      ];
      const [order, beyond] = sort === "oldest" ? ["ASC", "id > :last"] : ["DESC", "id < :last"];
      const rest = `ORDER BY id ${order} LIMIT :limit`;
      const { count } = statements(conditions, rest);
      const { rows } = statements(last === undefined ? conditions : [...conditions, beyond], rest);
      return pageOf(rows.all(parameters), {
        limit,
        total: count.get(parameters)?.count ?? 0,
        keys: (item) => [item.id],
      });
    },
  };
}

const IdRow = z.object({ id: z.string() }).transform((row) => row.id);
const HolderRow = z
  .object({
    id: z.string(),
    conversationId: z.string(),
    owner: z.string().nullable(),
    claimed: z.int(),
    fence: z.int(),
    status: z.string(),
  })
  .transform((row) => ({ ...row, claimed: row.claimed === 1 }));
export type RunHolder = z.output<typeof HolderRow>;

/**
 * Returns the next run that the holder may claim, from the claimed and queued runs. Runs are claimed in the order of their
 * requests, whichever process queued them, and those of a conversation one after another. Runs of holders with an expired lease do not count as running.
 */
export function nextToClaim<Claimable extends Pick<RunHolder, "id" | "conversationId" | "owner" | "claimed">>(
  claimedAndQueued: readonly Claimable[],
  {
    live,
    holder,
    maxConcurrent,
    adopt,
  }: { live: ReadonlySet<string>; holder: string; maxConcurrent: number; adopt: boolean },
): Claimable | undefined {
  const isLive = (run: Claimable) => run.owner !== null && live.has(run.owner);
  const busy = new Set<string>();
  let taken = 0;
  for (const run of claimedAndQueued.toSorted(
    (a, b) => Number(b.claimed) - Number(a.claimed) || (a.id < b.id ? -1 : 1),
  )) {
    if (taken >= maxConcurrent) return undefined;
    if (!run.claimed && busy.has(run.conversationId)) continue;
    if (!run.claimed && (run.owner === holder || (adopt && !isLive(run)))) return run;
    if (!isLive(run)) continue;
    taken += 1;
    busy.add(run.conversationId);
  }
  return undefined;
}

/** Records which process owns which run. Methods that write require the caller's transaction. */
export function runClaims(database: Database, holder: string) {
  const holderOf = database.query(
    "SELECT id, conversation_id AS conversationId, owner, claimed, fence, status FROM runs WHERE id = ?",
    HolderRow,
  );
  const claimedAndQueued = database.query(
    "SELECT id, conversation_id AS conversationId, owner, claimed, fence, status FROM runs WHERE claimed = 1 OR status = 'queued' ORDER BY id",
    HolderRow,
  );
  const setOwner = database.command(
    "UPDATE runs SET owner = ?, claimed = 0, cancel_requested = 0 WHERE id = ?",
  );
  const claim = database.query(
    "UPDATE runs SET owner = ?, claimed = 1, cancel_requested = 0, fence = fence + 1 WHERE id = ? RETURNING fence",
    z.object({ fence: z.int() }),
  );
  const revoke = database.command(
    "UPDATE runs SET owner = NULL, claimed = 0, cancel_requested = 0, fence = fence + 1 WHERE id = ?",
  );
  const releaseQueued = database.command("UPDATE runs SET owner = NULL WHERE owner = ? AND claimed = 0");
  const requestCancel = database.command("UPDATE runs SET cancel_requested = 1 WHERE id = ? AND claimed = 1");
  const cancelled = database.query(
    "SELECT id FROM runs WHERE owner = ? AND claimed = 1 AND cancel_requested = 1",
    IdRow,
  );

  return {
    of: (runId: string): RunHolder | undefined => holderOf.get(runId),
    /** Claimed and queued runs, oldest first. */
    claimedAndQueued: (): RunHolder[] => claimedAndQueued.all(),
    ofThisHolder: (): RunHolder[] => claimedAndQueued.all().filter((run) => run.owner === holder),
    next: (
      live: ReadonlySet<string>,
      options: { maxConcurrent: number; adopt: boolean },
    ): RunHolder | undefined => nextToClaim(claimedAndQueued.all(), { ...options, live, holder }),
    /** Claims the run for this holder and returns the number of the claim. */
    claim(runId: string): number {
      const claimed = claim.get(holder, runId);
      if (!claimed) throw new NotFoundError("There is no such run.");
      return claimed.fence;
    },
    enqueue: (runId: string) => void setOwner.run(holder, runId),
    /** Releases the run. Later records of its holder are still accepted. */
    finish: (runId: string) => void setOwner.run(null, runId),
    /** Takes the run from its holder, whose later writes are rejected. */
    revoke: (runId: string) => void revoke.run(runId),
    releaseQueued: () => void releaseQueued.run(holder),
    requestCancel: (runId: string) => void requestCancel.run(runId),
    cancelRequests: () => cancelled.all(holder),
  };
}
