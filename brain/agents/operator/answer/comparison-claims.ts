import { wholeWords } from "@metahuman/core/text/patterns";
import { bareWords } from "@metahuman/core/text/words";
import { linePreview } from "@metahuman/skills/support/phrasing";
import { type AnswerEvidence, isObserved } from "./evidence.ts";
import { type Problem, refuted } from "./problem.ts";

/** "All other clauses are the same", "otherwise unchanged", "no further differences", "the files are identical". */
const SAME = String.raw`same|identical|equal|unchanged|alike|match|gleich|identisch|unverändert|identiques?|inchangée?s?|(?:les )?mêmes?`;
const REST = [
  "(?:all|every|each|any)(?: of)?(?: the)? (?:others?|rest|remaining)|the (?:others?|rest|remaining)",
  "everything else|otherwise|apart from (?:that|this|these)|alle (?:anderen|übrigen|weiteren)|der rest",
  "ansonsten|sonst|tou(?:te)?s les autres|le reste|pour le reste",
].join("|");
const CLAIMS_SAME = new RegExp(
  wholeWords(
    String.raw`(?:${REST})(?!\p{L})[^.;]{0,80}(?<!\p{L})(?:${SAME})`,
    "(?:no|without|not any|keine?|aucune?) (?:other |further |more |weiteren? |anderen? |autre )?(?:differences?|changes?|unterschiede?|änderungen?|différences?)",
    "nothing else (?:differs|changed|has changed|is different)|sonst nichts",
    "the only (?:differences?|changes?)",
    String.raw`(?:files|documents|texts|versions|contracts|both|two|dateien|beide|fichiers) (?:are|sind|sont) (?:\p{L}+ )?(?:${SAME})`,
  ),
  "iu",
);

/** The number of differences that are named. */
const MAX_NAMED = 6;
/** The number of different lines that are compared with each other. */
const MAX_LINES = 300;
/** From this share of common words on, a line is another version of a line. */
const SAME_LINE = 0.6;

/** The sentences; the first one that says that nothing else differs has the differences that the answer leaves out as its problem. */
export function withOverlookedDifferences<
  Sentence extends { text: string; problems: Problem[]; isChecked: boolean; isUndecided: boolean },
>(sentences: readonly Sentence[], answer: string, evidence: AnswerEvidence): Sentence[] {
  const claim = sentences.find(({ text }) => CLAIMS_SAME.test(text));
  const problem = claim && overlookedDifferences(answer, evidence);
  return sentences.map((sentence) =>
    problem && sentence === claim
      ? { ...sentence, problems: [...sentence.problems, problem], isChecked: true, isUndecided: false }
      : sentence,
  );
}

/**
 * "All other clauses are the same", where two files were read and differ in lines of which the answer says nothing. Files longer than a model
 * sees at once are compared as a whole. The numbers at the beginning of lines do not count.
 */
function overlookedDifferences(answer: string, { scratchpad }: AnswerEvidence): Problem | undefined {
  const read = new Map<string, string>();
  for (const { action, observation } of scratchpad.filter(isObserved)) {
    const { path, content, truncated } = observation?.outputs ?? {};
    if (observation?.success !== true || action?.tool !== "fs_read") continue;
    if (typeof path !== "string" || typeof content !== "string" || Number(action.args["from"] ?? 0) > 0)
      continue;
    if (truncated === true) return undefined;
    read.set(path, content);
  }
  const [one, other, more] = [...read];
  if (one === undefined || other === undefined || more !== undefined) return undefined;
  const stated = new Set(wordsOf(answer));
  const left = [
    ...differences(one[1], other[1], stated).map((line) => `“${linePreview(line)}” is only in ${one[0]}`),
    ...differences(other[1], one[1], stated).map((line) => `“${linePreview(line)}” is only in ${other[0]}`),
  ];
  if (left.length === 0) return undefined;
  const rest = left.length - MAX_NAMED;
  return refuted(
    `The files differ in more than the answer says: ${left.slice(0, MAX_NAMED).join("; ")}${rest > 0 ? `; and ${rest} more lines` : ""}.`,
  );
}

/** The lines of a text that another one lacks and of which no word that makes the difference was said. */
function differences(text: string, other: string, stated: ReadonlySet<string>): string[] {
  const others = new Map(linesOf(other).map((line) => [keyOf(line), new Set(wordsOf(line))]));
  const own = new Set(linesOf(text).map(keyOf));
  const unmatched = [...others].filter(([key]) => !own.has(key)).slice(0, MAX_LINES);
  return linesOf(text)
    .filter((line) => !others.has(keyOf(line)))
    .slice(0, MAX_LINES)
    .filter((line) => {
      const words = wordsOf(line);
      const version = unmatched.find(
        ([, known]) => words.filter((word) => known.has(word)).length >= SAME_LINE * words.length,
      );
      const changed = version ? words.filter((word) => !version[1].has(word)) : words;
      return changed.length > 0 && !changed.some((word) => stated.has(word));
    });
}

const linesOf = (text: string): string[] =>
  text.split("\n").flatMap((line) => {
    const bare = line.replace(/^[\s#>*+-]*(?:\d+[.)]\s)?/u, "").trim();
    return bare === "" ? [] : [bare];
  });

const keyOf = (line: string): string => bareWords(line);

/** The numbers and longer words of a text. */
const wordsOf = (text: string): string[] => [
  ...new Set(text.toLowerCase().match(/\d+(?:[.,]\d+)*|\p{L}{4,}/gu)),
];
