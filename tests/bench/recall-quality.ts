import { openMemory } from "@metahuman/core/memory/open-memory";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readHousehold, readLabelledSets, type LabelledSet } from "./labelled-sets.ts";
import { plainBm25 } from "./plain-bm25.ts";
import { qualityOf, type Quality } from "./quality.ts";

/** The folder of the labelled data, which is not part of the repository. */
export const DATA = process.env["METAHUMAN_BENCH_DATA"];

export interface MeasuredSet {
  name: string;
  recall: Quality;
  /** Recall that returns the nearest if nothing fits, so that it always answers, like plain BM25. */
  nearest: Quality;
  floor: Quality;
}

/**
 * Measures the quality of recall on each labelled set, compared with plain BM25. Every text becomes a memory of a real
 * profile.
 */
export async function measureRecall(folder: string | undefined): Promise<MeasuredSet[]> {
  const measured: MeasuredSet[] = [];
  const sets = [...(folder === undefined ? [] : readLabelledSets(folder)), ...readHousehold()];
  for (const set of sets) {
    const floor = plainBm25(set.documents);
    const answers = await recallAll(set);
    measured.push({
      name: set.name,
      recall: qualityOf(set.queries, answers.fitting),
      nearest: qualityOf(set.queries, answers.nearest),
      floor: qualityOf(
        set.queries,
        set.queries.map(({ query }) => floor(query)),
      ),
    });
  }
  return measured;
}

async function recallAll({
  documents,
  queries,
}: LabelledSet): Promise<{ fitting: string[][]; nearest: string[][] }> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-quality-"));
  const opened = await openMemory({ paths: profilePaths(home, "ada"), embedder: createBuiltInEmbedder() });
  try {
    const written = await opened.memory.addMany(
      documents.map(({ text }) => ({ type: "observation", content: text })),
      { source: { kind: "user" }, trust: "trusted" },
    );
    const idOf = new Map(written.map(({ id }, index) => [id, documents[index]?.id ?? ""]));
    await opened.embedded();
    const answersTo = async (orNearest: boolean): Promise<string[][]> => {
      const answers: string[][] = [];
      for (const { query } of queries) {
        const recalled = await opened.memory.recall({ query, limit: 10, orNearest });
        answers.push(recalled.map(({ memory: { id } }) => idOf.get(id) ?? ""));
      }
      return answers;
    };
    return { fitting: await answersTo(false), nearest: await answersTo(true) };
  } finally {
    await opened.close();
    await rm(home, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const row = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(40) : cell.padStart(9))).join("");
  const figures = ({
    hit1,
    hit5,
    recall10,
    ndcg10,
    abstention: { precision, recall, f1 },
  }: Quality): string[] =>
    [hit1, hit5, recall10, ndcg10, precision, recall, f1].map((figure) =>
      Number.isNaN(figure) ? "–" : figure.toFixed(3),
    );
  console.log(row(["", "hit@1", "hit@5", "recall@10", "nDCG@10", "abst. P", "abst. R", "F1"]));
  for (const { name, recall, nearest, floor } of await measureRecall(DATA)) {
    console.log(row([name, ...figures(recall)]));
    console.log(row(["  or the nearest", ...figures(nearest)]));
    console.log(row(["  plain BM25", ...figures(floor)]));
  }
}
