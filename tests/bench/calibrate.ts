import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { dot } from "@metahuman/core/vectors/vector-math";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { readLabelledSets } from "./labelled-sets.ts";
import type { LabelledSet } from "./labelled-sets.ts";
import { quantile, seededRandom } from "./statistics.ts";

const PAIRS = 20_000;

/**
 * How an embedder's similarities lie on labelled data, to set its row of `recall/calibration.ts` by: `unrelated` is
 * where nearly all chance pairs end, `convincing` where a request's best match is nearly always right, `alike` what only
 * texts about the same thing reach. Prints a table: `METAHUMAN_BENCH_DATA=… node tests/bench/calibrate.ts`.
 */
async function measure(set: LabelledSet, embedder: Embedder): Promise<string[]> {
  const random = seededRandom(7);
  const texts = await embedder.embed(set.documents.map(({ text }) => text));
  const requests = await embedder.embed(set.queries.map(({ query }) => query));
  const none = new Float32Array(embedder.dimensions);
  const any = (items: readonly unknown[]): number => Math.floor(random() * items.length);
  const textAt = (at: number): Float32Array => texts[at] ?? none;

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
  for (const [at, { relevant }] of set.queries.entries()) {
    const scored = set.documents
      .map(({ id }, place) => ({
        similarity: dot(requests[at] ?? none, textAt(place)),
        isRight: relevant.has(id),
      }))
      .sort((a, b) => b.similarity - a.similarity);
    right.push(...scored.filter((one) => one.isRight).map(({ similarity }) => similarity));
    if (scored[0]) best.push(scored[0]);
  }
  const surest = best.toSorted((a, b) => b.similarity - a.similarity);
  return [
    set.name,
    ...[quantile(chance, 0.5), quantile(chance, 0.95), quantile(chance, 0.999)].map(shown),
    ...[quantile(right, 0.1), quantile(right, 0.5)].map(shown),
    shown(sureFrom(surest, 0.9)),
    shown(quantile(between, 0.999)),
  ];
}

/** The lowest similarity from which this share of the best matches is right. */
function sureFrom(surest: readonly { similarity: number; isRight: boolean }[], share: number): number {
  let right = 0;
  let lowest = NaN;
  for (const [at, { similarity, isRight }] of surest.entries()) {
    if (isRight) right += 1;
    if (right / (at + 1) >= share) lowest = similarity;
  }
  return lowest;
}

function shown(figure: number): string {
  return Number.isNaN(figure) ? "–" : figure.toFixed(2);
}

const data = process.env["METAHUMAN_BENCH_DATA"];
if (data === undefined) throw new Error("Say in METAHUMAN_BENCH_DATA where the labelled data is.");
const embedder = createBuiltInEmbedder();
const head = [
  embedder.id,
  ...["chance 50 %", "chance 95 %", "chance 99.9 %"],
  ...["right 10 %", "right 50 %", "best is right in 90 % from", "two texts 99.9 %"],
];
console.log(`| ${head.join(" | ")} |\n|${" --- |".repeat(head.length)}`);
for (const set of readLabelledSets(data)) console.log(`| ${(await measure(set, embedder)).join(" | ")} |`);
