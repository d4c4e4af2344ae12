import { AgentName } from "@metahuman/core/contract/agents";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** Agent names, also written as two words. */
const spoken = (name: string): string => (name.includes("-") ? `(${name}|${name.replace("-", " ")})` : name);

const phrases: readonly (string | Phrase)[] = AgentName.options.map((agent) => ({
  template: `(stop|cancel|halt|abort|quit) the ${spoken(agent)} [agent] [now]`,
  args: { agent },
}));

const slots: Record<string, SlotType | Slot> = {};

export const stopAgent = defineSkill({
  id: "stop_agent",
  summary: "Stop a background agent that is at work",
  category: "agent",
  input: z.strictObject({ agent: AgentName }),
  output: z.strictObject({
    agent: AgentName,
    stopped: z.boolean().describe("False when it was not at work"),
  }),
  effects: "agent",
  risk: "low",
  idempotent: true,
  notes: "It begins again at its next time; whether it does is set under Settings.",
  phrases,
  slots,
  narrate: ({ agent, stopped }) => (stopped ? `Stopped the ${agent}.` : `The ${agent} was not at work.`),
  run: async ({ agent }, { ports: { agents } }) => ({
    agent,
    stopped: (await agents.stop(agent)) !== null,
  }),
});
