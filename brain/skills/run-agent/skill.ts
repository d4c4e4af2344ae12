import { AgentName } from "@metahuman/core/contract/agents";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import type { Phrase } from "@metahuman/core/language/grammar/phrase";

const run = "(run|start|launch) the";

const phrases: readonly (string | Phrase)[] = [
  { template: `${run} (pattern-miner|pattern miner) [agent] [now]`, args: { agent: "pattern-miner" } },
  {
    template: "(find|mine|look for) patterns [in (what I ask|my requests)] [now]",
    args: { agent: "pattern-miner" },
  },
  { template: `${run} librarian [agent] [now]`, args: { agent: "librarian" } },
  { template: "tidy [up] my memory [index] [now]", args: { agent: "librarian" } },
  { template: `${run} ingestor [agent] [now]`, args: { agent: "ingestor" } },
  { template: "(ingest|take in) [the] [files in] (my|the) inbox [now]", args: { agent: "ingestor" } },
  { template: `${run} reflector [agent] [now]`, args: { agent: "reflector" } },
  { template: "reflect on (my memories|my memory|my day) [now]", args: { agent: "reflector" } },
];

export const runAgent = defineSkill({
  id: "run_agent",
  summary: "Start a background agent now",
  category: "agent",
  input: z.strictObject({
    agent: AgentName,
    wait: z.boolean().default(true).describe("Wait until it has ended"),
  }),
  output: z.strictObject({ started: z.boolean(), result: z.string() }),
  effects: "agent",
  risk: "medium",
  cost: "high",
  // Agents resume where they stopped, so a second run finds nothing to do.
  idempotent: true,
  timeoutMs: 600_000,
  notes: "The ingestor imports files from inbox/; the reflector needs a language model.",
  phrases,
  narrate: ({ result }) => result,
  run: async ({ agent, wait }, { ports: { agents }, signal }) => {
    const { id } = await agents.run(agent, { trigger: "operator" });
    if (!wait) return { started: true, result: `The ${agent} has started.` };
    const stop = (): void => void agents.stop(agent);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const { status, summary } = await agents.settled(id, signal);
      const detail = summary === undefined ? "" : `: ${summary}`;
      return { started: true, result: `The ${agent} ${status}${detail.replace(/[.]?$/u, ".")}` };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  },
});
