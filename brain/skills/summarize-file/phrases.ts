import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

const length = "[in|within] [at most|about|under] {maxWords} words";
const byWords: Record<string, Slot> = {
  path: { type: "reference", kind: "file", plain: true, sample: "meeting notes" },
};

export const phrases: readonly (string | Phrase)[] = [
  `(summarize|summarise|sum up|condense) [for me] [the (contents|text) of] [file] {path} [${length}]`,
  `(give|show|write|make) [me] a [short|brief] summary of [the (contents|text) of] [file] {path} [${length}]`,
  "(tell me|explain) what [file] {path} is about",
  "what is [file] {path} about",
  "[a] [short|brief] summary of [file] {path}",
  { say: `(summarize|summarise|sum up|condense) [for me] the {path} =file`, slots: byWords },
];

export const slots: Record<string, SlotType | Slot> = {
  path: { type: "path", sample: "notes.md" },
  maxWords: "number",
};

export const results: Results = {
  path: "path",
  text: (outputs) => textField(outputs, "summary"),
  textOf: "path",
};
