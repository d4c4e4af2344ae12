import { oneOf } from "../text/patterns.ts";
import type { ConversationTurn } from "../contract/context.ts";
import { estimateTokens } from "../contract/tokens.ts";
import { kindsOfVerb } from "../functions/matching/families.ts";
import { asksQuestion, identifyingStems, mayAskForChange } from "../policy/target-words.ts";
import { oneLine, truncate } from "../text/format.ts";
import { contentStems } from "../text/words.ts";

/** Characters of a turn to evaluate; longer turns are pasted documents. */
const MAX_TURN_CHARACTERS = 4_000;
const MAX_SENTENCE_LENGTH = 240;

const DECISION_WORDS = oneOf(
  String.raw`decid\w+|agree\w*|prefer\w*|chose|choose|will|won't|want\w*|need\w*|must|always|never|remember`,
  String.raw`deadline|due|plan\w*|called|named|instead|my|our`,
);
/** Words that express decisions, preferences and facts about oneself. */
const DECISION = new RegExp(String.raw`\b${DECISION_WORDS}\b`, "iu");
const NUMBER = /\p{N}/u;
const FILE = /(?<![\w-])[\w-]+\.[a-z]{1,5}\b|\w\/\w/u;
const QUOTED = /["“«„][^"”»“]{2,60}["”»“]/u;
/** A capitalized word that does not begin a sentence. */
const NAME = /\S\s+\p{Lu}\p{L}{2,}/u;

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

interface Candidate {
  line: string;
  score: number;
  place: number;
}

/**
 * Summarises a conversation with its own sentences, one per line, in order: those with numbers, names, files and
 * decisions, the orders of the person, and the first sentence of each answer to an order, which says what became of it. Sentences of the
 * person weigh more than the operator's, and those with words of `request` most; failed runs are ignored. `before` is the summary of earlier turns, whose lines are kept while
 * they fit. Returns at most `tokens` tokens; `""` if no sentence is relevant.
 */
export function extractSummary(
  turns: readonly ConversationTurn[],
  { tokens, before, request = "" }: { tokens: number; before?: string | undefined; request?: string },
): string {
  const content = contentStems(request);
  const asked = new Set(identifyingStems(request).filter((stem) => content.has(stem)));
  const earlier = (before ?? "")
    .split("\n")
    .flatMap((line) => (line.length > MAX_SENTENCE_LENGTH ? sentencesOf(line) : [line.trim()]))
    .filter((line) => line !== "")
    .map((line, index): Candidate => ({ line, score: 6 + relevance(line, asked), place: index }));
  const sentenceTexts = turns
    .filter(({ outcome }) => outcome === undefined)
    .flatMap(({ role, text }, at, all) => {
      const before = all[at - 1];
      const isOutcome = before?.role === "person" && sentencesOf(before.text).some(isOrder);
      return sentencesOf(text).map((sentence, index) => ({
        role,
        sentence,
        isOrderOrOutcome: role === "person" ? isOrder(sentence) : index === 0 && isOutcome,
        isEcho: role === "operator" && !isOutcome && before !== undefined && isEchoOf(sentence, before.text),
      }));
    })
    .map((each, index): Candidate => {
      const line = `${each.role}: ${each.sentence}`;
      return { line, score: scoreOf(each) + relevance(line, asked), place: earlier.length + index };
    })
    .filter(({ score }) => score >= 2);
  const unique = [
    ...new Map([...earlier, ...sentenceTexts].map((one) => [one.line.toLowerCase(), one])).values(),
  ];
  const selected: Candidate[] = [];
  let left = tokens;
  for (const one of unique.toSorted((a, b) => b.score - a.score || b.place - a.place)) {
    const cost = estimateTokens(`${one.line}\n`);
    if (cost > left) continue;
    left -= cost;
    selected.push(one);
  }
  return selected
    .toSorted((a, b) => a.place - b.place)
    .map(({ line }) => line)
    .join("\n");
}

/** A shared word outweighs most facts, and more than three shared words are not more relevant. */
function relevance(line: string, asked: ReadonlySet<string>): number {
  const shared = new Set(identifyingStems(line).filter((stem) => asked.has(stem)));
  return 10 * Math.min(3, shared.size);
}

/** "10. " before "Dezember": the day of a month in languages that write it with a period. */
const DAY = /(?:^|[^\d.,])\d{1,2}\.\s*$/u;
const MONTH = /^(?:jan|feb|mär|mar|apr|mai|maj|jun|jul|aug|sep|okt|oct|nov|dez|dec|des)\p{L}*/iu;

function sentencesOf(text: string): string[] {
  const segments: string[] = [];
  for (const { segment } of sentences.segment(text.slice(0, MAX_TURN_CHARACTERS).toWellFormed())) {
    const before = segments.at(-1);
    if (before !== undefined && DAY.test(before) && MONTH.test(segment))
      segments[segments.length - 1] = before + segment;
    else segments.push(segment);
  }
  return segments
    .map(oneLine)
    .filter((sentence) => sentence !== "")
    .map((sentence) => truncate(sentence, MAX_SENTENCE_LENGTH));
}

interface Sentence {
  role: ConversationTurn["role"];
  sentence: string;
  /** True for an order of the person, and for the first sentence of the answer to one. */
  isOrderOrOutcome: boolean;
  /** True for an answer that repeats the message before it. */
  isEcho: boolean;
}

const BEFORE_ORDER =
  /^\W*(?:(?:please|and|then|now|also|no|ok|okay|hm+|well|so|can you|could you|would you)[\s,]+)*/iu;

/** True for a sentence that begins with a verb, "Take them out again.", and for one that asks for a change. */
function isOrder(sentence: string): boolean {
  const [verb = ""] = /^\p{L}+/u.exec(sentence.replace(BEFORE_ORDER, "").toLowerCase()) ?? [];
  return kindsOfVerb(verb).size > 0 || mayAskForChange(sentence);
}

/** What was ordered, what became of it, and what the person stated counts as much as a fact; an echo of the person for nothing. */
function scoreOf({ role, sentence, isOrderOrOutcome, isEcho }: Sentence): number {
  const facts = [NUMBER, FILE, QUOTED, NAME].filter((sign) => sign.test(sentence)).length;
  const words = sentence.split(" ").length;
  const isQuestion = sentence.endsWith("?") || asksQuestion(sentence.replace(BEFORE_ORDER, ""));
  const isStatement =
    role === "person" && !isQuestion && !isOrderOrOutcome && words >= MIN_STATEMENT && !GREETS.test(sentence);
  return (
    facts * 2 +
    (isOrderOrOutcome || isStatement ? 2 : 0) +
    (DECISION.test(sentence) ? 2 : 0) +
    (role === "person" ? 1 : 0) -
    (isQuestion ? 2 : 0) -
    (isEcho ? 4 : 0) -
    (words < 3 ? 2 : 0)
  );
}

/** A shorter statement is an answer or small talk: "yes, do that please". */
const MIN_STATEMENT = 5;
const GREETS =
  /^\W*(?:h(?:i|ello|ey)|good (?:morning|day|evening)|thanks?|thank you|hallo|guten|danke|bonjour|merci|hola|gracias)(?!\p{L})/iu;

/** True for a sentence of the operator that has hardly a word which the message before it does not have. */
function isEchoOf(sentence: string, message: string): boolean {
  const stems = identifyingStems(sentence);
  const known = new Set(identifyingStems(message));
  return stems.filter((stem) => known.has(stem)).length * 4 >= stems.length * 3;
}
