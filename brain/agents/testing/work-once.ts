import type { AgentReport, AgentWork, BackgroundAgent } from "../background/background-agent.ts";

export interface Bench {
  /** Lets the agent work once; what it keeps for the next time is kept here. */
  work(agent: BackgroundAgent, signal?: AbortSignal): Promise<AgentReport>;
  /** What it told, oldest first. */
  readonly told: string[];
}

/** Runs agents without a keeper: no schedule, no lease, the memo in a variable. */
export function workBench(now: () => Date = () => new Date()): Bench {
  const memos = new Map<string, unknown>();
  const told: string[] = [];
  return {
    told,
    work(agent, signal = new AbortController().signal) {
      const work: AgentWork = {
        signal,
        now: now(),
        tell: async (message) => void told.push(message),
        memo: {
          read: async () => memos.get(agent.name),
          keep: async (memo) => void memos.set(agent.name, JSON.parse(JSON.stringify(memo))),
        },
      };
      return agent.work(work);
    },
  };
}
