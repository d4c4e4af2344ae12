import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { isPart, records, textField } from "../outputs.ts";

const files = "[all] [of] my (files|workspace|notes)";

export const phrases: readonly (string | Phrase)[] = [
  `search [(in|through)] ${files} for [the (word|words|text|phrase)] {query}`,
  "search [folder] {path} [folder] for [the (word|words|text|phrase)] {query}",
  `(find|look for) [the (word|words|text|phrase)] {query} in ${files}`,
  "(find|look for|search for) the (word|words|text|phrase) {query} [in [folder] {path} [folder]]",
  "(which|what) [of] [my] files (mention|contain|say|have|include|talk about) [the (word|words|text|phrase)] {query}",
  "(which|what) files (in|under) [folder] {path} [folder] (mention|contain|say|include) {query}",
  "where (in|inside) my files (is|do I mention|do I write about) {query}",
];

export const slots: Record<string, SlotType | Slot> = {
  query: { type: "query", sample: "cheese" },
  path: "folder",
};

export const results: Results = {
  text: (outputs) =>
    isPart(outputs, "matches")
      ? undefined
      : records(outputs, "matches")
          .map((match) => `- ${textField(match, "path")}: ${textField(match, "text")}\n`)
          .join(""),
};
