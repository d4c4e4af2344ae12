import { z } from "zod";
import { AgentRunRow, RUN_FIELDS } from "@metahuman/core/agents/agent-run-row";
import {
  AgentRow,
  AgentRunLostError,
  type AgentStore,
  endColumns,
  logLine,
  MAX_RUNS,
  RENEW_BELOW_MS,
} from "@metahuman/core/agents/open-agent-store";
import {
  type AgentLogLevel,
  AgentLogLine,
  type AgentName,
  type AgentRun,
} from "@metahuman/core/contract/agents";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { CountRow, decodeCursor, likePattern, pageOf } from "@metahuman/core/database/rows";
import { ulid } from "@metahuman/core/text/ulid";
import { openLeases } from "../lease-table.ts";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, plainText, type ProfileSession } from "../session.ts";

const OwnerRow = z.object({ owner: z.string(), stop_requested: z.boolean(), status: z.string() });
const LineRow = z.object({ seq: z.string(), run_id: z.string(), line: AgentLogLine });
const LOG_FILTER = `profile = :profile AND agent = :agent AND (:run::text IS NULL OR run_id = :run)
  AND (:words::text IS NULL OR lower(line ->> 'message') LIKE :words ESCAPE '\\')`;

export function openPostgresAgentStore(database: Postgres, profile: string): AgentStore {
  const leases = openLeases();
  const inProfile = <Result>(work: (session: ProfileSession) => Promise<Result>) =>
    database.inProfile(profile, work);

  /** Returns the active run. A run whose holder's lease has expired becomes interrupted. */
  async function currentOf(session: ProfileSession, agent: AgentName): Promise<AgentRun | undefined> {
    const found = await session.get(
      AgentRunRow,
      `SELECT ${RUN_FIELDS} FROM agent_runs WHERE profile = :profile AND agent = :agent AND status = 'running'`,
      { agent },
    );
    if (!found) return undefined;
    const owner = await ownerOf(session, found.id);
    if (!owner || owner.owner === leases.holder || (await leases.live(session)).has(owner.owner))
      return found;
    await finish(session, found.id, {
      status: "interrupted",
      summary: "Its process has ended.",
      problems: null,
    });
    return undefined;
  }

  return {
    begin: (agent, trigger) =>
      inProfile(async (session) => {
        await agentOf(session, agent);
        const other = await currentOf(session, agent);
        if (other) throw alreadyRunning(agent, other.id);
        await leases.renew(session);
        const id = `job-${ulid()}`;
        const begun = await session.run(
          `INSERT INTO agent_runs (profile, id, agent, trigger, status, started_at, owner)
           VALUES (:profile, :id, :agent, :trigger, 'running', :at, :owner)
           ON CONFLICT (profile, agent) WHERE status = 'running' DO NOTHING`,
          { id, agent, trigger, at: session.now.toISOString(), owner: leases.holder },
        );
        // Another process was quicker.
        if (begun === 0) throw alreadyRunning(agent);
        await session.run(
          `DELETE FROM agent_runs WHERE profile = :profile AND agent = :agent AND id NOT IN
             (SELECT id FROM agent_runs WHERE profile = :profile AND agent = :agent ORDER BY id DESC LIMIT :kept)`,
          { agent, kept: MAX_RUNS },
        );
        return runOf(session, id);
      }),
    renewLease: (runId) =>
      inProfile(async (session) => {
        const owner = await ownerOf(session, runId);
        if (owner?.status !== "running" || owner.owner !== leases.holder) return true;
        if ((await leases.remaining(session)) < RENEW_BELOW_MS) await leases.renew(session);
        return owner.stop_requested;
      }),
    end: (runId, { status, summary, problems }) =>
      inProfile(async (session) => {
        const columns = endColumns({
          summary: summary === undefined ? undefined : plainText(summary),
          problems,
        });
        const ended = await finish(session, runId, { status, ...columns });
        const run = await runOf(session, runId);
        if (ended && status === "failed")
          await writeLine(session, run, { level: "error", message: summary ?? "The run failed." });
        return run;
      }),
    note: (runId, level, message) =>
      inProfile(async (session) => {
        await writeLine(session, await lockActive(session, runId), { level, message });
      }),
    requestStop: (agent) =>
      inProfile(async (session) => {
        const found = await currentOf(session, agent);
        if (found)
          await session.run(
            "UPDATE agent_runs SET stop_requested = true WHERE profile = :profile AND id = :id",
            { id: found.id },
          );
        return found;
      }),
    run: (runId) => inProfile((session) => runOf(session, runId)),
    current: (agent) => inProfile((session) => currentOf(session, agent)),
    last: (agent) =>
      database.readProfile(profile, (session) =>
        session.get(
          AgentRunRow,
          `SELECT ${RUN_FIELDS} FROM agent_runs WHERE profile = :profile AND agent = :agent AND status <> 'running'
           ORDER BY id DESC LIMIT 1`,
          { agent },
        ),
      ),
    log: (agent, query) => inProfile((session) => logPage(session, agent, query)),
    memo: async (agent) => (await inProfile((session) => agentOf(session, agent))).memo ?? undefined,
    saveMemo: (runId, memo) =>
      inProfile(async (session) => {
        const { agent } = await lockActive(session, runId);
        await session.run("UPDATE agents SET memo = :memo WHERE profile = :profile AND name = :agent", {
          agent,
          memo: jsonText(memo),
        });
      }),
  };
}

