import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

export const phrases: readonly (string | Phrase)[] = [
  "[show [me]] [the] =git diff [(in|of|for) [file|folder|repository|repo] {path}]",
  {
    say: "[show [me]] [the] staged =git diff [(in|of|for) [file|folder|repository|repo] {path}]",
    args: { staged: true },
  },
];

export const slots: Record<string, SlotType | Slot> = { path: { type: "path", sample: "out/site/index.md" } };

export const results: Results = {
  text: (outputs) => (outputs.truncated === true ? undefined : textField(outputs, "diff")),
};
