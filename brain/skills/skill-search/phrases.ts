import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

export const phrases: readonly (string | Phrase)[] = [
  "(find|search for|look for|look up|show) [me] (a skill|skills|a tool|tools) (for|about|to|that) {query}",
  "(which|what) (skill|skills|tool|tools) (is|are) [there] (for|about) {query}",
  "is there (a skill|a tool) (for|about|to) {query}",
  "search [the|your] (skills|tools) for {query}",
];

export const slots: Record<string, SlotType | Slot> = { query: { type: "query", sample: "moving files" } };
