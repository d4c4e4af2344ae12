import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

export const phrases: readonly (string | Phrase)[] = [
  "(get|fetch|download|load) [me] [the] [contents of] (url|page|web page|website|web address) {url}",
  "(open|show|read) [me] the (url|web page|website|web address) {url}",
  "(get|fetch|read|open) [me] {url} from the (web|internet)",
  "what is on the (web page|website) {url}",
];

export const slots: Record<string, SlotType | Slot> = {
  url: { type: "text", sample: "https://example.org/" },
};

export const results: Results = {
  text: (outputs) => (outputs.truncated === true ? undefined : textField(outputs, "body")),
};
