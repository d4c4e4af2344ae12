import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const byWords: Slot = { type: "reference", kind: "file", plain: true, sample: "shopping list" };

/** What is only renamed stays where it is. */
const renaming = (say: string): Phrase => ({ say, beside: { to: "from" } });

export const phrases: readonly (string | Phrase)[] = [
  renaming("rename [file [called]] {from} (to|as) {to}"),
  "(move|mv|shift|transfer) [file [called]] {from} (to|as) {to}",
  {
    say: "(move|rename) [file [called]] {from} (to|as) {to} (and (overwrite|replace) it|overwriting it|replacing it)",
    args: { overwrite: true },
  },
  renaming("rename [file] {from} {to}"),
  "(move|mv) [file] {from} {to}",
  renaming("change the name of [file] {from} to {to}"),
  {
    say: "(move|put|mv|shift|transfer) [file] {from} (to|in|inside|under) the [folder] {folder} [folder]",
    join: { to: ["folder", "from"] },
  },
  { ...renaming("rename the {from} =file (to|as) {to}"), slots: { from: byWords } },
  { say: "move the {from} =file (to|as) {to}", slots: { from: byWords } },
  {
    say: "move the {from} =file (to|in|inside|under) the [folder] {folder} [folder]",
    slots: { from: byWords },
    join: { to: ["folder", "from"] },
  },
];

export const slots: Record<string, SlotType | Slot> = { from: "path", to: "path", folder: "folder" };

export const results: Results = { path: "to" };
