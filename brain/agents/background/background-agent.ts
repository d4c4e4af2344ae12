import type { AgentLogLevel, AgentName, AgentProblem } from "@metahuman/core/contract/agents";

/** What an agent is handed for one run. */
export interface AgentWork {
  /** Aborted when it is to stop; work ends within a second of it. */
  signal: AbortSignal;
  now: Date;
  /** Writes a line of the agent's log. */
  tell(message: string, level?: AgentLogLevel): Promise<void>;
  /** What the agent keeps for its next run, as JSON; undefined at first. */
  memo: { read(): Promise<unknown>; keep(memo: unknown): Promise<void> };
}

export interface AgentReport {
  /** What came of it, in a sentence for people. */
  summary: string;
  /** Whether anything is different now. */
  changed: boolean;
  /** What it left as it was. */
  problems?: AgentProblem[];
}

/** One agent that works over a profile by itself. Its powers are handed to what makes it. */
export interface BackgroundAgent {
  readonly name: AgentName;
  readonly title: string;
  readonly about: string;
  readonly needsModel: boolean;
  /**
   * Does what there is to do, and can be cut short anywhere: the next run goes on from what is stored. Throws what it
   * cannot deal with, and the signal's reason.
   */
  work(work: AgentWork): Promise<AgentReport>;
}
