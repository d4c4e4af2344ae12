import { dot } from "@metahuman/core/vectors/vector-math";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import type { Similarities } from "@metahuman/core/contract/config";
import type { LabelledSet } from "./labelled-sets.ts";
import { quantile, seededRandom } from "./statistics.ts";

const PAIRS = 20_000;

/** The number of texts per call, so that no call to a server takes long. */
const AT_ONCE = 64;

/** The distribution of an embedder's similarities on one set. A share that nothing reaches is NaN. */
export interface Spread {
  /** Similarities of requests and texts that do not answer them. */
  chance: { half: number; most: number; all: number };
  /** Similarities of requests and texts that answer them. */
  right: { some: number; half: number };
  /** The similarity from which the best match is right nine times in ten. */
  sure: number;
  /** The similarity that 999 of 1 000 pairs of texts do not reach. */
  texts: number;
}

/**
 * The thresholds, as the medians of the sets: nearly all unrelated pairs are below `unrelated`; from `convincing` on, a
 * best match is nearly always right; few pairs of texts reach `alike` in any set.
 */
export function similaritiesOf(spreads: readonly Spread[]): Similarities {
  const middle = (figures: readonly number[]): number => rounded(quantile(figures, 0.5));
  const unrelated = middle(spreads.map(({ chance }) => chance.most));
  const convincing = middle(
    spreads.map(({ chance, sure }) => (Number.isNaN(sure) ? chance.all : Math.max(chance.all, sure))),
  );
  return {
    unrelated,
    convincing: Math.max(convincing, rounded(unrelated + 0.05)),
    alike: rounded(Math.min(...spreads.map(({ texts }) => texts))),
  };
}

function rounded(figure: number): number {
  return Math.min(1, Math.max(0, Math.round(figure * 100) / 100));
}

export async function measure(set: LabelledSet, embedder: Embedder): Promise<Spread> {
  const random = seededRandom(7);
  const texts = await embedded(
    embedder,
    set.documents.map(({ text }) => text),
    "passage",
  );
  const requests = await embedded(
    embedder,
    set.queries.map(({ query }) => query),
    "query",
  );
  const none = new Float32Array(embedder.dimensions);
  const any = (items: readonly unknown[]): number => Math.floor(random() * items.length);
  const textAt = (index: number): Float32Array => texts[index] ?? none;

  const chance: number[] = [];
  const between: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const [request, text, other] = [any(requests), any(texts), any(texts)];
    const isRight = set.queries[request]?.relevant.has(set.documents[text]?.id ?? "") ?? false;
    if (!isRight) chance.push(dot(requests[request] ?? none, textAt(text)));
    if (text !== other) between.push(dot(textAt(text), textAt(other)));
  }
  const right: number[] = [];
  const best: { similarity: number; isRight: boolean }[] = [];
  for (const [index, { relevant }] of set.queries.entries()) {
    const scored = set.documents
      .map(({ id }, position) => ({
        similarity: dot(requests[index] ?? none, textAt(position)),
        isRight: relevant.has(id),
      }))
      .sort((a, b) => b.similarity - a.similarity);
    right.push(...scored.filter((one) => one.isRight).map(({ similarity }) => similarity));
    if (scored[0]) best.push(scored[0]);
  }
  const surest = best.toSorted((a, b) => b.similarity - a.similarity);
  return {
    chance: { half: quantile(chance, 0.5), most: quantile(chance, 0.95), all: quantile(chance, 0.999) },
    right: { some: quantile(right, 0.1), half: quantile(right, 0.5) },
    sure: sureFrom(surest, 0.9),
    texts: quantile(between, 0.999),
  };
}

async function embedded(
  embedder: Embedder,
  texts: readonly string[],
  use: "passage" | "query",
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let next = 0; next < texts.length; next += AT_ONCE)
    vectors.push(...(await embedder.embed(texts.slice(next, next + AT_ONCE), undefined, use)));
  return vectors;
}

/** Returns the lowest similarity from which this share of the best matches is right. */
function sureFrom(surest: readonly { similarity: number; isRight: boolean }[], share: number): number {
  let right = 0;
  let lowest = NaN;
  for (const [index, { similarity, isRight }] of surest.entries()) {
    if (isRight) right += 1;
    if (right / (index + 1) >= share) lowest = similarity;
  }
  return lowest;
}