function alreadyRunning(agent: AgentName, runId?: string): ConflictError {
  return new ConflictError(
    `The ${agent} is already running.`,
    runId === undefined ? {} : { context: { runId } },
  );
}

/** The record of an agent, created if missing. */
async function agentOf(session: ProfileSession, agent: AgentName): Promise<z.output<typeof AgentRow>> {
  const since = session.now.toISOString();
  await session.run(
    "INSERT INTO agents (profile, name, since) VALUES (:profile, :agent, :since) ON CONFLICT DO NOTHING",
    { agent, since },
  );
  const found = await session.get(
    AgentRow,
    "SELECT since, memo FROM agents WHERE profile = :profile AND name = :agent",
    { agent },
  );
  return found ?? { since, memo: null };
}

async function runOf(session: ProfileSession, id: string, lock = ""): Promise<AgentRun> {
  const found = await session.get(
    AgentRunRow,
    `SELECT ${RUN_FIELDS} FROM agent_runs WHERE profile = :profile AND id = :id ${lock}`,
    { id },
  );
  if (!found) throw new NotFoundError("There is no such agent run.");
  return found;
}

function ownerOf(session: ProfileSession, id: string) {
  return session.get(
    OwnerRow,
    "SELECT owner, stop_requested, status FROM agent_runs WHERE profile = :profile AND id = :id",
    { id },
  );
}

/** Locks the run, so that nobody ends it meanwhile. Throws `AgentRunLostError` unless it is active. */
async function lockActive(session: ProfileSession, id: string): Promise<AgentRun> {
  const run = await runOf(session, id, "FOR UPDATE");
  if (run.status !== "running") throw new AgentRunLostError(id);
  return run;
}

/** Ends an active run; false if it has ended. */
async function finish(
  session: ProfileSession,
  id: string,
  end: { status: AgentRun["status"]; summary: string | null; problems: string | null },
): Promise<boolean> {
  const ended = await session.run(
    `UPDATE agent_runs SET status = :status, ended_at = :at, summary = :summary, problems = :problems
     WHERE profile = :profile AND id = :id AND status = 'running'`,
    { id, ...end, at: session.now.toISOString() },
  );
  return ended > 0;
}

async function writeLine(
  session: ProfileSession,
  { id, agent }: AgentRun,
  { level, message }: { level: AgentLogLevel; message: string },
): Promise<void> {
  await session.run(
    "INSERT INTO agent_log (profile, agent, run_id, line) VALUES (:profile, :agent, :id, :line::jsonb)",
    { id, agent, line: jsonText(logLine(id, { at: session.now, level, message })) },
  );
}

/** A page of lines, newest first. Ordered by run, because restored lines are inserted after newer ones. */
async function logPage(
  session: ProfileSession,
  agent: AgentName,
  { limit, cursor, runId, query }: Parameters<AgentStore["log"]>[1],
) {
  const [before, seq] = cursor === undefined ? [null, null] : decodeCursor(cursor, 2);
  const filter = { agent, run: runId ?? null, words: query === undefined ? null : likePattern(query) };
  const rows = await session.all(
    LineRow,
    `SELECT seq::text, run_id, line FROM agent_log WHERE ${LOG_FILTER}
       AND (:before::text IS NULL OR (run_id, seq) < (:before, :beforeSeq))
     ORDER BY run_id DESC, agent_log.seq DESC LIMIT :limit`,
    { ...filter, before: before ?? null, beforeSeq: Number(seq), limit: limit + 1 },
  );
  const count = await session.get(
    CountRow,
    `SELECT count(*)::integer AS count FROM agent_log WHERE ${LOG_FILTER}`,
    filter,
  );
  const page = pageOf(rows, {
    limit,
    total: count?.count ?? 0,
    keys: ({ run_id, seq: last }) => [run_id, last],
  });
  return { ...page, items: page.items.map(({ line }) => line) };
}
