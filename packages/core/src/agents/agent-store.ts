import type { AgentLogLevel, AgentLogLine, AgentName, AgentRun, AgentTrigger } from "../contract/agents.ts";
import type { Page } from "../contract/http.ts";

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
