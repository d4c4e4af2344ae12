import { AgentName } from "@metahuman/core/contract/agents";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import * as speech from "./phrases.ts";

export const runAgent = defineSkill({
  id: "run_agent",
  summary: "Let one of the background agents work now",
  category: "agent",
  input: z.strictObject({
    agent: AgentName,
    wait: z.boolean().default(true).describe("Wait until it is done"),
  }),
  output: z.strictObject({ started: z.boolean(), result: z.string() }),
  effects: "agent",
  risk: "medium",
  cost: "high",
  // Each goes on from where it stopped: a second run finds nothing left to do.
  idempotent: true,
  timeoutMs: 600_000,
  notes: "The ingestor takes in files from inbox/; the reflector needs a language model.",
  ...speech,
  narrate: ({ result }) => result,
  run: async ({ agent, wait }, { ports: { agents }, signal }) => {
    const { id } = await agents.run(agent, { trigger: "operator" });
    if (!wait) return { started: true, result: `The ${agent} has begun.` };
    const stop = (): void => void agents.stop(agent);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const { status, summary } = await agents.settled(id, signal);
      const told = summary === undefined ? "" : `: ${summary}`;
      return { started: true, result: `The ${agent} ${status}${told.replace(/[.]?$/u, ".")}` };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  },
});
