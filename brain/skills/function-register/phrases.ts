import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** Code is written, not said: people write functions in the page or have one curated. */
export const phrases: readonly (string | Phrase)[] = [];

export const slots: Record<string, SlotType | Slot> = {};
