import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

export const phrases: readonly (string | Phrase)[] = [
  "run [the] (command|program|shell command) {argv}",
  "execute [the] (command|program|shell command) {argv}",
];

export const slots: Record<string, SlotType | Slot> = { argv: { type: "text", sample: "uname -a" } };
