import type { Clause } from "./clauses.ts";
import { isForeign } from "./foreign.ts";
import type { ReadingContext } from "./match.ts";
import { nearestPhrases } from "./nearest.ts";
import { isOpenEnded } from "./open-ended.ts";
import type { PlannedCall, Reading } from "./plan.ts";
import { written } from "./slots/slot-reader.ts";
import { FUNCTION_WORDS } from "./words.ts";

const MOST_SHOWN = 160;
/** More gaps than these say less than the whole clause. */
const MOST_GAPS = 4;
/** Clauses with no more known words than this are clearer as a whole. */
const FEW_WORDS = 3;

export interface Gap {
  /** Clauses that were understood. */
  understood?: readonly Pick<Clause, "from" | "to">[];
  /** Clauses that were not. */
  unclear?: readonly Clause[];
  /** What was not understood, in the person's words; missing: what no phrase knows in `unclear`. */
  unexplained?: readonly string[];
  dangling?: string;
  recall?: PlannedCall | undefined;
}

/** The words of a request from one token to another, on one line. */
export function wordsOf(
  { request, tokens }: ReadingContext,
  { from, to }: Pick<Clause, "from" | "to">,
): string {
  return written(request, tokens, from, to).replace(/\s+/gu, " ").trim();
}

/** Says honestly what was understood, what was not, and what would work. */
export function notUnderstood(
  context: ReadingContext,
  { understood = [], unclear = [], unexplained, dangling, recall }: Gap,
): Reading {
  const { tokens, grammar } = context;
  const open = unclear.filter((clause) => clause.kind !== "prohibition" && isOpenEnded(context, clause));
  const gaps =
    unexplained ??
    unclear.flatMap((clause) =>
      open.includes(clause) ? [wordsOf(context, clause)] : unexplainedIn(context, clause),
    );
  const foreign = isForeign(tokens, grammar);
  const [only] = unclear;
  const told =
    !foreign &&
    only?.kind === "unknown" &&
    unclear.length === 1 &&
    understood.length === 0 &&
    tells(context, only)
      ? wordsOf(context, only).replace(/[\s.!]+$/u, "")
      : undefined;
  const about = unclear.length === 0 ? tokens : unclear.flatMap(({ from, to }) => tokens.slice(from, to));
  return {
    kind: "not-understood",
    understood: understood.map((clause) => clipped(wordsOf(context, clause))),
    unexplained: [...new Set(gaps.map(clipped))],
    // The spelling of another language's words is near to nothing that is meant.
    nearest: nearestPhrases(grammar, foreign ? [] : about),
    ...(foreign && { foreign }),
    ...(told !== undefined && { told }),
    ...(dangling !== undefined && { dangling }),
    ...(recall && { recall }),
    needsModel: open.length > 0,
  };
}

/** The runs of words in a long clause that no phrase knows; the whole clause when it is short, or all or none of it. */
function unexplainedIn(context: ReadingContext, clause: Clause): string[] {
  const { tokens, grammar } = context;
  const runs: { from: number; to: number }[] = [];
  let known = 0;
  let isRunOpen = false;
  for (let at = clause.from; at < clause.to; at++) {
    const token = tokens[at];
    if (token?.kind !== "word" || FUNCTION_WORDS.has(token.text)) continue;
    const last = runs.at(-1);
    const isKnown = grammar.stems.has(token.stem) || grammar.corrected(token) !== undefined;
    if (isKnown) known++;
    else if (isRunOpen && last !== undefined) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
    isRunOpen = !isKnown;
  }
  const isTelling = known > FEW_WORDS && runs.length > 0 && runs.length <= MOST_GAPS;
  return isTelling ? runs.map((run) => wordsOf(context, run)) : [wordsOf(context, clause)];
}

/** Whose matter is told: "my", "Anna's", "the", a name. */
const SUBJECT = /^(?:(?:my|our|the|his|her|their|this|that|i|we)\b|\p{Lu}\p{L}+\b|\p{L}+['’]s\b)/iu;
const STATING =
  /\s(?:is|are|was|were|has|have|had|likes?|loves?|hates?|lives?|works?|needs?|prefers?|uses?|costs?|means?|died|moved|starts?|ends?)\s+\S/iu;

/** True for a plain statement: "my dentist is Dr. Berg". It asks for nothing, but may be worth keeping. */
function tells({ request, tokens }: ReadingContext, { from, to }: Clause): boolean {
  const words = written(request, tokens, from, to);
  return tokens[to - 1]?.text !== "?" && SUBJECT.test(words) && STATING.test(words);
}

function clipped(words: string): string {
  return words.length <= MOST_SHOWN ? words : `${words.slice(0, MOST_SHOWN).toWellFormed().trimEnd()}…`;
}
