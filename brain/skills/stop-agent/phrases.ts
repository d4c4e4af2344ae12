import { AgentName } from "@metahuman/core/contract/agents";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** Each agent goes by its name, also written as two words. */
const spoken = (name: string): string => (name.includes("-") ? `(${name}|${name.replace("-", " ")})` : name);

export const phrases: readonly (string | Phrase)[] = AgentName.options.map((agent) => ({
  say: `(stop|cancel|halt|abort|quit) the ${spoken(agent)} [agent] [now]`,
  args: { agent },
}));

export const slots: Record<string, SlotType | Slot> = {};
