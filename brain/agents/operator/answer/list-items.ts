import { oneOf } from "@metahuman/core/text/patterns";
import { contentWords, filesIn, stem } from "./mentions.ts";

const SENTENCE_END = /[.!?](?:\s|$)|\n{2,}/u;
const BETWEEN_ITEMS = /\s*[,;\n]\s*(?:(?:and|und|et|y|och|og|e|en)\s+)?|\s+(?:and|und|et|y|och|og)\s+/u;
/** What follows an item but is not part of it: "the bank on Monday". */
const AFTER_ITEM =
  /(?<=\S)\s+(?:on|at|in|into|to|for|by|with|from|before|after|until|due|bis|am|im|für|mit|pour|avec|para|con)\s.*$/iu;
const NO_ITEM_WORDS = oneOf(
  String.raw`due|by|on|at|until|each|all|every\w*|both|please|then|tell me|let me|show me|give me|ask me|with|for`,
  "in|to|no|not|but|except|also|make sure|thanks?|thank you|bis|am|im|alle|jeweils|bitte|dann|sag mir",
  "zeig mir",
);
/** Parts of a sentence with a list that are not items of it: "due on Friday", "all of them", "tell me when it is done". */
const NO_ITEM = new RegExp(String.raw`^${NO_ITEM_WORDS}(?!\p{L})`, "iu");

/** "One row per sku" says how the result is laid out. */
const LAYOUT =
  /^(?:with )?(?:one|an?|eine?|une?|una?) \p{L}+ (?:per|for (?:each|every)|pro|je|für jede\p{L}*|par|por|pour chaque|para cada)(?!\p{L})/iu;

/** A list shorter than this is too easily no list; in items. */
const MIN_ITEMS = 3;

/** A call that succeeded, with its arguments and its outcome as text. */
interface MadeCall {
  tool: string;
  text: string;
}

/**
 * The items of a list in the request of which no call has more than half of the words, although calls of one skill have at least two other
 * items and half of the list: "the bank" in "tasks to ring Ida, Oskar and the bank", where two tasks were created.
 */
export function omittedItems(request: string, calls: readonly MadeCall[]): string[] {
  const known = calls.map(({ tool, text }) => ({
    tool,
    stems: new Set(contentWords(`${tool.replaceAll("_", " ")} ${text}`).map(stem)),
  }));
  const shareOf = (words: readonly string[], stems: ReadonlySet<string>): number =>
    words.filter((word) => stems.has(word)).length / words.length;
  // A separator would be looked for from every blank of a gap on.
  const text = request.replaceAll(/[^\S\n]{2,}/gu, " ");
  return text.split(SENTENCE_END).flatMap((sentence) => {
    const items = itemsOf(sentence);
    if (items.length < MIN_ITEMS) return [];
    const covering = items.map(({ words }) => known.find(({ stems }) => shareOf(words, stems) === 1));
    const first = covering.findIndex((call) => call !== undefined);
    const ofOneSkill = new Set(covering.filter((call) => call?.tool === covering[first]?.tool));
    ofOneSkill.delete(undefined);
    if (ofOneSkill.size < 2 || ofOneSkill.size < items.length / 2) return [];
    // "… and write it into out/a.md" is an order of its own.
    const namesFileOfCall = (item: string): boolean =>
      filesIn(item).some((file) => calls.some((call) => call.text.includes(file.toLowerCase())));
    return items
      .filter(({ words }, index) => index > first && known.every(({ stems }) => shareOf(words, stems) <= 0.5))
      .filter((item) => !namesFileOfCall(item.text))
      .map(({ text }) => text);
  });
}

function itemsOf(sentence: string): { text: string; words: string[] }[] {
  const list = sentence.slice(sentence.lastIndexOf(": ") + 1);
  const hasLabel = list.length < sentence.length;
  return list
    .split(BETWEEN_ITEMS)
    .filter((part) => !NO_ITEM.test(part.trim()) && !LAYOUT.test(part.trim()))
    .map((part, index) => {
      const text = part.trim().replace(/^[-*•\d.)\s]+/u, "");
      const isFirst = index === 0 && !hasLabel;
      const words = contentWords(isFirst ? text : text.replace(AFTER_ITEM, "")).map(stem);
      return { text, words: isFirst ? words.slice(-1) : words };
    })
    .filter(({ words }) => words.length > 0);
}
