import type { ConversationTurn } from "../contract/context.ts";
import { FILE_PATH } from "../memory/entities.ts";
import { FUNCTION_WORDS, normalize, stem } from "../language/tokens/words.ts";
import { firstLine, truncate } from "../text/format.ts";

const MAX_TOPICS = 6;
const MAX_FOCUS_LENGTH = 100;

/** Words of requests and answers that name no subject. */
const COMMON = new Set(
  (
    "thing things way file files list lists make made show tell told find found get give given take put want need know think say said like " +
    "help let see look use used using done yes okay ok sure thanks thank hello good great new old more most much many " +
    "still first last next today tomorrow yesterday once twice long short measures measure have got going went come came " +
    "ask asked answer answered write wrote written read create created delete deleted add added open notes note " +
    "operator could would about which with without your mine yours them into from what when where this that these those"
  )
    .split(" ")
    .map(stem),
);

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;

interface Topic {
  word: string;
  weight: number;
  first: number;
}

/**
 * Returns names, files and nouns of the turns, most prominent first. Frequency, recency, the person as author, and
 * being a name add weight.
 */
export function topicsOf(turns: readonly ConversationTurn[]): string[] {
  const found = new Map<string, Topic>();
  turns.forEach(({ role, text, outcome }, index) => {
    if (outcome !== undefined) return;
    const weight = (role === "person" ? 2 : 1) * (1 + index / turns.length);
    const seen = new Set<string>();
    for (const { word, key, isName } of subjectsIn(text)) {
      if (seen.has(key)) continue;
      seen.add(key);
      const known = found.get(key) ?? { word, weight: 0, first: found.size };
      found.set(key, { ...known, weight: known.weight + weight * (isName ? 2 : 1) });
    }
  });
  return [...found.values()]
    .toSorted((a, b) => b.weight - a.weight || a.first - b.first)
    .slice(0, MAX_TOPICS)
    .map(({ word }) => word);
}

/** Returns the first line of the person's newest turn with at least two subjects; undefined if there is none. */
export function focusOf(turns: readonly ConversationTurn[]): string | undefined {
  const newest = turns.findLast(
    ({ role, text }) => role === "person" && new Set(subjectsIn(text).map(({ key }) => key)).size >= 2,
  );
  const line = firstLine(newest?.text ?? "");
  return line === "" ? undefined : truncate(line, MAX_FOCUS_LENGTH);
}

function subjectsIn(text: string): { word: string; key: string; isName: boolean }[] {
  const paths = [...text.matchAll(FILE_PATH)].map(([word]) => ({ word, key: word, isName: true }));
  const words = [...text.replaceAll(FILE_PATH, " ").matchAll(WORD)].flatMap((match) => {
    const word = match[0];
    const key = stem(normalize(word));
    if (word.length < 4 || /^\d/u.test(word) || FUNCTION_WORDS.has(normalize(word)) || COMMON.has(key))
      return [];
    const startsSentence = match.index === 0 || /[.!?\n]\s*$/u.test(text.slice(0, match.index));
    return [{ word, key, isName: /^\p{Lu}/u.test(word) && !startsSentence }];
  });
  return [...paths, ...words];
}
