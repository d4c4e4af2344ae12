import { z } from "zod";
import { AgentProblem, AgentRun } from "../contract/agents.ts";
import { jsonColumn } from "../database/rows.ts";

/** The columns of `agent_runs` that `AgentRunRow` reads. */
export const RUN_FIELDS = "id, agent, trigger, status, started_at, ended_at, summary, problems";

/** Converts a row of `agent_runs` to a run. */
export const AgentRunRow = z
  .object({
    id: z.string(),
    agent: z.string(),
    trigger: z.string(),
    status: z.string(),
    started_at: z.string(),
    ended_at: z.string().nullable(),
    summary: z.string().nullable(),
    problems: jsonColumn(z.array(AgentProblem)).nullable(),
  })
  .transform(({ started_at, ended_at, summary, problems, ...row }): unknown => ({
    ...row,
    startedAt: started_at,
    ...(ended_at !== null && { endedAt: ended_at }),
    ...(summary !== null && { summary }),
    ...(problems !== null && { problems }),
  }))
  .pipe(AgentRun);
