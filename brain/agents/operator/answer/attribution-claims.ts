import { oneOf } from "@metahuman/core/text/patterns";
import { isAnotherLanguage } from "./answer-language.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { contentWords, significantWords, stem } from "./mentions.ts";
import { type AnswerSoFar } from "./number-arithmetic.ts";
import { doubted, type Problem, refuted } from "./problem.ts";
import { NEGATION } from "./vocabulary.ts";

const ATTRIBUTES_WORDS = oneOf(
  "you (?:had |have |also |first |then |just )*(?:asked|told|wanted|requested|instructed)",
  "du (?:hast|hattest|wolltest)(?: mich| mir)?(?=.*(?:gebeten|gesagt|verlangt))",
  "tu (?:m['’]as|voulais)(?: demandé| dit)?|me pediste|me dijiste|querías",
);
/** "you asked me to keep a copy": what follows are words or wishes of the person. */
const ATTRIBUTES = new RegExp(
  String.raw`(?<!\p{L})${ATTRIBUTES_WORDS}(?: me)?(?: to| for| that)?\s+([^.;:!?]+)`,
  "giu",
);

/**
 * The minimum number of content words for refuting a statement about the person, and the maximum share of known ones.
 */
const REFUTED_WORDS = 3;
const KNOWN_PART = 0.25;

/**
 * Statements that the person asked for or wanted something, in words that occur in no message, memory or observation.
 */
export function unsupportedAttributions(
  text: string,
  evidence: PreparedEvidence,
  before: AnswerSoFar,
): Problem[] {
  const { source, calls } = evidence;
  if (NEGATION.test(text) || text.endsWith("?")) return [];
  const found = [...text.matchAll(ATTRIBUTES)].map(([, words = ""]) => contentWords(words).map(stem));
  if (found.length === 0 || isAnotherLanguage(text, evidence, before)) return [];
  const known = new Set(
    significantWords(
      [
        source.request,
        before.sample,
        ...source.conversation.map((turn) => turn.text),
        ...source.memories,
        ...(source.known ?? []),
        ...calls.map((call) => call.text),
      ].join("\n"),
    ).map(stem),
  );
  return found.flatMap((words): Problem[] => {
    const shown = words.filter((word) => known.has(word)).length;
    if (words.length < 2 || shown > words.length * KNOWN_PART) return [];
    return [words.length >= REFUTED_WORDS ? refuted(NOT_ASKED) : doubted(NOT_ASKED)];
  });
}

const NOT_ASKED = "This is said of what the person asked for, and nothing that the person said shows it.";
