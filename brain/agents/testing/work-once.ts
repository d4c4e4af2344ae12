import type { AgentReport, AgentWork, BackgroundAgent } from "../background/background-agent.ts";

export interface Harness {
  /** Runs the agent once. Its memo is kept for the next run. */
  work(agent: BackgroundAgent, signal?: AbortSignal): Promise<AgentReport>;
  /** The log lines, oldest first. */
  readonly logged: string[];
}

/** Runs agents without a scheduler: no schedule, no lease, and the memo in a variable. */
export function workHarness(now: () => Date = () => new Date()): Harness {
  const memos = new Map<string, unknown>();
  const logged: string[] = [];
  return {
    logged,
    work(agent, signal = new AbortController().signal) {
      const work: AgentWork = {
        signal,
        now: now(),
        log: async (message) => void logged.push(message),
        memo: {
          read: async () => memos.get(agent.name),
          save: async (memo) => void memos.set(agent.name, JSON.parse(JSON.stringify(memo))),
        },
      };
      return agent.work(work);
    },
  };
}
