import { formatCount } from "@metahuman/core/text/format";
import { checkItems } from "@metahuman/core/text/list-marks";
import type { Phrase, View } from "@metahuman/core/language/grammar/phrase";
import { escapeInline } from "../markdown.ts";
import { textField } from "../outputs.ts";

const OPEN =
  "(open|left|undone|unchecked|unticked|unfinished|outstanding|missing|to do|not done|not ticked|not checked|not finished|not packed|not bought)";
const DONE = "(done|ticked|ticked off|checked|checked off|finished|completed|complete|packed|bought)";
const inFile = "(in|on|from|of|according to) [the] [list|checklist] [in] [file] {path}";

const bulletList = (items: readonly string[]): string =>
  items.map((item) => `- ${escapeInline(item)}`).join("\n");

/** The items of a checklist whose boxes are ticked, or not; undefined for a file without boxes. */
const itemsThat =
  (isChecked: boolean): View =>
  (outputs) => {
    const boxes = checkItems(textField(outputs, "content").split(/\r?\n/u));
    if (boxes.length === 0 || outputs["truncated"] === true || outputs["from"] !== undefined)
      return undefined;
    const found = boxes.filter((box) => box.isChecked === isChecked).map(({ text }) => text);
    const state = isChecked ? "ticked" : "not ticked";
    const counted = `${String(found.length)} of ${formatCount(boxes.length, "item")} in ${escapeInline(textField(outputs, "path"))}`;
    if (found.length === 0) return `No item of ${escapeInline(textField(outputs, "path"))} is ${state}.`;
    return `${counted} ${found.length === 1 ? "is" : "are"} ${state}:\n\n${bulletList(found)}`;
  };

/** Answers from the boxes of a checklist. */
export const checklistViews: Readonly<Record<string, View>> = {
  "boxes-open": itemsThat(false),
  "boxes-done": itemsThat(true),
};

/** "What is still open in packing.md?" */
export const checklistPhrases: readonly Phrase[] = (
  [
    ["boxes-open", OPEN],
    ["boxes-done", DONE],
  ] as const
).map(([name, state]): Phrase => ({
  template: `(what|which|how many) [things|items|points|entries|boxes|tasks] (is|are|have) [still|yet|already|been] ${state} [yet|already|still|to do] ${inFile}|(what|which|how many) [things|items|points|entries|boxes|tasks] ${inFile} (is|are|have) [still|yet|already|been] ${state} [yet|already|still]|(show|list|give|tell) [me] [all|only] [the] [things|items|points|entries|boxes] [that] [are] [still|already] ${state} [things|items|points|entries|boxes] ${inFile}`,
  slots: { path: { type: "path", like: /\.(?:md|txt)$/iu, sample: "packing.md" } },
  view: { name },
}));
