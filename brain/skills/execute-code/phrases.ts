import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

export const phrases: readonly (string | Phrase)[] = ["(execute|evaluate|run) [the|this] =code {code}"];

export const slots: Record<string, SlotType | Slot> = {
  code: { type: "text", sample: "[1, 2, 3].length" },
};
