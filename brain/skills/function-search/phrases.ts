import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

export const phrases: readonly (string | Phrase)[] = [
  "(search|find|look up) [the|my] =functions (for|about|on) {query}",
  "which =functions [are there|do I have] (for|about|on) {query}",
];

export const slots: Record<string, SlotType | Slot> = {
  query: { type: "query", sample: "weekly reports" },
};
