import { indexThread } from "@metahuman/core/worker/index-thread";
import { createIndexClient, vectorIndexOf } from "@metahuman/core/memory/index/index-client";
import type { VectorIndex } from "@metahuman/core/vectors/vector-index";
import { normalizeVector } from "@metahuman/core/vectors/vector-math";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureVectors } from "./measure-vectors.ts";
import { openPlainSearch } from "./plain-search.ts";
import type { Row } from "./row.ts";
import { rate, seededRandom } from "./statistics.ts";

export const name = "vectors";

/** `METAHUMAN_BENCH_RECORDS=100000` for many; 1000000 takes some 10 GB of disk and half an hour. */
const VECTORS = Number(process.env["METAHUMAN_BENCH_RECORDS"] ?? 10_000);
/** The usual number of dimensions of embedding models. */
const DIMENSIONS = 768;
/** A plain scan of a million takes seconds. */
const SEARCHES = VECTORS > 200_000 ? 20 : 100;

/** Searches random directions, the hardest case: no vector is clearly nearest. */
export async function run(): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-"));
  const direction = directions(5);
  const queries = Array.from({ length: SEARCHES }, direction);
  const embedder = { id: "random", dimensions: DIMENSIONS };
  const client = createIndexClient({
    thread: indexThread,
    settings: { database: join(home, "memory.db"), root: home, recordFolders: [], taskFolders: [], embedder },
    onWarning: (message) => console.error(message),
    onRestart: () => undefined,
  });
  const ours = vectorIndexOf(client, embedder);
  const plain = openPlainSearch(join(home, "plain.db"), DIMENSIONS, entries());
  try {
    const begun = performance.now();
    let some: Entry[] = [];
    for (const entry of entries()) {
      some.push(entry);
      if (some.length < 1_000) continue;
      await ours.put(some);
      some = [];
    }
    await ours.put(some);
    const puts = rate(VECTORS, begun);
    return [
      { what: "vectors put, by 1 000", figure: puts, unit: "vectors/s" },
      ...(await measureVectors(ours, plain, queries)),
    ];
  } finally {
    plain.close();
    await client.close();
    await rm(home, { recursive: true, force: true });
  }
}

type Entry = Parameters<VectorIndex["put"]>[0][number] & { text: string };

/** The same ones each time, made one by one: a million of them would fill the memory. */
function* entries(): Generator<Entry> {
  const direction = directions(3);
  const facts = { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [] };
  for (let index = 0; index < VECTORS; index += 1)
    yield { id: `entry-${index}`, text: "", facts, vector: direction() };
}

function directions(seed: number): () => Float32Array {
  const random = seededRandom(seed);
  return () => normalizeVector(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5));
}
