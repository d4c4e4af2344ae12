import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** The operator uses this skill by itself; nobody asks for it by name. */
export const phrases: readonly (string | Phrase)[] = [];

export const slots: Record<string, SlotType | Slot> = {};
