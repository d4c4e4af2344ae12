import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/phrase";

const byWords: Slot = { type: "reference", kind: "file", plain: true, sample: "shopping list" };

export const phrases: readonly (string | Phrase)[] = [
  "(rename|move|mv|shift|transfer) [file [called]] {from} (to|as) {to}",
  "(rename|move|mv) [file] {from} {to}",
  "change the name of [file] {from} to {to}",
  {
    say: "(move|put|mv|shift|transfer) [file] {from} (to|in|inside|under) the [folder] {folder} [folder]",
    join: { to: ["folder", "from"] },
  },
  { say: "(rename|move) the {from} =file (to|as) {to}", slots: { from: byWords } },
  {
    say: "move the {from} =file (to|in|inside|under) the [folder] {folder} [folder]",
    slots: { from: byWords },
    join: { to: ["folder", "from"] },
  },
];

export const slots: Record<string, SlotType | Slot> = { from: "path", to: "path", folder: "folder" };

export const results: Results = { path: "to" };
