import { AgentName } from "@metahuman/core/contract/agents";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** Agent names, also written as two words. */
const spellings = (name: string): string =>
  name.includes("-") ? `(${name}|${name.replace("-", " ")})` : name;

const phrases: readonly (string | Phrase)[] = AgentName.options.map((agent) => ({
  template: `(stop|cancel|halt|abort|quit) the ${spellings(agent)} [agent] [now]`,
  args: { agent },
}));

const slots: Record<string, SlotType | Slot> = {};

export const stopAgent = defineSkill({
  id: "stop_agent",
  summary: "Stop a running background agent",
  category: "agent",
  input: z.strictObject({ agent: AgentName }),
  output: z.strictObject({
    agent: AgentName,
    stopped: z.boolean().describe("False if it was not running"),
  }),
  effects: "agent",
  risk: "low",
  idempotent: true,
  notes: "It starts again at its next scheduled time, which is set on the Automations page.",
  phrases,
  slots,
  narrate: ({ agent, stopped }) => (stopped ? `Stopped the ${agent}.` : `The ${agent} was not running.`),
  run: async ({ agent }, { ports: { agents } }) => ({
    agent,
    stopped: (await agents.stop(agent)) !== null,
  }),
});
