import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

export const phrases: readonly (string | Phrase)[] = [
  "[=git] commit [file|files] {files} (with|using) [the] (message|comment) {message}",
  "[=git] commit [file|files] {files} : {message}",
];

export const slots: Record<string, SlotType | Slot> = {
  files: { type: "path", list: true, sample: "site/index.md" },
  message: { type: "text", sample: "'Say where the ferry leaves'" },
};
