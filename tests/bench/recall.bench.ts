import { mkdtemp, rm } from "node:fs/promises";
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
import { type ComparedText, comparedTexts } from "./compare/questions.ts";
import type { Row } from "./row.ts";
import { quantile, rate, seededRandom, timed } from "./statistics.ts";

export const name = "recall";

/** `--size=1000000` for many. */
const SIZE = Number(process.argv.find((argument) => argument.startsWith("--size="))?.slice(7) ?? 10_000);
const QUESTIONS = 200;
const BATCH = 1_000;
/** Until the vectors are in memory and the words are merged. */
const WARM_UP_MS = 15_000;
const REST_MS = 8_000;

/**
 * Recall among many memories, each of sixty words, through the thread of the indexes. The memories are put into the index
 * without files, because writing a million files takes longer than everything else, so the ten that are found come from memory.
 */
export async function run(): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-"));
  const { id, dimensions } = createBuiltInEmbedder();
  const client = createIndexClient({
    thread: indexThread,
    settings: {
      database: join(home, "memory.db"),
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
    const texts = comparedTexts(SIZE);
    const begun = performance.now();
    await indexAll(client, texts);
    const indexed = rate(SIZE, begun);
    return [
      { what: `put into the index and embedded, ${SIZE} memories`, figure: indexed, unit: "/s" },
      ...(await measure(client, texts)),
    ];
  } finally {
    await client.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function indexAll(client: IndexClient, texts: readonly ComparedText[]): Promise<void> {
  const embedder = createBuiltInEmbedder();
  const vectors = vectorIndexOf(client, embedder);
  for (let next = 0; next < texts.length; next += BATCH) {
    const some = texts.slice(next, next + BATCH).map((text, index) => recordOf(text, next + index));
    const added = client.call(
      "putRecords",
      some.map((record) => ({ record, path: `${record.id}.json`, hash: hash("sha256", record.id) })),
    );
    const embedded = await embedder.embed(some.map(({ content }) => content));
    await added;
    await vectors.put(
      some.map((record, index) => ({
        id: record.id,
        facts: factsOf(record),
        vector: embedded[index] ?? new Float32Array(dimensionsOf(embedded)),
      })),
    );
  }
}

const dimensionsOf = (vectors: readonly Float32Array[]): number => vectors[0]?.length ?? 0;

function recordOf({ text }: ComparedText, number: number): MemoryRecord {
  return {
    id: `memory-${number}`,
    type: "observation",
    content: text,
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

async function measure(client: IndexClient, texts: readonly ComparedText[]): Promise<Row[]> {
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
    read: async (entries) =>
      entries.map((entry) => {
        const number = Number(entry.id.slice("memory-".length));
        const text = texts[number];
        return text ? recordOf(text, number) : null;
      }),
    uses: createInMemoryUses(),
    clock: () => new Date(),
    onWarning: (message) => console.error(message),
  });
  const random = seededRandom(7);
  const draw = (): ComparedText => texts[Math.floor(random() * texts.length)] ?? { text: "", question: "" };
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end;)
    await recall({ query: draw().question });
  await setTimeout(REST_MS);

  const asked = Array.from({ length: QUESTIONS }, draw);
  let found = 0;
  const before = process.cpuUsage();
  const durations = await timed(QUESTIONS, async (turn) => {
    const { question = "", text } = asked[turn] ?? {};
    const results = await recall({ query: question, explain: true });
    if (results.some(({ memory }) => memory.content === text)) found += 1;
  });
  const { user, system } = process.cpuUsage(before);
  const words = await timed(QUESTIONS, (turn) =>
    client.call("search", { query: asked[turn]?.question ?? "", limit: 50, filter: {}, mode: "loose" }),
  );
  return [
    { what: `recall at ${SIZE}, p95`, figure: quantile(durations, 0.95), unit: "ms", target: 100 },
    { what: "its median", figure: quantile(durations, 0.5), unit: "ms" },
    { what: "its processor time", figure: (user + system) / 1_000 / QUESTIONS, unit: "ms" },
    { what: "the text is among the ten best", figure: found / QUESTIONS, unit: "" },
    { what: "of this, loose search by words, p95", figure: quantile(words, 0.95), unit: "ms" },
    {
      what: "memory of the process, the texts of the benchmark included",
      figure: Math.round(process.memoryUsage().rss / 2 ** 20),
      unit: "MiB",
    },
  ];
}
