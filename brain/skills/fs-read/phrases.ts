import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

const byWords: Record<string, Slot> = {
  path: { type: "reference", kind: "file", plain: true, sample: "shopping list" },
};

export const phrases: readonly (string | Phrase)[] = [
  "read [me] [out] [back] [contents of] [file [called]] {path} [out] [loud|aloud] [back] [to me]",
  "(show|open|view|print|cat|pull up|bring up) [me] [file [called]] {path}",
  "(show|read|print|get|give) [me] the (contents|text) of [file] {path}",
  "what is [written] (in|inside) [file] {path}",
  "what does [file] {path} (say|contain|have)",
  "(show|tell|see) [me] what is [written] (in|inside) [file] {path}",
  "what are the contents of [file] {path}",
  "(look|have a look|take a look) (at|in|into|inside) [file] {path}",
  "(see|check|get|fetch|load) [file] {path}",
  "what [file] {path} (says|contains)",
  "the contents of [file] {path}",
  { say: "(read|show|open|view|print) [me] the {path} =file", slots: byWords },
  { say: "(read|show) [me] the contents of the {path} =file", slots: byWords },
  { say: "what is [written] (in|inside) the {path} =file", slots: byWords },
  { say: "what does the {path} =file (say|contain)", slots: byWords },
];

export const slots: Record<string, SlotType | Slot> = { path: "path" };

export const results: Results = {
  path: "path",
  text: (outputs) =>
    outputs.truncated === true || outputs.from !== undefined ? undefined : textField(outputs, "content"),
  textOf: "path",
};
