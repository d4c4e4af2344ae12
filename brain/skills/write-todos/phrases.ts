import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** The operator keeps the list for itself; what people want to get done are tasks. */
export const phrases: readonly (string | Phrase)[] = [];

export const slots: Record<string, SlotType | Slot> = {};
