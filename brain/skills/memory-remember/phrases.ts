import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

export const phrases: readonly (string | Phrase)[] = [
  "remember that {text}",
  "remember [this|the following] {text}",
  "(note|note down|take note|take a note|make a note|write down|jot down|keep in mind|bear in mind) (that|:) {text}",
  "(memorize|memorise) {text}",
  "do not forget (that|:) {text}",
  "(save|store|put|add) (to|in) [your] memory [that|:] {text}",
  { say: "(save|store|put|add) {text} (to|in) [your] memory", slots: { text: "wording" } },
  "(fyi|for the record|note to self) {text}",
];

export const slots: Record<string, SlotType | Slot> = {
  text: { type: "text", sample: "the garage code is 4711" },
};

export const results: Results = {
  reference: { memory: "id" },
  label: (outputs) => textField(outputs, "content"),
};

/** What a person just tells may be worth remembering; they say whether it is. */
export const keeps = "text";
