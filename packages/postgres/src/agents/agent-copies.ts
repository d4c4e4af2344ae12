import { z } from "zod";
import type { AgentCopies, AgentCopy } from "@metahuman/core/agents/agent-copies";
import { AgentRunRow, RUN_FIELDS } from "@metahuman/core/agents/agent-run-row";
import { AgentLogLine, AgentName, type AgentRun } from "@metahuman/core/contract/agents";
import { jsonColumn } from "@metahuman/core/database/rows";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, type ProfileSession } from "../session.ts";

const AgentRow = z.object({ name: AgentName, since: z.string(), memo: jsonColumn(z.json()).nullable() });
const LineRow = z.object({ line: AgentLogLine }).transform(({ line }) => line);

/** Exports and restores the agents of a profile in the database. */
export function openPostgresAgentCopies(database: Postgres, profile: string): AgentCopies {
  return {
    all: () =>
      database.inProfile(profile, async (session) => {
        const copies: AgentCopy[] = [];
        for (const { name, since, memo } of await agentsOf(session)) {
          const log = await session.all(
            LineRow,
            "SELECT line FROM agent_log WHERE profile = :profile AND agent = :name ORDER BY run_id, seq",
            { name },
          );
          copies.push({
            name,
            since,
            ...(memo !== null && { memo }),
            runs: await runsOf(session, name),
            log,
          });
        }
        return copies;
      }),
    isNew: (copy) =>
      database.inProfile(profile, async (session) => {
        const existing = (await agentsOf(session)).find(({ name }) => name === copy.name);
        if (!existing || (existing.memo === null && copy.memo !== undefined)) return true;
        return (await unknownRuns(session, copy)).length > 0;
      }),
    restore: (copy) =>
      database.inProfile(profile, async (session) => {
        const { name, since, memo } = copy;
        await session.run(
          `INSERT INTO agents (profile, name, since, memo) VALUES (:profile, :name, :since, :memo)
           ON CONFLICT (profile, name) DO UPDATE SET memo = coalesce(agents.memo, excluded.memo)`,
          { name, since, memo: memo === undefined ? null : jsonText(memo) },
        );
        const added = await unknownRuns(session, copy);
        for (const run of added) await addRun(session, run);
        const ids = new Set(added.map(({ id }) => id));
        await session.run(
          `INSERT INTO agent_log (profile, agent, run_id, line)
           SELECT :profile, :name, line ->> 'runId', line FROM jsonb_array_elements(:lines::jsonb) AS line`,
          { name, lines: jsonText(copy.log.filter(({ runId }) => ids.has(runId))) },
        );
      }),
  };
}

function agentsOf(session: ProfileSession) {
  return session.all(AgentRow, "SELECT name, since, memo FROM agents WHERE profile = :profile ORDER BY name");
}

function runsOf(session: ProfileSession, agent: string): Promise<AgentRun[]> {
  return session.all(
    AgentRunRow,
    `SELECT ${RUN_FIELDS} FROM agent_runs WHERE profile = :profile AND agent = :agent ORDER BY id`,
    { agent },
  );
}

async function unknownRuns(session: ProfileSession, { name, runs }: AgentCopy): Promise<AgentRun[]> {
  const known = new Set((await runsOf(session, name)).map(({ id }) => id));
  return runs.filter(({ id, agent }) => agent === name && !known.has(id));
}

/** Adds a run of a copy. One that was running becomes interrupted. */
function addRun(session: ProfileSession, run: AgentRun): Promise<number> {
  const { id, agent, trigger, status, startedAt, endedAt, summary, problems } = run;
  return session.run(
    `INSERT INTO agent_runs (profile, id, agent, trigger, status, started_at, ended_at, summary, problems, owner)
     VALUES (:profile, :id, :agent, :trigger, :status, :startedAt, :endedAt, :summary, :problems, '')`,
    {
      ...{ id, agent, trigger, startedAt },
      status: status === "running" ? "interrupted" : status,
      endedAt: endedAt ?? null,
      summary: summary ?? null,
      problems: problems === undefined ? null : jsonText(problems),
    },
  );
}
