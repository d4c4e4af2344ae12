import { z } from "zod";
import {
  type AgentLogLevel,
  AgentLogLine,
  type AgentName,
  type AgentRun,
  type AgentTrigger,
} from "../contract/agents.ts";
import { LEASE_MS, openLeaseTable } from "../database/lease-table.ts";
import type { Database } from "../database/open-database.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { redactText } from "../log/redact.ts";
import { CountRow, decodeCursor, jsonColumn, likePattern, pageOf } from "../database/rows.ts";
import { ulid } from "../text/ulid.ts";
import { AgentRunRow, RUN_FIELDS } from "./agent-run-row.ts";
import type { Page } from "../contract/http.ts";

/** Leases with less remaining time are renewed, in milliseconds. */
export const RENEW_BELOW_MS = (7 / 8) * LEASE_MS;

/** The number of runs kept for each agent, with their log. */
export const MAX_RUNS = 200;
/** The number of problems kept for each run. */
const MAX_PROBLEMS = 100;
/** The maximum length of a log line, in characters. */
const MAX_LINE = 2_000;

const LOG_FILTER = `agent = :agent AND (:run IS NULL OR run_id = :run)
  AND (:words IS NULL OR line ->> '$.message' LIKE :words ESCAPE '\\')`;
const OwnerRow = z.object({
  owner: z.string(),
  stop_requested: z.int(),
  status: z.string(),
});
const LineRow = z.object({ seq: z.int(), run_id: z.string(), line: jsonColumn(AgentLogLine) });
export const AgentRow = z.object({ since: z.string(), memo: jsonColumn(z.unknown()).nullable() });

/** Opens the agent store of a profile on its `state.db`, opened with `stateMigrations`. */
export function openAgentStore(
  database: Database,
  { clock = () => new Date() }: { clock?: () => Date } = {},
): AgentStore {
  const leases = openLeaseTable(database, clock);
  const { byId, running, lastEnded, ownerById, insert, finish, askToStop, prune } = runStatements(database);
  const log = openAgentLog(database, clock);
  const agentRow = database.query("SELECT since, memo FROM agents WHERE name = ?", AgentRow);
  const insertAgent = database.command(
    "INSERT INTO agents (name, since) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
  );
  const setMemo = database.command("UPDATE agents SET memo = ? WHERE name = ?");

  function agentOf(agent: AgentName): z.output<typeof AgentRow> {
    const found = agentRow.get(agent);
    if (found) return found;
    const since = clock().toISOString();
    database.transaction(() => insertAgent.run(agent, since));
    return agentRow.get(agent) ?? { since, memo: null };
  }

  function runOf(id: string): AgentRun {
    const found = byId.get(id);
    if (!found) throw new NotFoundError("There is no such agent run.");
    return found;
  }

  function isLost(id: string): boolean {
    const owner = ownerById.get(id);
    if (owner?.status !== "running" || owner.owner === leases.holder) return false;
    return !leases.live().has(owner.owner);
  }

  /** Throws `AgentRunLostError` unless the run is active. Called inside the transaction that writes for it. */
  function requireActive(id: string): void {
    if (runOf(id).status !== "running") throw new AgentRunLostError(id);
  }

  /** Returns the active run. A run whose holder's lease has expired becomes interrupted. */
  function currentOf(agent: AgentName): AgentRun | undefined {
    const found = running.get(agent);
    if (!found || !isLost(found.id)) return found;
    database.transaction(() => {
      if (isLost(found.id))
        finish.run("interrupted", clock().toISOString(), "Its process has ended.", null, found.id);
    });
    return running.get(agent);
  }

  return {
    async begin(agent, trigger) {
      agentOf(agent);
      return database.transaction(() => {
        const other = currentOf(agent);
        if (other)
          throw new ConflictError(`The ${agent} is already running.`, { context: { runId: other.id } });
        const id = `job-${ulid()}`;
        const at = clock().toISOString();
        leases.renew();
        insert.run(id, agent, trigger, at, leases.holder);
        prune.run(agent, agent, MAX_RUNS);
        return runOf(id);
      });
    },
    async renewLease(runId) {
      const owner = ownerById.get(runId);
      if (owner?.status !== "running" || owner.owner !== leases.holder) return true;
      if (leases.remaining() < RENEW_BELOW_MS) database.transaction(() => leases.renew());
      return owner.stop_requested === 1;
    },
    async end(runId, { status, summary, problems }) {
      const storedEnd = endColumns({ summary, problems });
      return database.transaction(() => {
        const { changes } = finish.run(
          status,
          clock().toISOString(),
          storedEnd.summary,
          storedEnd.problems,
          runId,
        );
        const run = runOf(runId);
        if (changes > 0 && status === "failed") log.write(run, "error", summary ?? "The run failed.");
        return run;
      });
    },
    note: async (runId, level, message) =>
      database.transaction(() => {
        requireActive(runId);
        log.write(runOf(runId), level, message);
      }),
    async requestStop(agent) {
      const found = currentOf(agent);
      if (found) database.transaction(() => askToStop.run(found.id));
      return found;
    },
    run: async (runId) => runOf(runId),
    current: async (agent) => currentOf(agent),
    last: async (agent) => lastEnded.get(agent),
    log: async (agent, query) => log.page(agent, query),
    memo: async (agent) => agentOf(agent).memo ?? undefined,
    async saveMemo(runId, memo) {
      const { agent } = runOf(runId);
      database.transaction(() => {
        requireActive(runId);
        setMemo.run(JSON.stringify(memo), agent);
      });
    },
  };
}

