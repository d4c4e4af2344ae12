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
import { redactText } from "../log/secret-patterns.ts";
import { CountRow, jsonColumn } from "../runs/json-column.ts";
import { containing, decodeCursor, pageOf } from "../runs/page-of.ts";
import { ulid } from "../runs/ulid.ts";
import { AgentRunRow, RUN_FIELDS } from "./agent-run-row.ts";
import type { Page } from "../contract/http.ts";

/** A lease of which less than this is left is renewed, in milliseconds. */
const RENEW_BELOW_MS = (7 / 8) * LEASE_MS;

/** Runs of one agent that are kept, with their log. */
const KEPT_RUNS = 200;
/** Problems of one run that are kept. */
const MAX_PROBLEMS = 100;
/** Longest line of the log, in characters. */
const MAX_LINE = 2_000;

const TOLD = `agent = :agent AND (:run IS NULL OR run_id = :run)
  AND (:words IS NULL OR line ->> '$.message' LIKE :words ESCAPE '\\')`;
const HoldRow = z.object({
  owner: z.string(),
  stop_requested: z.int(),
  status: z.string(),
});
const LineRow = z.object({ seq: z.int(), run_id: z.string(), line: jsonColumn(AgentLogLine) });
const AgentRow = z.object({ since: z.string(), memo: jsonColumn(z.unknown()).nullable() });

/** The agents' store of one profile, on its `state.db` opened with `stateMigrations`. */
export function openAgentStore(
  database: Database,
  { clock = () => new Date() }: { clock?: () => Date } = {},
): AgentStore {
  const leases = openLeaseTable(database, clock);
  const byId = database.query(`SELECT ${RUN_FIELDS} FROM agent_runs WHERE id = ?`, AgentRunRow);
  const running = database.query(
    `SELECT ${RUN_FIELDS} FROM agent_runs WHERE agent = ? AND status = 'running'`,
    AgentRunRow,
  );
  const lastEnded = database.query(
    `SELECT ${RUN_FIELDS} FROM agent_runs WHERE agent = ? AND status <> 'running' ORDER BY id DESC LIMIT 1`,
    AgentRunRow,
  );
  const hold = database.query("SELECT owner, stop_requested, status FROM agent_runs WHERE id = ?", HoldRow);
  const insert = database.command(
    "INSERT INTO agent_runs (id, agent, trigger, status, started_at, owner) VALUES (?, ?, ?, 'running', ?, ?)",
  );
  const finish = database.command(
    "UPDATE agent_runs SET status = ?, ended_at = ?, summary = ?, problems = ? WHERE id = ? AND status = 'running'",
  );
  const askToStop = database.command("UPDATE agent_runs SET stop_requested = 1 WHERE id = ?");
  const prune = database.command(
    "DELETE FROM agent_runs WHERE agent = ? AND id NOT IN (SELECT id FROM agent_runs WHERE agent = ? ORDER BY id DESC LIMIT ?)",
  );
  const addLine = database.command("INSERT INTO agent_log (agent, run_id, line) VALUES (?, ?, ?)");
  const lines = database.query(
    // By runs, not as they were put down: those of a backup come after newer ones.
    `SELECT seq, run_id, line FROM agent_log WHERE ${TOLD}
     AND (:before IS NULL OR (run_id, seq) < (:before, :beforeSeq)) ORDER BY run_id DESC, seq DESC LIMIT :limit`,
    LineRow,
  );
  const lineCount = database.query(`SELECT COUNT(*) AS count FROM agent_log WHERE ${TOLD}`, CountRow);
  const agentRow = database.query("SELECT since, memo FROM agents WHERE name = ?", AgentRow);
  const meet = database.command(
    "INSERT INTO agents (name, since) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
  );
  const begun = database.command("UPDATE agents SET since = ? WHERE name = ?");
  const setMemo = database.command("UPDATE agents SET memo = ? WHERE name = ?");

  function known(agent: AgentName): z.output<typeof AgentRow> {
    const found = agentRow.get(agent);
    if (found) return found;
    const since = clock().toISOString();
    database.transaction(() => meet.run(agent, since));
    return agentRow.get(agent) ?? { since, memo: null };
  }

  function runOf(id: string): AgentRun {
    const found = byId.get(id);
    if (!found) throw new NotFoundError("There is no such run of an agent.");
    return found;
  }

  function isLost(id: string): boolean {
    const held = hold.get(id);
    if (held?.status !== "running" || held.owner === leases.holder) return false;
    return !leases.live().has(held.owner);
  }

  /** Throws `AgentRunLostError` unless the run is under way. Called inside the transaction that writes for it. */
  function requireUnderWay(id: string): void {
    if (runOf(id).status !== "running") throw new AgentRunLostError(id);
  }

  /** The run that is under way; one whose holder's lease has expired becomes interrupted. */
  function currentOf(agent: AgentName): AgentRun | undefined {
    const found = running.get(agent);
    if (!found || !isLost(found.id)) return found;
    database.transaction(() => {
      if (isLost(found.id))
        finish.run("interrupted", clock().toISOString(), "The process that did it is gone.", null, found.id);
    });
    return running.get(agent);
  }

  function write(runId: string, level: AgentLogLevel, message: string): void {
    const text = redactText(message).slice(0, MAX_LINE).toWellFormed();
    const line: AgentLogLine = { runId, at: clock().toISOString(), level, message: text };
    addLine.run(runOf(runId).agent, runId, JSON.stringify(line));
  }

  return {
    async begin(agent, trigger) {
      known(agent);
      return database.transaction(() => {
        const other = currentOf(agent);
        if (other)
          throw new ConflictError(`The ${agent} is already running.`, { context: { runId: other.id } });
        const id = `job-${ulid()}`;
        const at = clock().toISOString();
        leases.renew();
        insert.run(id, agent, trigger, at, leases.holder);
        begun.run(at, agent);
        prune.run(agent, agent, KEPT_RUNS);
        return runOf(id);
      });
    },
    async renewLease(runId) {
      const held = hold.get(runId);
      if (held?.status !== "running" || held.owner !== leases.holder) return true;
      if (leases.remaining() < RENEW_BELOW_MS) database.transaction(() => leases.renew());
      return held.stop_requested === 1;
    },
    async end(runId, { status, summary, problems }) {
      const told = summary === undefined ? null : redactText(summary);
      const listed = problems?.length ? JSON.stringify(problems.slice(0, MAX_PROBLEMS)) : null;
      return database.transaction(() => {
        const { changes } = finish.run(status, clock().toISOString(), told, listed, runId);
        if (changes > 0 && status === "failed") write(runId, "error", summary ?? "It failed.");
        return runOf(runId);
      });
    },
    note: async (runId, level, message) =>
      database.transaction(() => {
        requireUnderWay(runId);
        write(runId, level, message);
      }),
    async requestStop(agent) {
      const found = currentOf(agent);
      if (found) database.transaction(() => askToStop.run(found.id));
      return found;
    },
    run: async (runId) => runOf(runId),
    current: async (agent) => currentOf(agent),
    last: async (agent) => lastEnded.get(agent),
    waitingSince: async (agent) => new Date(known(agent).since),
    async log(agent, { limit, cursor, runId = null, query }) {
      const [before, seq] = cursor === undefined ? [null, null] : decodeCursor(cursor, 2);
      const filter = { agent, run: runId, words: query === undefined ? null : containing(query) };
      const rows = lines.all({ ...filter, before, beforeSeq: Number(seq), limit: limit + 1 });
      const total = lineCount.get(filter)?.count ?? 0;
      const page = pageOf(rows, { limit, total, keys: ({ run_id, seq }) => [run_id, String(seq)] });
      return { ...page, items: page.items.map(({ line }) => line) };
    },
    memo: async (agent) => known(agent).memo ?? undefined,
    async keepMemo(runId, memo) {
      const { agent } = runOf(runId);
      database.transaction(() => {
        requireUnderWay(runId);
        setMemo.run(JSON.stringify(memo), agent);
      });
    },
  };
}

