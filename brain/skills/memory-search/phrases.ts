import type { Finder, Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { labelled, records, textField } from "../outputs.ts";

const kept = "[kept|stored|located|saved|hidden|written down|now|again]";

export const phrases: readonly (string | Phrase)[] = [
  `where (is|are) {query} ${kept}`,
  "what (do you|do I) (know|remember|have) (about|on) {query}",
  "where (do|did) I (keep|put|store|leave|save|hide|write down) {query}",
  `where {query} (is|are) ${kept}`,
  "what you (know|remember) about {query}",
  "what did I (tell you|say|note|write|mention) about {query}",
  "what have I (told you|said|noted|written|mentioned) about {query}",
  "(do you|do I) [still] (remember|know|recall) (where|what|when|who) {query} (is|are|was)",
  "(do you|do I) [still] (remember|know|recall) [anything about|about|where|what|when|who|that|if|how] {query}",
  "(did I|have I) (tell|told|mention|mentioned|say|said|note|noted|write|written) [you] [down] [anything about|about|where|what|when|that] {query}",
  "(search|look|check) [in|through] [my|your] (memory|notes) (for|about) {query}",
  "(search for|search|recall|find|look up) {query} [(in|from) [my|your] memory]",
  "(find|show|list|what are) [me] [all] [my] memories (about|of|on|with) {query}",
  "what is =my {query}",
  {
    say: "(what|who|when|where) (is|are) {query}",
    slots: { query: { type: "query", possessive: true, sample: "Bob's birthday" } },
  },
  "who is =my {query}",
  "when (is|was) {query}",
  {
    say: "(show|open|view|get|see|find) [me] {query}",
    slots: { query: { type: "reference", kind: "memory", pronounOnly: true, byName: true } },
  },
  "memories (about|of) {query}",
  "(remind|refresh) me (where|what|when|who) {query} (is|are|was)",
];

export const slots: Record<string, SlotType | Slot> = { query: { type: "query", sample: "the garage code" } };

export const finds: Finder = {
  kind: "memory",
  by: "query",
  candidates: (outputs) => labelled(outputs, "results", "content"),
};

export const results: Results = {
  // The best are all that is asked for: a search has no end.
  text: (outputs) =>
    records(outputs, "results")
      .map((memory) => `- ${textField(memory, "content")}\n`)
      .join(""),
};

/** What is remembered may answer any question; the search itself says when it does not. */
export const answers = "query";
