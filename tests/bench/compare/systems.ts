import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { contentWords } from "@metahuman/core/text/words";
import { openMemory } from "@metahuman/core/memory/open-memory";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { createIndexThread, INDEX_THREAD_OPTIONS } from "@metahuman/core/worker/index-thread";
import { PROGRAMS } from "../../support/built-programs.ts";
import { openPlainSearch } from "../plain-search.ts";

/** A system with hybrid search over texts: words and vectors of the same embedder. */
export interface ComparedSystem {
  /** Stores texts in an empty folder. */
  build(folder: string, texts: readonly string[]): Promise<void>;
  /** Opens what `build` stored. */
  open(folder: string): Promise<OpenedSystem>;
}

export interface OpenedSystem {
  /** The texts of the ten best results. */
  recall(question: string): Promise<string[]>;
  close(): Promise<void>;
}

const RESULTS = 10;
const CANDIDATES = 50;
const BATCH = 1_000;
const REST_MS = 10_000;
const embedder = createBuiltInEmbedder();

const ours: ComparedSystem = {
  async build(folder, texts) {
    const opened = await openMemory({ paths: profilePaths(folder, "ada"), embedder, watch: false });
    for (let next = 0; next < texts.length; next += BATCH)
      await opened.memory.addMany(
        texts.slice(next, next + BATCH).map((content) => ({ type: "observation", content })),
        { source: { kind: "user" }, trust: "trusted" },
      );
    await opened.embedded();
    // Five seconds after the last change, the words of the last texts are merged.
    await delay(REST_MS);
    await opened.close();
  },
  async open(folder) {
    // The built program, as people run it: its sources take longer to load than the index to open.
    const program = join(PROGRAMS, "index.worker.mjs");
    const thread = createIndexThread(() => new Worker(program, INDEX_THREAD_OPTIONS));
    const { memory, close } = await openMemory({ paths: profilePaths(folder, "ada"), embedder, thread });
    return {
      recall: async (question) =>
        (await memory.recall({ query: question, limit: RESULTS, explain: true })).map(
          ({ memory: { content } }) => content,
        ),
      close,
    };
  },
};

/** SQLite's own searches, fused by reciprocal ranks (Cormack et al. 2009). */
const plainFusion: ComparedSystem = {
  async build(folder, texts) {
    const vectors = await embedder.embed(texts);
    const entries = texts.map((text, index) => ({
      id: text,
      text,
      vector: vectors[index] ?? new Float32Array(),
    }));
    openPlainSearch(join(folder, "plain.db"), embedder.dimensions, entries).close();
  },
  async open(folder) {
    const plain = openPlainSearch(join(folder, "plain.db"), embedder.dimensions, []);
    return {
      async recall(question) {
        const [vector = new Float32Array()] = await embedder.embed([question], undefined, "query");
        return fusedRanks([
          plain.nearest(vector, CANDIDATES),
          plain.holding(contentWords(question), CANDIDATES),
        ]).slice(0, RESULTS);
      },
      close: async () => plain.close(),
    };
  },
};

function fusedRanks(rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    for (const [rank, text] of ranking.entries()) scores.set(text, (scores.get(text) ?? 0) + 1 / (61 + rank));
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([text]) => text);
}

/** The part of LanceDB's interface that the comparison uses. */
interface LanceTable {
  createIndex(column: string, options?: unknown): Promise<void>;
  query(): LanceQuery;
}
interface LanceQuery {
  nearestTo(vector: Float32Array): LanceQuery;
  fullTextSearch(text: string): LanceQuery;
  rerank(reranker: unknown): LanceQuery;
  select(columns: string[]): LanceQuery;
  limit(count: number): LanceQuery;
  toArray(): Promise<{ text: string }[]>;
}
interface Lance {
  connect(folder: string): Promise<{
    createTable(name: string, rows: unknown[]): Promise<LanceTable>;
    openTable(name: string): Promise<LanceTable>;
    close(): void;
  }>;
  Index: { fts(): unknown; ivfPq(options: unknown): unknown };
  rerankers: { RRFReranker: { create(): Promise<unknown> } };
}

/** LanceDB is not a dependency: `METAHUMAN_BENCH_LANCEDB` names the folder where it is installed. */
const lanceFolder = process.env["METAHUMAN_BENCH_LANCEDB"];

async function loadLance(): Promise<Lance> {
  const entry = join(lanceFolder ?? "", "node_modules/@lancedb/lancedb/dist/index.js");
  if (!existsSync(entry)) throw new Error(`LanceDB is not installed in ${lanceFolder ?? ""}.`);
  const loaded: { default: Lance } = await import(entry);
  return loaded.default;
}

/** Exact comparison finds all vectors, as ours does; the index of `isApproximate` vectors misses some. */
const lanceDb = ({ isApproximate }: { isApproximate: boolean }): ComparedSystem => ({
  async build(folder, texts) {
    const lance = await loadLance();
    const database = await lance.connect(join(folder, "lance"));
    const vectors = await embedder.embed(texts);
    const rows = texts.map((text, index) => ({ text, vector: Array.from(vectors[index] ?? []) }));
    const table = await database.createTable("texts", rows);
    await table.createIndex("text", { config: lance.Index.fts() });
    if (isApproximate && texts.length >= 5_000)
      await table.createIndex("vector", { config: lance.Index.ivfPq({ distanceType: "cosine" }) });
    database.close();
  },
  async open(folder) {
    const lance = await loadLance();
    const database = await lance.connect(join(folder, "lance"));
    const table = await database.openTable("texts");
    const reranker = await lance.rerankers.RRFReranker.create();
    return {
      async recall(question) {
        const [vector = new Float32Array()] = await embedder.embed([question], undefined, "query");
        const found = table.query().nearestTo(vector).fullTextSearch(question).rerank(reranker);
        const rows = await found.select(["text"]).limit(CANDIDATES).toArray();
        return rows.slice(0, RESULTS).map(({ text }) => text);
      },
      close: async () => database.close(),
    };
  },
});

/** In the order in which they are shown. */
export const systems: Readonly<Record<string, ComparedSystem>> = {
  ours,
  "plain fusion": plainFusion,
  ...(lanceFolder !== undefined && {
    "LanceDB, exact vectors": lanceDb({ isApproximate: false }),
    "LanceDB, IVF-PQ": lanceDb({ isApproximate: true }),
  }),
};
