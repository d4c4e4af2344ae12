import { z } from "zod";
import { AgentLogLine, AgentName, AgentRun } from "../contract/agents.ts";
import { Timestamp } from "../contract/ids.ts";
import type { Database } from "../database/open-database.ts";
import { jsonColumn } from "../database/rows.ts";
import { AgentRunRow, RUN_FIELDS } from "./agent-run-row.ts";

/** An exported agent with its runs, its log and its memo. */
export const AgentCopy = z.strictObject({
  name: AgentName,
  since: Timestamp,
  memo: z.json().exactOptional(),
  /** Oldest first. */
  runs: z.array(AgentRun),
  log: z.array(AgentLogLine),
});
export type AgentCopy = z.infer<typeof AgentCopy>;

/** Exports and restores the agents of a profile. Restoring never overwrites. */
export interface AgentCopies {
  /** Returns every agent that has a record. */
  all(): Promise<AgentCopy[]>;
  /** Whether the copy has unknown runs, or a memo for an agent without one. */
  isNew(copy: AgentCopy): Promise<boolean>;
  /** Adds unknown runs with their log, and the memo if the agent has none. A running run becomes interrupted. */
  restore(copy: AgentCopy): Promise<void>;
}

const AgentRow = z.object({
  name: AgentName,
  since: z.string(),
  memo: jsonColumn(z.json()).nullable(),
});
const LineRow = z.object({ line: jsonColumn(AgentLogLine) }).transform(({ line }) => line);

/** Uses a profile's `state.db`, opened with `stateMigrations`. */
export function openAgentCopies(database: Database): AgentCopies {
  const agents = database.query("SELECT name, since, memo FROM agents ORDER BY name", AgentRow);
  const runs = database.query(
    `SELECT ${RUN_FIELDS} FROM agent_runs WHERE agent = ? ORDER BY id`,
    AgentRunRow,
  );
  const lines = database.query("SELECT line FROM agent_log WHERE agent = ? ORDER BY run_id, seq", LineRow);
  const upsertAgent = database.command(
    "INSERT INTO agents (name, since, memo) VALUES (:name, :since, :memo) ON CONFLICT (name) DO UPDATE SET memo = coalesce(memo, :memo)",
  );
  const addRun = database.command(
    `INSERT INTO agent_runs (id, agent, trigger, status, started_at, ended_at, summary, problems, owner)
     VALUES (:id, :agent, :trigger, :status, :startedAt, :endedAt, :summary, :problems, '')`,
  );
  const addLine = database.command("INSERT INTO agent_log (agent, run_id, line) VALUES (?, ?, ?)");

  function unknownRuns({ name, runs: copied }: AgentCopy): AgentRun[] {
    const known = new Set(runs.all(name).map(({ id }) => id));
    return copied.filter(({ id, agent }) => agent === name && !known.has(id));
  }

  return {
    all: async () =>
      agents.all().map(({ name, since, memo }) => ({
        name,
        since,
        ...(memo !== null && { memo }),
        runs: runs.all(name),
        log: lines.all(name),
      })),
    isNew: async (copy) => {
      const existing = agents.all().find(({ name }) => name === copy.name);
      return !existing || (existing.memo === null && copy.memo !== undefined) || unknownRuns(copy).length > 0;
    },
    restore: async (copy) =>
      database.transaction(() => {
        const { name, since, memo } = copy;
        upsertAgent.run({ name, since, memo: memo === undefined ? null : JSON.stringify(memo) });
        const added = unknownRuns(copy);
        for (const { problems, endedAt, summary, status, ...run } of added)
          addRun.run({
            ...run,
            status: status === "running" ? "interrupted" : status,
            endedAt: endedAt ?? null,
            summary: summary ?? null,
            problems: problems === undefined ? null : JSON.stringify(problems),
          });
        const ids = new Set(added.map(({ id }) => id));
        for (const line of copy.log)
          if (ids.has(line.runId)) addLine.run(name, line.runId, JSON.stringify(line));
      }),
  };
}
