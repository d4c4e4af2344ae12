import { buildContextPackage } from "@metahuman/core/context/build-context-package";
import type { NewMemory } from "@metahuman/core/contract/memory";
import { indexThread } from "@metahuman/core/worker/index-thread";
import { createIndexClient, searchIndexOf, vectorIndexOf } from "@metahuman/core/memory/index/index-client";
import { type OpenedMemory, openMemory } from "@metahuman/core/memory/open-memory";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import { profilePaths, type ProfilePaths } from "@metahuman/core/paths/profile-paths";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { measureVectors } from "./measure-vectors.ts";
import { openPlainSearch } from "./plain-search.ts";
import type { Row } from "./row.ts";
import { quantile, rate, seededRandom, timed } from "./statistics.ts";
import { syntheticMemories, syntheticQuestions } from "./synthetic-memories.ts";

export const name = "memory";

/** `METAHUMAN_BENCH_RECORDS=100000` for a large profile. */
const RECORDS = Number(process.env["METAHUMAN_BENCH_RECORDS"] ?? 10_000);
const WRITES = 200;
const QUESTIONS = 300;
const SEARCHES = 100;
const AT_ONCE = 8;
const ORIGIN = { source: { kind: "user" }, trust: "trusted" } as const;

/** Measures writing, recalling and rebuilding with `RECORDS` memories of a few sentences. */
export async function run(): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-"));
  const paths = profilePaths(home, "ada");
  const memories = syntheticMemories(RECORDS, seededRandom(1));
  const questions = syntheticQuestions(memories, QUESTIONS, seededRandom(2));
  try {
    return [
      ...(await embedding(memories)),
      ...(await writing(paths, memories)),
      ...(await recalling(paths, questions)),
      ...(await searching(paths, join(home, "plain.db"), memories, questions)),
      ...(await rebuilding(paths)),
    ];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function open(paths: ProfilePaths): Promise<OpenedMemory> {
  return openMemory({
    paths,
    embedder: createBuiltInEmbedder(),
    onWarning: (message, cause) => console.error(message, cause),
  });
}

async function embedding(memories: readonly NewMemory[]): Promise<Row[]> {
  const texts = memories.map(({ content }) => content);
  const begun = performance.now();
  await createBuiltInEmbedder().embed(texts);
  return [{ what: "built-in embedder", figure: rate(texts.length, begun), unit: "texts/s", least: 5_000 }];
}

async function writing(paths: ProfilePaths, memories: readonly NewMemory[]): Promise<Row[]> {
  const { memory, embedded, close } = await open(paths);
  const singles = await timed(WRITES, async (turn) => {
    await memory.add({ type: "observation", content: `single write number ${turn}` }, ORIGIN);
  });
  const bulk = performance.now();
  for (let next = 0; next < memories.length; next += 1_000)
    await memory.addMany(memories.slice(next, next + 1_000), ORIGIN);
  const bulkRate = rate(memories.length, bulk);
  await embedded();
  const embeddedRate = rate(memories.length, bulk);
  await close();
  return [
    {
      what: `write a memory, durable and findable, p95 of ${WRITES}`,
      figure: quantile(singles, 0.95),
      unit: "ms",
      target: 5,
    },
    {
      what: `bulk import of ${memories.length}, by 1 000, durable and findable`,
      figure: bulkRate,
      unit: "records/s",
      least: 2_000,
    },
    { what: "bulk import until all are embedded", figure: embeddedRate, unit: "records/s" },
  ];
}

async function recalling(paths: ProfilePaths, questions: readonly string[]): Promise<Row[]> {
  const opened = await open(paths);
  await opened.ready;
  const tasks = await openTasks({ paths });
  const question = (turn: number): string => questions[turn % questions.length] ?? "";
  try {
    for (let turn = 0; turn < 20; turn += 1) await opened.memory.recall({ query: question(turn) });
    const recallAll = (): Promise<number[]> =>
      timed(questions.length, (turn) => opened.memory.recall({ query: question(turn) }));
    // Meanwhile the opening still reads vectors; later it does not.
    const recalls = await recallAll();
    const later = await recallAll();
    const sources = {
      memory: opened.memory,
      tasks,
      persona: async () => ({ name: "Ada", role: "", values: [], voice: "", goals: [] }),
    };
    const contexts = await timed(questions.length, (turn) =>
      buildContextPackage(question(turn), "dual", { sources }),
    );

    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const searchers = Array.from({ length: AT_ONCE }, async (_, searcher) => {
      for (let turn = 0; turn < 20; turn += 1)
        await opened.memory.recall({ query: question(searcher * 20 + turn) });
    });
    await Promise.all(searchers);
    delay.disable();
    const writes = await writesDuringSearches(opened, question);
    const at = `at ${RECORDS} memories`;
    return [
      {
        what: `recall end to end ${at}, p95 of ${questions.length}`,
        figure: quantile(recalls, 0.95),
        unit: "ms",
        target: 12,
      },
      { what: `recall end to end ${at}, median`, figure: quantile(recalls, 0.5), unit: "ms" },
      { what: `the same questions again ${at}, p95`, figure: quantile(later, 0.95), unit: "ms" },
      { what: `the same questions again ${at}, median`, figure: quantile(later, 0.5), unit: "ms" },
      { what: `buildContextPackage ${at}, p95`, figure: quantile(contexts, 0.95), unit: "ms", target: 15 },
      {
        what: `write a memory while ${AT_ONCE} searches run ${at}, p95 of ${WRITES}`,
        figure: quantile(writes, 0.95),
        unit: "ms",
        target: 5,
      },
      {
        what: `event-loop delay p99 while ${AT_ONCE} searches run ${at}`,
        figure: delay.percentile(99) / 1e6,
        unit: "ms",
        target: 10,
      },
    ];
  } finally {
    tasks.close();
    await opened.close();
  }
}

/** The durations of writes while `AT_ONCE` searches run one after the other each. */
async function writesDuringSearches(
  { memory }: Pick<OpenedMemory, "memory">,
  question: (turn: number) => string,
): Promise<number[]> {
  let isWriting = true;
  const searchers = Array.from({ length: AT_ONCE }, async (_, searcher) => {
    for (let turn = searcher; isWriting; turn += AT_ONCE) await memory.recall({ query: question(turn) });
  });
  const durations = await timed(WRITES, async (turn) => {
    await memory.add({ type: "observation", content: `write beside searches number ${turn}` }, ORIGIN);
  });
  isWriting = false;
  await Promise.all(searchers);
  return durations;
}

/** Measures vector search and word search separately, compared with SQLite's own searches over the same data. */
async function searching(
  paths: ProfilePaths,
  plainPath: string,
  memories: readonly NewMemory[],
  questions: readonly string[],
): Promise<Row[]> {
  const embedder = createBuiltInEmbedder();
  const { memory, close } = await open(paths);
  const idsOf = new Map<string, string>();
  for (let cursor: string | undefined; ;) {
    const page = await memory.list({ limit: 500, ...(cursor !== undefined && { cursor }) });
    for (const { id, content } of page.items) idsOf.set(content, id);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  await close();
  const texts = [...idsOf.keys()];
  const vectors = await embedder.embed(texts);
  const queries = await embedder.embed(questions.slice(0, SEARCHES));
  const plain = openPlainSearch(
    plainPath,
    embedder.dimensions,
    texts.map((text, index) => ({
      id: idsOf.get(text) ?? "",
      text,
      vector: vectors[index] ?? new Float32Array(),
    })),
  );
  const client = createIndexClient({
    thread: indexThread,
    settings: {
      database: paths.memory.index,
      root: paths.memory.root,
      recordFolders: [],
      taskFolders: [],
      embedder: { id: embedder.id, dimensions: embedder.dimensions },
    },
    onWarning: (message) => console.error(message),
    onRestart: () => undefined,
  });
  try {
    const [ours, words] = [vectorIndexOf(client, embedder), searchIndexOf(client)];
    const wordsAt = (turn: number): string[] =>
      (questions[turn % questions.length] ?? "").split(" ").slice(2);
    const meaning = await measureVectors(ours, plain, queries);
    const plainWords = await timed(questions.length, async (turn) => plain.holding(wordsAt(turn), 50));
    const ourWords = await timed(questions.length, (turn) =>
      words.search(questions[turn] ?? "", { limit: 50 }),
    );
    const at = `at ${RECORDS} memories`;
    const p95 = (durations: readonly number[]): number => quantile(durations, 0.95);
    return [
      ...meaning,
      { what: `keyword search in its worker ${at}, p95`, figure: p95(ourWords), unit: "ms" },
      { what: `plain FTS5 query of the same words ${at}, p95`, figure: p95(plainWords), unit: "ms" },
    ];
  } finally {
    plain.close();
    await client.close();
  }
}

async function rebuilding(paths: ProfilePaths): Promise<Row[]> {
  const again = await open(paths);
  // A large index waits up to a second for the first read.
  await again.memory.list({ limit: 1 });
  const unchanged = performance.now();
  await again.ready;
  const checkRate = rate(RECORDS, unchanged);
  await again.close();

  await rm(dirname(paths.memory.index), { recursive: true });
  const begun = performance.now();
  const rebuilt = await open(paths);
  await rebuilt.ready;
  const rebuildRate = rate(RECORDS, begun);
  await rebuilt.close();
  return [
    { what: "index rebuild from files, no embedding", figure: rebuildRate, unit: "records/s", least: 5_000 },
    { what: "reconciliation with nothing changed", figure: checkRate, unit: "records/s" },
  ];
}
