import { isAnotherLanguage } from "./answer-language.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { contentWords, significantWords, stem } from "./mentions.ts";
import { type AnswerSoFar } from "./number-arithmetic.ts";
import { doubted, type Problem, refuted } from "./problem.ts";
import { NEGATION } from "./vocabulary.ts";

/** "you asked me to keep a copy": what follows are words or wishes of the person. */
const ATTRIBUTES =
  /(?<!\p{L})(?:you (?:had |have |also |first |then |just )*(?:asked|told|wanted|requested|instructed)|du (?:hast|hattest|wolltest)(?: mich| mir)?(?=.*(?:gebeten|gesagt|verlangt))|tu (?:m['’]as|voulais)(?: demandé| dit)?|me pediste|me dijiste|querías)(?: me)?(?: to| for| that)?\s+([^.;:!?]+)/giu;

/** The fewest content words from which code refutes what is said of the person, and the largest part of them that is known. */
const REFUTED_WORDS = 3;
const KNOWN_PART = 0.25;

/** What an answer says that the person asked or wanted, in words that nothing said, remembered or observed has. */
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
