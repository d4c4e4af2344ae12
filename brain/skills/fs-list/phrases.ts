import type { Finder, Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { isPart, records, textField } from "../outputs.ts";

/** In phrases without the word "folder", only these bare words name a folder. */
const roots = ["out", "inbox"];
const rootsOnly: Record<string, Slot> = { path: { type: "folder", known: roots, bare: false } };

const pattern: Slot = { type: "path", glob: true, sample: "*.md" };

/** Converts words into a glob pattern: "shopping list" matches `shopping-list.txt`. */
function patternOf(words: string): string {
  const parts = words.split(/[^\p{L}\p{M}\p{N}]+/u).filter((part) => part !== "");
  return `*${parts.join("*").slice(0, 200)}*`;
}

export const phrases: readonly (string | Phrase)[] = [
  "(list|show|see|view|get|give) [me] [a list of] [all] my files [there are|I have]",
  "(what|which|how many) files (do I have|are there|exist|have I got|have I|I have)",
  "list (everything|all|workspace)",
  {
    template: "list [all] [files|contents] [in|of|from|under|inside] [folder] {path} [folder]",
    slots: rootsOnly,
  },
  "(list|show|see|view|get|give) [me] [a list of] [all] the (files|contents|everything) (in|of|from|under|inside) [folder [called]] {path} [folder]",
  "(list|show|open|view) [me] the folder [called] {path}",
  "(list|show|open|view) [me] {path} folder",
  "what is [there] (in|inside|under) [folder [called]] {path} [folder]",
  "(show|tell|see) [me] what is (in|inside) [folder] {path} [folder]",
  "(what|which|how many) files (are|do I have|have I got) [there] (in|inside|under) [folder] {path} [folder]",
  "(are there|do I have|is there) [any|some] files [(in|inside|under) [folder] {path} [folder]]",
  "what (do I have|have I got) (in|inside|under) [folder] {path} [folder]",
  "(look|have a look|take a look) (in|into|inside) [folder] {path} [folder]",
  {
    template: "list [all] {pattern} [files] [(in|of|from|under) [folder] {path} [folder]]",
    slots: { pattern: pattern },
  },
  {
    template: "(find|search for|look for) [all] [files] [called] {pattern} [files]",
    slots: { pattern },
    args: { recursive: true },
  },
  {
    template: "list [all] files [in] [folder] {path} [folder] (recursively|(with|including) subfolders)",
    args: { recursive: true },
  },
  "list",
  "[all] files [(in|of|under|inside) [folder] {path} [folder]]",
];

export const slots: Record<string, SlotType | Slot> = { path: { type: "folder", known: roots } };

export const finds: Finder = {
  kind: "file",
  by: "pattern",
  query: patternOf,
  args: { recursive: true },
  candidates: (outputs) =>
    records(outputs, "entries")
      .filter((entry) => entry.kind === "file")
      .map((entry) => textField(entry, "path") || textField(entry, "name"))
      .filter((path) => path !== "")
      .map((path) => ({ id: path, label: path })),
};

export const results: Results = {
  text: (outputs) =>
    isPart(outputs, "entries")
      ? undefined
      : records(outputs, "entries")
          .map((entry) => `- ${textField(entry, "name")}\n`)
          .join(""),
};
