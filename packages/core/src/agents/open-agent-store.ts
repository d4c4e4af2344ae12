import { z } from "zod";
import {
  type AgentLogLevel,
  AgentLogLine,
  type AgentName,
  type AgentRun,
  type AgentTrigger,
} from "../contract/agents.ts";
import type { Database } from "../database/open-database.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import { NotFoundError } from "../errors/not-found-error.ts";
import { redactText } from "../log/secret-patterns.ts";
import { CountRow, jsonColumn } from "../runs/json-column.ts";
import { machineName, processExists } from "../runs/machine.ts";
import { containing, decodeCursor, pageOf } from "../runs/page-of.ts";
import { ulid } from "../runs/ulid.ts";
import { AgentRunRow, RUN_FIELDS } from "./agent-run-row.ts";
import type { Page } from "../contract/http.ts";

/** How long a run is taken to live after its last beat, in milliseconds. */
const AGENT_LEASE_MS = 20_000;

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
  machine: z.string(),
  pid: z.int(),
  beat_at: z.int(),
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
  const owner = ulid();
  const machine = machineName();
  const byId = database.query(`SELECT ${RUN_FIELDS} FROM agent_runs WHERE id = ?`, AgentRunRow);
  const running = database.query(
    `SELECT ${RUN_FIELDS} FROM agent_runs WHERE agent = ? AND status = 'running'`,
    AgentRunRow,
  );
  const lastEnded = database.query(
    `SELECT ${RUN_FIELDS} FROM agent_runs WHERE agent = ? AND status <> 'running' ORDER BY id DESC LIMIT 1`,
    AgentRunRow,
  );
  const hold = database.query(
    "SELECT owner, machine, pid, beat_at, stop_requested, status FROM agent_runs WHERE id = ?",
    HoldRow,
  );
  const insert = database.command(
    "INSERT INTO agent_runs (id, agent, trigger, status, started_at, owner, machine, pid, beat_at) VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?)",
  );
  const renew = database.command("UPDATE agent_runs SET beat_at = ? WHERE id = ? AND status = 'running'");
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
    if (held?.status !== "running" || held.owner === owner) return false;
    const gone = held.machine === machine && !processExists(held.pid);
    return gone || held.beat_at < clock().getTime() - AGENT_LEASE_MS;
  }

  /** The run that is under way; one whose process is gone is put down as interrupted. */
  function currentOf(agent: AgentName): AgentRun | undefined {
    const found = running.get(agent);
    if (!found || !isLost(found.id)) return found;
    database.transaction(() => {
      if (isLost(found.id))
        finish.run("interrupted", clock().toISOString(), "The process that did it is gone.", null, found.id);
    });
    return running.get(agent);
  }

  return {
    async begin(agent, trigger) {
      known(agent);
      return database.transaction(() => {
        const other = currentOf(agent);
        if (other)
          throw new ConflictError(`The ${agent} is already running.`, { context: { runId: other.id } });
        const id = `job-${ulid()}`;
        const now = clock();
        insert.run(id, agent, trigger, now.toISOString(), owner, machine, process.pid, now.getTime());
        begun.run(now.toISOString(), agent);
        prune.run(agent, agent, KEPT_RUNS);
        return runOf(id);
      });
    },
    async beat(runId) {
      const held = hold.get(runId);
      if (held?.status !== "running" || held.owner !== owner) return true;
      const now = clock().getTime();
      if (now - held.beat_at > AGENT_LEASE_MS / 8 || now < held.beat_at)
        database.transaction(() => renew.run(now, runId));
      return held.stop_requested === 1;
    },
    async end(runId, { status, summary, problems }) {
      const told = summary === undefined ? null : redactText(summary);
      const listed = problems?.length ? JSON.stringify(problems.slice(0, MAX_PROBLEMS)) : null;
      return database.transaction(() => {
        finish.run(status, clock().toISOString(), told, listed, runId);
        return runOf(runId);
      });
    },
    async note(runId, level, message) {
      const { agent } = runOf(runId);
      const text = redactText(message).slice(0, MAX_LINE).toWellFormed();
      const line: AgentLogLine = { runId, at: clock().toISOString(), level, message: text };
      database.transaction(() => addLine.run(agent, runId, JSON.stringify(line)));
    },
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
    async keepMemo(agent, memo) {
      known(agent);
      database.transaction(() => setMemo.run(JSON.stringify(memo), agent));
    },
  };
}

export type AgentEnd = Pick<AgentRun, "summary" | "problems"> & { status: "finished" | "failed" | "stopped" };

/**
 * When the agents of one profile worked, what they told of it, and what they keep for the next time. At most one run of
 * an agent is under way in all processes: its owner holds a lease and renews it with `beat`; a run whose lease has
 * expired, or whose process is gone, is `interrupted`.
 */
export interface AgentStore {
  /** Throws `ConflictError` while the agent runs, in whichever process. */
  begin(agent: AgentName, trigger: AgentTrigger): Promise<AgentRun>;
  /** Renews the lease; true when somebody wants the run to stop, or it is no longer this one's. */
  beat(runId: string): Promise<boolean>;
  /** A run that has already ended stays as it is. */
  end(runId: string, end: AgentEnd): Promise<AgentRun>;
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
  keepMemo(agent: AgentName, memo: unknown): Promise<void>;
}
