import type { AgentCard, AgentLogLine, AgentName, AgentRun, AgentTrigger } from "../contract/agents.ts";
import type { Page } from "../contract/http.ts";

/** The agents of a profile, for surfaces and skills. */
export interface AgentsPort {
  list(): Promise<AgentCard[]>;
  /** Starts a run. Throws `ConflictError` while the agent runs in any process. */
  run(
    agent: AgentName,
    by: { trigger: Exclude<AgentTrigger, "schedule">; surface?: string },
  ): Promise<AgentRun>;
  /** Resolves when the run ends. Rejects with the signal's reason. */
  settled(runId: string, signal?: AbortSignal): Promise<AgentRun>;
  /** Stops the active run within a second. Resolves to null without one. */
  stop(agent: AgentName, by?: { surface?: string }): Promise<AgentRun | null>;
  /** Pauses the schedule of an agent in this profile, or resumes it. */
  setPaused(agent: AgentName, paused: boolean, by?: { surface?: string }): Promise<AgentCard>;
  /** Lists the log, newest first. `query` filters by message. */
  log(
    agent: AgentName,
    query: { limit: number; cursor?: string; runId?: string; query?: string },
  ): Promise<Page<AgentLogLine>>;
}
