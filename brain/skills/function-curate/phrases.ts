import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** What a function is to do is told to the planner or the page in whole sentences. */
export const phrases: readonly (string | Phrase)[] = [];

export const slots: Record<string, SlotType | Slot> = {};
