import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { fileFunctions, openLibrary, type LibraryDocument } from "./function-library.ts";
import { DATA, measureRetrieval } from "./function-quality.ts";
import type { Row } from "./row.ts";
import { quantile, seededRandom, timed } from "./statistics.ts";
import { syntheticMemories, syntheticQuestions } from "./synthetic-memories.ts";

export const name = "functions";

const QUESTIONS = 300;

/**
 * Measures the speed of function search with 1 000 and 10 000 functions, and its quality on labelled data if available.
 */
export async function run(): Promise<Row[]> {
  return [
    ...(await searching(1_000, 5)),
    ...(await searching(10_000, 15)),
    ...(DATA === undefined ? [] : await quality(DATA)),
  ];
}

async function searching(count: number, target: number): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-functions-"));
  const paths = profilePaths(home, "ada");
  const memories = syntheticMemories(count, seededRandom(1));
  const documents = memories.map(({ content }, index): LibraryDocument => {
    const [title = ""] = content.split(/[.\n]/u);
    return { id: String(index), title: title || `Function ${index}`, text: content, isCode: false };
  });
  fileFunctions(paths, documents);
  const opening = performance.now();
  const opened = await openLibrary(paths, { maxPerProfile: 100_000 });
  const openedMs = performance.now() - opening;
  try {
    const functions = opened.functions.of();
    const questions = syntheticQuestions(memories, QUESTIONS, seededRandom(2));
    for (const question of questions.slice(0, 20)) await functions.queryFunctions(question);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const times = await timed(QUESTIONS, (turn) => functions.queryFunctions(questions[turn] ?? ""));
    delay.disable();
    const lists = await timed(50, () => functions.listFunctions({ limit: 50 }));
    return [
      { what: `find functions among ${count}, p95`, figure: quantile(times, 0.95), unit: "ms", target },
      { what: `list 50 of ${count} functions, p95`, figure: quantile(lists, 0.95), unit: "ms" },
      { what: `event-loop delay meanwhile, p99`, figure: delay.percentile(99) / 1e6, unit: "ms" },
      {
        what: `read, index and embed ${count} functions for the first time`,
        figure: openedMs / 1_000,
        unit: "s",
      },
    ];
  } finally {
    await opened.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function quality(folder: string): Promise<Row[]> {
  return (await measureRetrieval(folder)).flatMap(({ name: set, retrieval, floor }): Row[] => [
    { what: `${set}: hit@1`, figure: retrieval.hit1, unit: "", least: floor.hit1 },
    { what: `${set}: hit@5`, figure: retrieval.hit5, unit: "", least: floor.hit5 },
    { what: `${set}: nDCG@10`, figure: retrieval.ndcg10, unit: "", least: floor.ndcg10 },
    ...(Number.isNaN(retrieval.abstention.f1)
      ? []
      : [
          { what: `${set}: abstention precision`, figure: retrieval.abstention.precision, unit: "" },
          {
            what: `${set}: abstention recall`,
            figure: retrieval.abstention.recall,
            unit: "",
            least: floor.abstention.recall,
          },
        ]),
  ]);
}
