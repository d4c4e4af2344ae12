import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  GUIDE_STRICTNESS,
  CANDIDATE_FUNCTIONS,
  selectFunctions,
} from "@metahuman/core/context/relevant-functions";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { fileFunctions, openLibrary, type LibraryDocument } from "./function-library.ts";
import { readLabelledSets, type LabelledSet } from "./labelled-sets.ts";
import { plainBm25 } from "./plain-bm25.ts";
import { qualityOf, type Quality } from "./quality.ts";

/** The folder of the labelled data, which is not part of the repository. */
export const DATA = process.env["METAHUMAN_BENCH_DATA"];

export interface MeasuredSet {
  name: string;
  retrieval: Quality;
  /** The functions offered in a prompt: at most one guide per request. */
  guides: Quality;
  floor: Quality;
}

/**
 * Measures how well functions are found on each labelled set, compared with plain BM25. Every document becomes a
 * verified function.
 */
export async function measureRetrieval(folder: string): Promise<MeasuredSet[]> {
  const measured: MeasuredSet[] = [];
  for (const set of readLabelledSets(folder)) {
    const floor = plainBm25(set.documents);
    const { found, offered } = await findAll(set);
    measured.push({
      name: set.name,
      retrieval: qualityOf(set.queries, found),
      guides: qualityOf(set.queries, offered),
      floor: qualityOf(
        set.queries,
        set.queries.map(({ query }) => floor(query)),
      ),
    });
  }
  return measured;
}

/** Returns the ids that each request finds, and those offered in its prompt. */
async function findAll({
  name,
  documents,
  queries,
}: LabelledSet): Promise<{ found: string[][]; offered: string[][] }> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-function-quality-"));
  const paths = profilePaths(home, "ada");
  const idOf = fileFunctions(
    paths,
    documents.map((document) => asFunction(name, document)),
  );
  const opened = await openLibrary(paths);
  try {
    const functions = opened.functions.of();
    const found: string[][] = [];
    const offered: string[][] = [];
    const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => idOf.get(id) ?? "");
    for (const { query } of queries) {
      const { items } = await functions.queryFunctions(query, { limit: 10 });
      found.push(idsOf(items.map((item) => item.function)));
      const asGuides = { limit: CANDIDATE_FUNCTIONS, strictness: GUIDE_STRICTNESS };
      const fitting = await functions.queryFunctions(query, asGuides);
      offered.push(idsOf(selectFunctions(query, fitting, Infinity).functions));
    }
    return { found, offered };
  } finally {
    await opened.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** The first line is the name. */
function asFunction(set: string, { id, text }: LabelledSet["documents"][number]): LibraryDocument {
  const [title = "", ...rest] = text.split("\n");
  return { id, title, text: rest.join("\n"), isCode: set.startsWith("typescript") };
}

if (import.meta.main) {
  if (DATA === undefined) throw new Error("Say in METAHUMAN_BENCH_DATA where the labelled data is.");
  const row = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(40) : cell.padStart(9))).join("");
  const figures = ({ hit1, hit5, recall10, ndcg10, abstention }: Quality): string[] =>
    [hit1, hit5, recall10, ndcg10, abstention.precision, abstention.recall, abstention.f1].map((figure) =>
      Number.isNaN(figure) ? "–" : figure.toFixed(3),
    );
  console.log(row(["", "hit@1", "hit@5", "recall@10", "nDCG@10", "abst. P", "abst. R", "F1"]));
  for (const { name, retrieval, guides, floor } of await measureRetrieval(DATA)) {
    console.log(row([name, ...figures(retrieval)]));
    console.log(row(["  as guides in a prompt", ...figures(guides)]));
    console.log(row(["  plain BM25", ...figures(floor)]));
  }
}
