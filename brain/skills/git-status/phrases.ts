import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const roots = ["out", "inbox"];

export const phrases: readonly (string | Phrase)[] = [
  "[show [me]] [the] =git status [(in|of|for) [the] [folder|repository|repo] {path} [folder|repository|repo]]",
  "[show [me]] [the] status of the (repository|repo) {path}",
  "what (has|have) changed in the [=git] (repository|repo) {path}",
];

export const slots: Record<string, SlotType | Slot> = {
  path: { type: "folder", known: roots, sample: "out/site" },
};
