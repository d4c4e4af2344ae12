import type { AgentCard, AgentLogLine, AgentName, AgentRun, AgentTrigger } from "../contract/agents.ts";
import type { Page } from "../contract/http.ts";

/** The agents of one profile, as surfaces and skills may use them. */
export interface AgentsPort {
  list(): Promise<AgentCard[]>;
  /** Begins one run and returns; `ConflictError` while the agent runs already, in whichever process. */
  run(
    agent: AgentName,
    by: { trigger: Exclude<AgentTrigger, "schedule">; surface?: string },
  ): Promise<AgentRun>;
  /** Resolves when the run has ended. Rejects with the signal's reason. */
  settled(runId: string, signal?: AbortSignal): Promise<AgentRun>;
  /** Stops what is under way, within a second; null when nothing is. */
  stop(agent: AgentName, by?: { surface?: string }): Promise<AgentRun | null>;
  /** Newest first; with `query` the lines whose message holds it. */
  log(
    agent: AgentName,
    query: { limit: number; cursor?: string; runId?: string; query?: string },
  ): Promise<Page<AgentLogLine>>;
}
