import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { hash } from "node:crypto";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { createInMemoryUses } from "@metahuman/core/memory/evolution/in-memory-uses";
import {
  createIndexClient,
  type IndexClient,
  vectorIndexOf,
} from "@metahuman/core/memory/index/index-client";
import { factsOf } from "@metahuman/core/memory/index/record-index";
import { fromColumns } from "@metahuman/core/memory/recall/candidate-columns";
import { createRecall } from "@metahuman/core/memory/recall/recall";
import { indexThread } from "@metahuman/core/worker/index-thread";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { eachComparedText } from "./compare/questions.ts";
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
const BATCH = 1_000;

interface Question {
  question: string;
  /** The id of the memory that answers it. */
  answer: string;
}

/**
 * Recall among many memories, each of sixty words, through the thread of the indexes. The memories are put into the index
 * without files, because writing a million files takes longer than everything else, so the ten that are found are not read.
 */
export async function run(): Promise<Row[]> {
  const home = KEPT_IN ?? (await mkdtemp(join(tmpdir(), "metahuman-bench-")));
  await mkdir(home, { recursive: true });
  const { id, dimensions } = createBuiltInEmbedder();
  const client = createIndexClient({
    thread: indexThread,
    settings: {
      database: join(home, `recall-${SIZE}.db`),
      root: home,
      recordFolders: [],
      taskFolders: [],
      embedder: { id, dimensions },
    },
    idleTimeoutMs: Infinity,
    onWarning: (message) => console.error(message),
    onRestart: () => undefined,
  });
  try {
    const added = await indexMissing(client);
    return [...added, ...(await measure(client))];
  } finally {
    await client.close();
    if (KEPT_IN === undefined) await rm(home, { recursive: true, force: true });
  }
}

/** Embeds the next memories while the thread stores the last ones. */
async function indexMissing(client: IndexClient): Promise<Row[]> {
  const embedder = createBuiltInEmbedder();
  const vectors = vectorIndexOf(client, embedder);
  const known = await vectors.count();
  if (known >= SIZE) return [];
  const begun = performance.now();

  async function store(records: readonly MemoryRecord[], embedded: readonly Float32Array[]): Promise<void> {
    await client.call(
      "putRecords",
      records.map((record) => ({ record, path: `${record.id}.json`, hash: hash("sha256", record.id) })),
    );
    await vectors.put(
      records.flatMap((record, index) => {
        const vector = embedded[index];
        return vector ? [{ id: record.id, facts: factsOf(record), vector }] : [];
      }),
    );
  }

  let batch: MemoryRecord[] = [];
  let storing = Promise.resolve();
  let number = 0;
  for (const { text } of eachComparedText(SIZE)) {
    number += 1;
    if (number <= known) continue;
    batch.push(recordOf(number, text));
    if (batch.length < BATCH && number < SIZE) continue;
    const records = batch;
    batch = [];
    const embedded = await embedder.embed(records.map(({ content }) => content));
    await storing;
    storing = store(records, embedded);
  }
  await storing;
  return [
    {
      what: `put into the index and embedded, ${SIZE - known} memories after ${known}`,
      figure: rate(SIZE - known, begun),
      unit: "/s",
    },
  ];
}

const idOf = (number: number): string => `memory-${number}`;

function recordOf(number: number, content: string): MemoryRecord {
  return {
    id: idOf(number),
    type: "observation",
    content,
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
      const { columns, ...found } = await client.call("candidates", { ...query, readAhead: 0 });
      return { ...found, candidates: fromColumns(columns) };
    },
    read: async (entries) => entries.map((entry) => ({ ...recordOf(0, ""), id: entry.id })),
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
