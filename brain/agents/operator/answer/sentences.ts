import { oneOf } from "@metahuman/core/text/patterns";
import { listMarkLength } from "@metahuman/core/text/list-marks";
import { isMonth } from "./quantity-words.ts";
import { measureOf } from "./units.ts";

/** A sentence of an answer, or a line without one. */
export interface Sentence {
  /** The text without surrounding white space. */
  text: string;
  start: number;
  end: number;
  /** True for code blocks and quoted lines, which claim nothing. */
  isQuoted: boolean;
  isListItem: boolean;
}

/**
 * A possible end of a sentence: punctuation, closing quotes and emphasis, and its citations. Each run of them is taken whole
 * (a look-ahead and its back reference): parts of a row of dots would be tried in every combination.
 */
const END =
  /(?<![.!?…。！？])(?=(?<marks>[.!?…。！？]+))\k<marks>(?=(?<closing>[)"'”’»*_]*))\k<closing>(?:\s*\[\d{1,3}(?:\s*,\s*\d{1,3})*\])*[.)*_]{0,8}(?=\s+(?<next>\S+)|\s*$)/gu;
const KNOWN_ABBREVIATIONS = oneOf(
  String.raw`\p{L}|mr|mrs|ms|dr|prof|st|nr|no|vs|ca|approx|bzw|usw|etc|incl|excl|inkl|ggf|evtl|sog|z\.b|d\.h|e\.g`,
  String.raw`i\.e|u\.a|p\.m|a\.m|sr|sra|ej|env|mio|tel|str|abs|chs?|chap|pp|vols?|figs?|kap|bd|vgl`,
);
const ABBREVIATION = new RegExp(String.raw`(?:^|[\s(.])${KNOWN_ABBREVIATIONS}\.$`, "iu");
const FENCE = /^\s*(?:```|~~~)/u;

/**
 * The maximum number of characters of a sentence: what is longer continues as the next one, because each figure of a sentence is compared with all
 * of its words. Sentences of real answers have less than 200.
 */
const MAX_LENGTH = 500;
/** White space that nothing but characters of words follows. */
const LAST_SPACE = /\s(?=\S*$)/u;

/** The index after at most `MAX_LENGTH` characters of a line from `start`, after a blank where there is one. */
function cutAfter(line: string, start: number): number {
  const longest = line.slice(start, start + MAX_LENGTH).replace(/[\uD800-\uDBFF]$/u, "");
  const space = longest.search(LAST_SPACE);
  return start + (space > 0 ? space + 1 : longest.length);
}

/** True for a line that begins or ends a code block. */
export const isFence = (line: string): boolean => FENCE.test(line);

/**
 * The sentences of a text in order; every line break ends one. `isFenced`: the text begins inside a code block. `after`:
 * omits sentences that begin before this index of the first line.
 */
export function sentencesOf(answer: string, { isFenced = false, after = 0 } = {}): Sentence[] {
  const sentences: Sentence[] = [];
  let from = 0;
  for (const line of answer.split("\n")) {
    const isQuoted = isFenced || isFence(line) || /^\s*>/u.test(line);
    if (isFence(line)) isFenced = !isFenced;
    const mark = listMarkLength(line);
    let start = from === 0 ? after : 0;
    const add = (end: number): void => {
      while (!isQuoted && end - start > MAX_LENGTH) addPart(cutAfter(line, start));
      addPart(end);
    };
    const addPart = (end: number): void => {
      const raw = line.slice(start, end);
      const text = raw.trim();
      if (text !== "") {
        const at = from + start + raw.indexOf(text);
        sentences.push({ text, start: at, end: at + text.length, isQuoted, isListItem: mark > 0 });
      }
      start = end;
    };
    if (!isQuoted) for (const end of endsIn(line, Math.max(mark, start))) add(end);
    add(line.length);
    from += line.length + 1;
  }
  return sentences;
}

/** "38 ms." and "60 m." end a sentence; "Ms." and "J." do not. */
const endsInUnit = (text: string): boolean =>
  measureOf(/\d\s?(\p{L}{1,2})\.$/u.exec(text)?.[1]?.toLowerCase() ?? "") !== "";

/** "Write `(items ?? []).map(…)` there." is one sentence. */
const CODE = /`[^`]*`/gu;
/** "The room (2nd fl. West wing) has 12 seats." is one sentence. */
const REMARK = /\([^()]*\)/gu;

/** Tells whether an index is inside a match of `pattern`, without its first and last character. The indexes must increase. */
function createInsideTest(line: string, pattern: RegExp): (index: number) => boolean {
  const spans = line.matchAll(pattern);
  let span = spans.next();
  return (index) => {
    while (!span.done && span.value.index + span.value[0].length - 1 <= index) span = spans.next();
    return !span.done && span.value.index < index;
  };
}

/** The ends of the sentences of a line that lie after an index. */
function* endsIn(line: string, index: number): Generator<number> {
  const pattern = new RegExp(END);
  pattern.lastIndex = index;
  const isInsideCode = createInsideTest(line, CODE);
  const isInsideRemark = createInsideTest(line, REMARK);
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const end = match.index + match[0].length;
    if (end <= index) continue;
    const next = match.groups?.["next"];
    const before = line.slice(Math.max(0, match.index - 15), match.index + 1);
    if (next === undefined || isInsideCode(match.index)) continue;
    if (isInsideRemark(end - 1)) continue;
    if (match[0] === "." && ABBREVIATION.test(before) && !endsInUnit(before)) continue;
    // "24. November" is an ordinal.
    if (match[0] === "." && /(?:^|\s)\d{1,2}\.$/u.test(before) && isMonth(next)) continue;
    // A lower-case letter continues the sentence, but a path may begin a new one.
    if (/^\p{Ll}/u.test(next) && !/^[\p{L}\p{N}_-]+[/.][\p{L}\p{N}]/u.test(next)) continue;
    yield end;
  }
}
