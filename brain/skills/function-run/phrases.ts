import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

export const phrases: readonly (string | Phrase)[] = ["(run|execute|call) [the|my] =function [called] {id}"];

export const slots: Record<string, SlotType | Slot> = { id: { type: "text", sample: "weekly-report" } };
