import type { AgentLogLevel, AgentName, AgentProblem } from "@metahuman/core/contract/agents";

/** The input of one run of an agent. */
export interface AgentWork {
  /** Aborted when the agent must stop. Work ends within a second. */
  signal: AbortSignal;
  now: Date;
  /** Writes a line of the agent's log. */
  log(message: string, level?: AgentLogLevel): Promise<void>;
  /** The data that the agent keeps for its next run, as JSON; undefined at first. */
  memo: { read(): Promise<unknown>; save(memo: unknown): Promise<void> };
}

export interface AgentReport {
  /** The result in one sentence. */
  summary: string;
  /** Whether the run changed anything. */
  changed: boolean;
  /** Items that the agent left unchanged because of a problem. */
  problems?: AgentProblem[];
}

/** A background agent of a profile. It receives its ports when it is created. */
export interface BackgroundAgent {
  readonly name: AgentName;
  readonly title: string;
  readonly about: string;
  readonly needsModel: boolean;
  /**
   * Does the pending work. May be interrupted anywhere: the next run continues from what is stored. Throws errors it
   * cannot handle, and the signal's reason.
   */
  work(work: AgentWork): Promise<AgentReport>;
}
