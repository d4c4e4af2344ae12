import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const byWords: Slot = { type: "reference", kind: "file", plain: true, sample: "shopping list" };

export const phrases: readonly (string | Phrase)[] = [
  "append [text|line|words|sentence] {text} to [the (end|bottom) of] [file] {path}",
  {
    say: "append [the (contents|text) of] [file] {text} to [the (end|bottom) of] [file] {path}",
    slots: { text: { type: "path", standsForText: true } },
  },
  "add [new] [text|line|words|sentence] [saying|that says] {text} (to|in) [the (end|bottom) of] [file] {path}",
  "(put|write|insert|add|stick|pop|jot|tack) [text|line|words] {text} at the (end|bottom) of [file] {path}",
  {
    say: "(append|add) to [the (end|bottom) of] [file] {path} [text|line|words] {text}",
    slots: { text: "text" },
  },
  { say: "extend [file] {path} with [text|line|words] {text}", slots: { text: "text" } },
  {
    say: "(append|add) [text|line|words] {text} to [the (end|bottom) of] the {path} =file",
    slots: { path: byWords },
  },
];

export const slots: Record<string, SlotType | Slot> = { path: "path", text: "wording" };

export const results: Results = { path: "path" };
