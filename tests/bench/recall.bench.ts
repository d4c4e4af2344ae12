import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { createInMemoryUses } from "@metahuman/core/memory/evolution/in-memory-uses";
import { createIndexClient, type IndexClient } from "@metahuman/core/memory/index/index-client";
import { fromColumns } from "@metahuman/core/memory/recall/candidate-columns";
import { createRecall } from "@metahuman/core/memory/recall/recall";
import { indexThread } from "@metahuman/core/worker/index-thread";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { eachComparedText } from "./compare/questions.ts";
import { fillIndex } from "./fill-index.ts";
import type { Row } from "./row.ts";
import { quantile, rate, seededRandom, timed } from "./statistics.ts";

export const name = "recall";

/** `--size=1000000` for many. */
const SIZE = Number(process.argv.find((argument) => argument.startsWith("--size="))?.slice(7) ?? 10_000);
/** Where the index stays, so that the next run goes on where the last one ended; a folder of this run by default. */
const KEPT_IN = process.env["METAHUMAN_BENCH_FOLDER"];
const QUESTIONS = 200;
/** Other questions, asked until the vectors are in memory and the words are merged. */
const WARM_UP_QUESTIONS = 400;
const WARM_UP_MS = 15_000;
const WARM_UP_MS_EACH = 0.1;
const REST_MS = 8_000;

interface Question {
  question: string;
  /** The id of the memory that answers it. */
  answer: string;
}

/**
 * Recall among many memories, each of sixty words, through the thread of the indexes. The memories are written straight into
 * the tables of the index, without files, so the ten that are found are not read.
 */
export async function run(): Promise<Row[]> {
  const home = KEPT_IN ?? (await mkdtemp(join(tmpdir(), "metahuman-bench-")));
  await mkdir(home, { recursive: true });
  const database = join(home, `recall-${SIZE}.db`);
  const embedder = createBuiltInEmbedder();
  const begun = performance.now();
  const added = await fillIndex(database, embedder, { texts: texts(), idOf });
  const filled =
    added > 0
      ? [{ what: `put into the index, ${added} memories`, figure: rate(added, begun), unit: "/s" }]
      : [];
  const client = createIndexClient({
    thread: indexThread,
    settings: {
      database,
      root: home,
      recordFolders: [],
      taskFolders: [],
      embedder: { id: embedder.id, dimensions: embedder.dimensions },
    },
    idleTimeoutMs: Infinity,
    onWarning: (message) => console.error(message),
    onRestart: () => undefined,
  });
  try {
    return [...filled, ...(await measure(client))];
  } finally {
    await client.close();
    if (KEPT_IN === undefined) await rm(home, { recursive: true, force: true });
  }
}

function* texts(): Generator<string, undefined> {
  for (const { text } of eachComparedText(SIZE)) yield text;
}

const idOf = (number: number): string => `memory-${number}`;

/** A memory without the content that is not read. */
function recordWithId(id: string): MemoryRecord {
  return {
    id,
    type: "observation",
    content: "",
    timestamp: "2026-01-01T00:00:00.000Z",
    tags: [],
    entities: [],
    links: [],
    source: { kind: "user" },
    context: {},
    metadata: {},
    importance: 0.6,
    pinned: false,
    trust: "trusted",
    version: 1,
  };
}

/** The questions of some memories, which are spread over all of them, in random order. */
function questions(count: number): Question[] {
  const every = Math.max(1, Math.floor(SIZE / count));
  const found: { question: Question; place: number }[] = [];
  const random = seededRandom(7);
  let number = 0;
  for (const { question } of eachComparedText(SIZE)) {
    number += 1;
    if (number % every === 0 && found.length < count)
      found.push({ question: { question, answer: idOf(number) }, place: random() });
  }
  return found.toSorted((one, other) => one.place - other.place).map(({ question }) => question);
}

async function measure(client: IndexClient): Promise<Row[]> {
  const embedder = createBuiltInEmbedder();
  const { id, dimensions } = embedder;
  const recall = createRecall({
    async embedQuery(query, signal) {
      const [vector] = await embedder.embed([query], signal, "query");
      return vector && { embedder: { id, dimensions }, vector };
    },
    async candidates(query) {
      const { columns, strongest } = await client.call("candidates", { ...query, readAhead: 0 });
      return { strongest, candidates: fromColumns(columns), recordOf: () => undefined };
    },
    read: async (entries) => entries.map(({ id: found }) => recordWithId(found)),
    uses: createInMemoryUses(),
    clock: () => new Date(),
    onWarning: (message) => console.error(message),
  });
  const all = questions(QUESTIONS + WARM_UP_QUESTIONS);
  const asked = all.slice(0, QUESTIONS);
  const others = all.slice(QUESTIONS);
  const warmed = performance.now() + WARM_UP_MS + SIZE * WARM_UP_MS_EACH;
  for (let turn = 0; performance.now() < warmed; turn += 1)
    await recall({ query: others[turn % others.length]?.question ?? "" });
  await setTimeout(REST_MS);

  let found = 0;
  const before = process.cpuUsage();
  const durations = await timed(QUESTIONS, async (turn) => {
    const { question = "", answer } = asked[turn] ?? {};
    const results = await recall({ query: question, explain: true });
    if (results.some(({ memory }) => memory.id === answer)) found += 1;
  });
  const { user, system } = process.cpuUsage(before);
  const words = await timed(QUESTIONS, (turn) =>
    client.call("search", { query: asked[turn]?.question ?? "", limit: 50, filter: {}, mode: "loose" }),
  );
  return [
    { what: `recall at ${SIZE}, p95`, figure: quantile(durations, 0.95), unit: "ms", target: 100 },
    { what: "its median", figure: quantile(durations, 0.5), unit: "ms" },
    { what: "its processor time", figure: (user + system) / 1_000 / QUESTIONS, unit: "ms" },
    { what: "the memory is among the ten best", figure: found / QUESTIONS, unit: "" },
    { what: "of this, loose search by words, p95", figure: quantile(words, 0.95), unit: "ms" },
    {
      what: "memory of the process",
      figure: Math.round(process.memoryUsage().rss / 2 ** 20),
      unit: "MiB",
    },
  ];
}