export type AgentEnd = Pick<AgentRun, "summary" | "problems"> & { status: "finished" | "failed" | "stopped" };

/**
 * When the agents of one profile worked, what they told of it, and what they keep for the next time. At most one run of
 * an agent is under way in all processes. Its holder renews a lease, which expires by the store's clock; then the run is
 * `interrupted`, and whatever its process still writes for it is refused with `AgentRunLostError`.
 */
export interface AgentStore {
  /** Throws `ConflictError` while the agent runs, in whichever process. */
  begin(agent: AgentName, trigger: AgentTrigger): Promise<AgentRun>;
  /** Renews the lease. Resolves to true when somebody wants the run to stop, or it is no longer carried out here. */
  renewLease(runId: string): Promise<boolean>;
  /** A run that has already ended stays as it is. Why a run failed becomes a line of its log. */
  end(runId: string, end: AgentEnd): Promise<AgentRun>;
  /** Writes a line of the log. Throws `AgentRunLostError` when the run is no longer under way. */
  note(runId: string, level: AgentLogLevel, message: string): Promise<void>;
  /** Asks the run that is under way to stop; undefined when there is none. */
  requestStop(agent: AgentName): Promise<AgentRun | undefined>;
  /** Throws `NotFoundError`. */
  run(runId: string): Promise<AgentRun>;
  current(agent: AgentName): Promise<AgentRun | undefined>;
  /** The last run that has ended. */
  last(agent: AgentName): Promise<AgentRun | undefined>;
  /** From when its schedule counts: the last time it began, or when it was first asked for. */
  waitingSince(agent: AgentName): Promise<Date>;
  /** Newest first; with `query` the lines whose message holds it. */
  log(
    agent: AgentName,
    query: { limit: number; cursor?: string; runId?: string; query?: string },
  ): Promise<Page<AgentLogLine>>;
  /** What the agent kept for itself; undefined at first. JSON, the agent's own to parse. */
  memo(agent: AgentName): Promise<unknown>;
  /** Replaces what the run's agent keeps. Throws `AgentRunLostError` when the run is no longer under way. */
  keepMemo(runId: string, memo: unknown): Promise<void>;
}

/** A write for a run of an agent that has ended, or was taken from its process. */
export class AgentRunLostError extends MetahumanError {
  override readonly name = "AgentRunLostError";
  readonly code = "CONFLICT";

  constructor(runId: string) {
    super(`The agent's run ${runId} is no longer under way.`);
  }
}
