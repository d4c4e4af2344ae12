import { DATA, measureRecall } from "./recall-quality.ts";
import type { Row } from "./row.ts";

export const name = "recall-quality";

/** Measures recall on labelled data compared with plain BM25: on the set of this repository, and on those of `METAHUMAN_BENCH_DATA`. */
export async function run(): Promise<Row[]> {
  return (await measureRecall(DATA)).flatMap(({ name: set, recall, nearest, floor }): Row[] => [
    { what: `${set}: hit@1`, figure: recall.hit1, unit: "", least: floor.hit1 },
    { what: `${set}: hit@5`, figure: recall.hit5, unit: "", least: floor.hit5 },
    { what: `${set}: recall@10`, figure: recall.recall10, unit: "", least: floor.recall10 },
    { what: `${set}: nDCG@10`, figure: recall.ndcg10, unit: "", least: floor.ndcg10 },
    { what: `${set}, or the nearest: hit@1`, figure: nearest.hit1, unit: "", least: floor.hit1 },
    { what: `${set}, or the nearest: hit@5`, figure: nearest.hit5, unit: "", least: floor.hit5 },
    { what: `${set}, or the nearest: recall@10`, figure: nearest.recall10, unit: "", least: floor.recall10 },
    { what: `${set}, or the nearest: nDCG@10`, figure: nearest.ndcg10, unit: "", least: floor.ndcg10 },
    ...(Number.isNaN(recall.abstention.f1)
      ? []
      : [
          { what: `${set}: abstention precision`, figure: recall.abstention.precision, unit: "" },
          {
            what: `${set}: abstention recall`,
            figure: recall.abstention.recall,
            unit: "",
            least: floor.abstention.recall,
          },
        ]),
  ]);
}
