import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { records, textField } from "../outputs.ts";

export const phrases: readonly (string | Phrase)[] = [
  "(search|look) [on|in] the (web|internet) for {query}",
  "(search for|look up|find|google) {query} (on|in) the (web|internet)",
  "web search [for] {query}",
  "google {query}",
];

export const slots: Record<string, SlotType | Slot> = {
  query: { type: "query", sample: "tide times in Oslo" },
};

export const results: Results = {
  text: (outputs) =>
    records(outputs, "results")
      .map((result) => `- ${textField(result, "title")}: ${textField(result, "url")}\n`)
      .join(""),
};
