import type { VectorIndex } from "@metahuman/core/vectors/vector-index";
import type { PlainSearch } from "./plain-search.ts";
import type { Row } from "./row.ts";
import { quantile, timed } from "./statistics.ts";

/** The number of searches that load our vectors into memory and warm up both implementations. */
const WARMING = 10;
const WARMING_MS = 5_000;

/** Measures vector searches in our worker and in sqlite-vec over the same vectors. */
export async function measureVectors(
  ours: VectorIndex,
  plain: PlainSearch,
  queries: readonly Float32Array[],
): Promise<Row[]> {
  const queryAt = (turn: number): Float32Array => queries[turn % queries.length] ?? new Float32Array();
  const count = await ours.count();
  const first = await timed(1, () => ours.nearest(queryAt(0), { limit: 10 }));
  const begun = performance.now();
  for (let turn = 0; turn < WARMING || performance.now() - begun < WARMING_MS; turn += 1)
    await ours.nearest(queryAt(turn), { limit: 10 });
  for (let turn = 0; turn < WARMING; turn += 1) plain.nearest(queryAt(turn), 10);

  const scans = await timed(queries.length, async (turn) => plain.nearest(queryAt(turn), 10));
  const searches = await timed(queries.length, (turn) => ours.nearest(queryAt(turn), { limit: 10 }));
  let agreed = 0;
  for (const query of queries) {
    const exact = new Set(plain.nearest(query, 10));
    agreed += (await ours.nearest(query, { limit: 10 })).filter(({ id }) => exact.has(id)).length;
  }
  const label = `${ours.dimensions}-d, in its worker at ${count}`;
  return [
    { what: `vector search, ${label}, the first`, figure: first[0] ?? NaN, unit: "ms" },
    {
      what: `vector search, ${label}, p95`,
      figure: quantile(searches, 0.95),
      unit: "ms",
      target: count > 200_000 ? 25 : count > 20_000 ? 5 : 2,
    },
    { what: `vector search, ${label}, median`, figure: quantile(searches, 0.5), unit: "ms" },
    {
      what: "its recall@10 against an exact scan",
      figure: agreed / (10 * queries.length),
      unit: "",
      least: 0.99,
    },
    { what: `plain sqlite-vec scan, 32-bit at ${count}, p95`, figure: quantile(scans, 0.95), unit: "ms" },
    {
      what: "vector search: times faster than the plain scan, medians",
      figure: quantile(scans, 0.5) / quantile(searches, 0.5),
      unit: "×",
      least: 5,
    },
  ];
}
