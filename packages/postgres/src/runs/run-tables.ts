import { z } from "zod";
import { ContextExplanation } from "@metahuman/core/contract/context";
import { RunEvent } from "@metahuman/core/contract/event";
import { Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { CountRow } from "@metahuman/core/database/rows";
import { changedEntries, countSteps, newRun, numberEvents } from "@metahuman/core/runs/run-tables";
import {
  type Committed,
  type RunOccurrence,
  RunRequest,
  type StoredEventBody,
} from "@metahuman/core/runs/run-store";
import { applyEvent } from "@metahuman/core/contract/apply-event";
import { jsonText, type ProfileSession } from "../session.ts";
import { foldText } from "@metahuman/core/text/words";

/** A run with its scratchpad; null if it is the one that this process knows. */
const StoredRow = z.object({
  run: z
    .object({
      head: Run.omit({ scratchpad: true, context: true }),
      context: ContextExplanation.nullable(),
      scratchpad: z.array(ScratchpadEntry),
    })
    .transform(({ head, context, scratchpad }): Run => ({ ...head, ...(context && { context }), scratchpad }))
    .nullable(),
});
const VersionRow = z.object({ version: z.number() });
const EventRow = z.object({ event: RunEvent }).transform((row) => row.event);
const RequestRow = z.object({ request: RunRequest }).transform((row) => row.request);

/**
 * A run, unless its last event is `:known`. When it last started or continued, how its steps were read and what they ask is taken from its events,
 * because versions before these fields, which may work beside this one, refuse them in a summary and in a step.
 */
const RUN = `CASE WHEN :known::integer IS DISTINCT FROM last_seq THEN jsonb_build_object(
    'head', summary || coalesce((
      SELECT jsonb_build_object('runningSince', event -> 'at') FROM run_events e
      WHERE e.profile = :profile AND e.run_id = :id AND (event ->> 'type' = 'run-started'
        OR (event ->> 'type' = 'run-resumed' AND event ->> 'status' = 'running'))
      ORDER BY seq DESC LIMIT 1), '{}'), 'context', context, 'scratchpad', (
      SELECT coalesce(jsonb_agg(entry || coalesce(readings.of -> step::text, '{}') ORDER BY step), '[]')
      FROM run_steps s, (
        SELECT jsonb_object_agg(event ->> 'step', jsonb_strip_nulls(
          jsonb_build_object('reading', event -> 'reading', 'asks', event -> 'asks'))) AS of
        FROM run_events e WHERE e.profile = :profile AND e.run_id = :id
          AND event ->> 'type' = 'step-planned' AND event ?| ARRAY['reading', 'asks']) readings
      WHERE s.profile = :profile AND s.run_id = :id)) END AS run`;

/** The number of cached runs. Others are read again when needed. */
const MAX_CACHED = 64;

/** Runs and their events. Every method runs in the caller's transaction. */
export function runTables() {
  const cache = createRunCache();

  async function get(session: ProfileSession, id: string): Promise<Run> {
    const known = cache.get(id);
    const stored = await session.get(
      StoredRow,
      `SELECT ${RUN} FROM runs WHERE profile = :profile AND id = :id`,
      {
        id,
        known: known?.lastSeq ?? null,
      },
    );
    const run = stored && (stored.run ?? known);
    if (!run) throw new NotFoundError("There is no such run.");
    return run;
  }

  return {
    get,
    /** The run, if it exists, and how often other holders had committed before it was read. */
    async find(
      session: ProfileSession,
      id: string,
      holder: string,
    ): Promise<{ run: Run; version: number } | undefined> {
      const known = cache.get(id);
      const stored = await session.get(
        StoredRow.extend(VersionRow.shape),
        `SELECT ${RUN}, (SELECT coalesce(sum(count), 0)::float8 FROM commits
           WHERE profile = :profile AND holder <> :holder) AS version
         FROM runs WHERE profile = :profile AND id = :id`,
        { id, holder, known: known?.lastSeq ?? null },
      );
      const run = stored && (stored.run ?? known);
      return run && { run, version: stored.version };
    },
    async request(session: ProfileSession, id: string): Promise<RunRequest> {
      const found = await session.get(
        RequestRow,
        "SELECT request FROM runs WHERE profile = :profile AND id = :id",
        { id },
      );
      if (!found) throw new NotFoundError("There is no such run.");
      return found;
    },
    async setRequest(session: ProfileSession, id: string, changed: RunRequest): Promise<void> {
      await session.run("UPDATE runs SET request = :request::jsonb WHERE profile = :profile AND id = :id", {
        id,
        request: jsonText(changed),
      });
    },
    async insert(
      session: ProfileSession,
      head: { id: string; conversationId: string; createdAt: string; owner: string | null },
      request: RunRequest,
    ): Promise<Run> {
      const run = newRun(head, request);
      const { scratchpad: _none, ...summary } = run;
      await session.run(
        `INSERT INTO runs (profile, id, conversation_id, goal_folded, status, summary, request, owner)
         VALUES (:profile, :id, :conversationId, :goal, :status, :summary::jsonb, :request::jsonb, :owner)`,
        {
          id: run.id,
          conversationId: run.conversationId,
          goal: foldText(run.goal),
          status: run.status,
          summary: jsonText(summary),
          request: jsonText(request),
          owner: head.owner,
        },
      );
      return run;
    },
    /** Numbers and stores events, and stores the run after them. */
    async append(
      session: ProfileSession,
      before: Run,
      bodies: readonly StoredEventBody[],
    ): Promise<Committed> {
      const added = numberEvents(before, storable(bodies), session.now);
      await save(session, before, added);
      return added;
    },
    /** Stores numbered events of a run from its first event on, and the resulting run. */
    async applyEvents(session: ProfileSession, queued: Run, past: readonly RunEvent[]): Promise<Run> {
      const run = past.reduce(applyEvent, queued);
      await save(session, queued, { events: [...past], run });
      return run;
    },
    current: cache.current,
    forget: cache.clear,
    cacheRun: cache.set,
    events: (session: ProfileSession, id: string, from: number, limit: number) =>
      session.all(
        EventRow,
        `SELECT event FROM run_events WHERE profile = :profile AND run_id = :id AND seq > :from ORDER BY seq LIMIT :limit`,
        { id, from, limit },
      ),
    async actionStarted(session: ProfileSession, id: string, step: number): Promise<boolean> {
      const row = await session.get(
        CountRow,
        `SELECT count(*)::integer AS count FROM run_events WHERE profile = :profile AND run_id = :id
         AND event ->> 'type' = 'action-started' AND (event -> 'step')::integer = :step`,
        { id, step },
      );
      return (row?.count ?? 0) > 0;
    },
  };
}

/** The runs that were committed last. Without them, each event of a long run would read the whole run again. */
function createRunCache() {
  const runs = new Map<string, { run: Run; version: number | undefined }>();
  return {
    get: (id: string): Run | undefined => runs.get(id)?.run,
    /** The cached run, if it was cached at this version: how often other holders had committed. */
    current(id: string, version: number): Run | undefined {
      const known = runs.get(id);
      return known?.version === version ? known.run : undefined;
    },
    /** Empties the cache, because runs were deleted. */
    clear: (): void => runs.clear(),
    /**
     * Caches the run for the next commit. Call it after the transaction that wrote it has committed; `version` is how often other
     * holders had committed by its end.
     */
    set(run: Run, version?: number): void {
      runs.delete(run.id);
      runs.set(run.id, { run, version });
      const oldest = runs.keys().next().value;
      if (runs.size > MAX_CACHED && oldest !== undefined) runs.delete(oldest);
    },
  };
}

/** Joins the creation of a run with its occurrence, so that neither exists without the other. */
export async function linkOccurrence(
  session: ProfileSession,
  runId: string,
  { scheduleId, dueAt }: RunOccurrence,
): Promise<void> {
  const linked = await session.run(
    `UPDATE occurrences SET run_id = :runId
     WHERE profile = :profile AND schedule_id = :scheduleId AND due_at = :dueAt AND state = 'running' AND run_id IS NULL`,
    { runId, scheduleId, dueAt },
  );
  if (linked === 0) throw new ConflictError("This occurrence has a run already, or is not running.");
}

/** Stores numbered events and the run after them. */
async function save(session: ProfileSession, before: Run, { events, run }: Committed): Promise<void> {
  const eventsSaved = session.run(
    `INSERT INTO run_events (profile, run_id, seq, event)
     SELECT :profile, :id, (event ->> 'seq')::integer, event FROM jsonb_array_elements(:events::jsonb) AS event`,
    { id: run.id, events: jsonText(events) },
  );
  const { scratchpad: _entries, context, runningSince: _since, ...summary } = run;
  const runSaved = session.run(
    `UPDATE runs SET status = :status, steps = :steps, last_seq = :lastSeq, summary = :summary::jsonb,
       context = :context::jsonb WHERE profile = :profile AND id = :id`,
    {
      id: run.id,
      status: run.status,
      steps: countSteps(run),
      lastSeq: run.lastSeq,
      summary: jsonText(summary),
      context: context === undefined ? null : jsonText(context),
    },
  );
  const changed = changedEntries(before, run).map(({ reading: _reading, asks: _asks, ...entry }) => entry);
  const stepsSaved =
    changed.length > 0 &&
    session.run(
      `INSERT INTO run_steps (profile, run_id, step, entry)
     SELECT :profile, :id, (entry ->> 'step')::integer, entry FROM jsonb_array_elements(:entries::jsonb) AS entry
     ON CONFLICT (profile, run_id, step) DO UPDATE SET entry = excluded.entry`,
      { id: run.id, entries: jsonText(changed) },
    );
  await Promise.all([eventsSaved, runSaved, stepsSaved]);
}

const Bodies = z.array(z.custom<StoredEventBody>());

/** Events whose texts the database can store, so that what is sent to subscribers is what is stored. */
function storable(bodies: readonly StoredEventBody[]): readonly StoredEventBody[] {
  const text = JSON.stringify(bodies);
  const clean = jsonText(bodies);
  return clean === text ? bodies : Bodies.parse(JSON.parse(clean));
}