/** What is stored of a run's end: the summary without secrets, and the first problems as JSON. */
export function endColumns({
  summary,
  problems,
}: {
  summary?: string | undefined;
  problems?: AgentRun["problems"] | undefined;
}) {
  return {
    summary: summary === undefined ? null : redactText(summary),
    problems: problems?.length ? JSON.stringify(problems.slice(0, MAX_PROBLEMS)) : null,
  };
}

/** A log line without secrets, cut to its maximum length. */
export function logLine(
  runId: string,
  { at, level, message }: { at: Date; level: AgentLogLevel; message: string },
): AgentLogLine {
  const text = redactText(message).slice(0, MAX_LINE).toWellFormed();
  return { runId, at: at.toISOString(), level, message: text };
}

function runStatements(database: Database) {
  return {
    byId: database.query(`SELECT ${RUN_FIELDS} FROM agent_runs WHERE id = ?`, AgentRunRow),
    running: database.query(
      `SELECT ${RUN_FIELDS} FROM agent_runs WHERE agent = ? AND status = 'running'`,
      AgentRunRow,
    ),
    lastEnded: database.query(
      `SELECT ${RUN_FIELDS} FROM agent_runs WHERE agent = ? AND status <> 'running' ORDER BY id DESC LIMIT 1`,
      AgentRunRow,
    ),
    ownerById: database.query("SELECT owner, stop_requested, status FROM agent_runs WHERE id = ?", OwnerRow),
    insert: database.command(
      "INSERT INTO agent_runs (id, agent, trigger, status, started_at, owner) VALUES (?, ?, ?, 'running', ?, ?)",
    ),
    finish: database.command(
      "UPDATE agent_runs SET status = ?, ended_at = ?, summary = ?, problems = ? WHERE id = ? AND status = 'running'",
    ),
    askToStop: database.command("UPDATE agent_runs SET stop_requested = 1 WHERE id = ?"),
    prune: database.command(
      "DELETE FROM agent_runs WHERE agent = ? AND id NOT IN (SELECT id FROM agent_runs WHERE agent = ? ORDER BY id DESC LIMIT ?)",
    ),
  };
}

