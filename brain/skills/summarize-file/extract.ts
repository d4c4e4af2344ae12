import { contentWords, stemOf } from "@metahuman/core/text/words";
import { yieldToEventLoop } from "@metahuman/core/async/yield-to-event-loop";

interface Sentence {
  text: string;
  /** The number of words, as a reader counts them. */
  length: number;
  stems: readonly string[];
}

/** Sentences between two abort checks, which also yield to the event loop. */
const BATCH_SIZE = 200;

const sentenceSegmenter = new Intl.Segmenter("en", { granularity: "sentence" });
const wordSegmenter = new Intl.Segmenter("en", { granularity: "word" });

/** Returns the number of words as a reader counts them. */
export function countWords(text: string): number {
  let words = 0;
  for (const { isWordLike } of wordSegmenter.segment(text)) if (isWordLike) words += 1;
  return words;
}

/** Returns the first `maxWords` words, with an ellipsis if the text continues. */
export function firstWords(text: string, maxWords: number): string {
  let words = 0;
  for (const { isWordLike, index } of wordSegmenter.segment(text)) {
    if (isWordLike && ++words > maxWords) return `${text.slice(0, index).trimEnd()}…`;
  }
  return text;
}

/** Returns the first `maxSentences` sentences; the whole text without a limit. */
export function firstSentences(text: string, maxSentences: number | undefined): string {
  if (maxSentences === undefined) return text;
  return Array.from(sentenceSegmenter.segment(text), ({ segment }) => segment)
    .slice(0, maxSentences)
    .join("")
    .trim();
}

/** How long a summary may be. */
export interface SummaryLength {
  maxWords: number;
  maxSentences?: number | undefined;
}

/** The weight reduction for words that are already in the summary: all words, then half. */
const REPETITION = 0.5;

/**
 * Selects the most representative sentences within this length, verbatim and in order. Deterministic: scores by word
 * frequency, with less weight for repetitions (maximal marginal relevance, Carbonell and Goldstein 1998).
 */
export async function extractSummary(
  text: string,
  { maxWords, maxSentences = Number.POSITIVE_INFINITY }: SummaryLength,
  signal: AbortSignal,
): Promise<string> {
  const sentences = await sentencesOf(text, signal);
  const counts = new Map<string, number>();
  for (const stem of sentences.flatMap(({ stems }) => stems)) counts.set(stem, (counts.get(stem) ?? 0) + 1);

  const chosen = new Set<Sentence>();
  const covered = new Set<string>();
  let left = maxWords;
  while (chosen.size < maxSentences) {
    let best: Sentence | undefined;
    let bestWeight = 0;
    for (const [index, sentence] of sentences.entries()) {
      if (index % BATCH_SIZE === 0) await yieldUnlessAborted(signal);
      if (chosen.has(sentence) || sentence.length > left) continue;
      const weight = weightOf(sentence, counts, covered);
      if (weight > bestWeight) [best, bestWeight] = [sentence, weight];
    }
    if (!best) break;
    chosen.add(best);
    left -= best.length;
    for (const stem of best.stems) covered.add(stem);
  }
  if (chosen.size === 0) return firstWords(text.replace(/\s+/gu, " ").trim(), maxWords);
  return sentences
    .filter((sentence) => chosen.has(sentence))
    .map((sentence) => sentence.text)
    .join(" ");
}

function weightOf(
  { stems }: Sentence,
  counts: ReadonlyMap<string, number>,
  covered: ReadonlySet<string>,
): number {
  let relevance = 0;
  let repeated = 0;
  for (const stem of stems) {
    relevance += counts.get(stem) ?? 0;
    if (covered.has(stem)) repeated += 1;
  }
  return (relevance / stems.length) * (1 - (REPETITION * repeated) / stems.length);
}

/** The distinct sentences of a text that have content words. Each item of a list and each paragraph is split on its own; headings are left out. */
async function sentencesOf(text: string, signal: AbortSignal): Promise<Sentence[]> {
  const blocks = text
    .replace(/\r\n?/gu, "\n")
    // A heading is not a sentence.
    .replace(/^[ \t]*#{1,6}[ \t].*$/gmu, "")
    .split(/\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>|]|\d+[.)])[ \t])/u)
    .map((block) => block.replace(/^[ \t]*(?:[-*+>]+|\d+[.)])[ \t]+/u, ""));
  const sentences = new Map<string, Sentence>();
  for (const [index, block] of blocks.entries()) {
    if (index % BATCH_SIZE === 0) await yieldUnlessAborted(signal);
    for (const { segment } of sentenceSegmenter.segment(block.replace(/\s+/gu, " "))) {
      const sentence = segment.trim();
      const stems = contentWords(sentence).map(stemOf);
      if (stems.length > 0 && !sentences.has(sentence))
        sentences.set(sentence, { text: sentence, length: countWords(sentence), stems });
    }
  }
  return [...sentences.values()];
}

async function yieldUnlessAborted(signal: AbortSignal): Promise<void> {
  await yieldToEventLoop();
  signal.throwIfAborted();
}