/** The log of all agents. */
function openAgentLog(database: Database, clock: () => Date) {
  const addLine = database.command("INSERT INTO agent_log (agent, run_id, line) VALUES (?, ?, ?)");
  const lines = database.query(
    // Ordered by run, because restored lines are inserted after newer ones.
    `SELECT seq, run_id, line FROM agent_log WHERE ${LOG_FILTER}
     AND (:before IS NULL OR (run_id, seq) < (:before, :beforeSeq)) ORDER BY run_id DESC, seq DESC LIMIT :limit`,
    LineRow,
  );
  const lineCount = database.query(`SELECT COUNT(*) AS count FROM agent_log WHERE ${LOG_FILTER}`, CountRow);

  return {
    /** Writes a line without secrets. Requires a transaction. */
    write({ id, agent }: AgentRun, level: AgentLogLevel, message: string): void {
      addLine.run(agent, id, JSON.stringify(logLine(id, { at: clock(), level, message })));
    },
    /** A page of lines, newest first. */
    page(agent: AgentName, { limit, cursor, runId, query }: AgentLogQuery): Page<AgentLogLine> {
      const [before, seq] = cursor === undefined ? [null, null] : decodeCursor(cursor, 2);
      const filter = { agent, run: runId ?? null, words: query === undefined ? null : likePattern(query) };
      const rows = lines.all({ ...filter, before, beforeSeq: Number(seq), limit: limit + 1 });
      const total = lineCount.get(filter)?.count ?? 0;
      const page = pageOf(rows, { limit, total, keys: ({ run_id, seq }) => [run_id, String(seq)] });
      return { ...page, items: page.items.map(({ line }) => line) };
    },
  };
}

export interface AgentLogQuery {
  limit: number;
  cursor?: string;
  runId?: string;
  /** Filters by message. */
  query?: string;
}

export type AgentEnd = Pick<AgentRun, "summary" | "problems"> & { status: "finished" | "failed" | "stopped" };

/**
 * Stores the runs, logs and memos of a profile's agents. At most one run of
 * an agent is active across all processes. Its holder renews a lease. When the lease expires by the store's clock, the run is
 * `interrupted`, and later writes of its process throw `AgentRunLostError`.
 */
export interface AgentStore {
  /** Throws `ConflictError` while the agent runs in any process. */
  begin(agent: AgentName, trigger: AgentTrigger): Promise<AgentRun>;
  /** Renews the lease. Resolves to true if a stop was requested or the run no longer belongs to this process. */
  renewLease(runId: string): Promise<boolean>;
  /** Ends a run and logs the reason of a failure. Does not change a run that has ended. */
  end(runId: string, end: AgentEnd): Promise<AgentRun>;
  /** Writes a log line. Throws `AgentRunLostError` if the run is no longer active. */
  note(runId: string, level: AgentLogLevel, message: string): Promise<void>;
  /** Requests the active run to stop. Resolves to undefined without one. */
  requestStop(agent: AgentName): Promise<AgentRun | undefined>;
  /** Throws `NotFoundError`. */
  run(runId: string): Promise<AgentRun>;
  current(agent: AgentName): Promise<AgentRun | undefined>;
  /** Returns the run that ended last. */
  last(agent: AgentName): Promise<AgentRun | undefined>;
  /** Lists the log, newest first. */
  log(agent: AgentName, query: AgentLogQuery): Promise<Page<AgentLogLine>>;
  /** Returns the agent's memo, JSON that the agent parses; undefined at first. */
  memo(agent: AgentName): Promise<unknown>;
  /** Replaces the memo of the run's agent. Throws `AgentRunLostError` if the run is no longer active. */
  saveMemo(runId: string, memo: unknown): Promise<void>;
}

/** A write for an agent run that has ended or belongs to another process. */
export class AgentRunLostError extends MetahumanError {
  override readonly name = "AgentRunLostError";
  readonly code = "CONFLICT";

  constructor(runId: string) {
    super(`The agent run ${runId} is no longer active.`);
  }
}
