import { createIndexThread } from "@metahuman/core/index-thread/index-thread";
import { createIndexClient } from "@metahuman/core/memory/index/index-client";
import { vectorIndexOf } from "@metahuman/core/memory/index/index-ports";
import { normalised } from "@metahuman/core/vectors/vector-math";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureVectors } from "./measure-vectors.ts";
import { openPlainSearch } from "./plain-search.ts";
import type { Row } from "./row.ts";
import { rate, seededRandom } from "./statistics.ts";

export const name = "vectors";

/** `METAHUMAN_BENCH_RECORDS=100000` for many. */
const VECTORS = Number(process.env["METAHUMAN_BENCH_RECORDS"] ?? 10_000);
/** As many numbers as embedding models usually give. */
const DIMENSIONS = 768;
const SEARCHES = 100;

/** Searching random directions, which lie as far from each other as vectors can: nothing is easily nearest. */
export async function run(): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-"));
  const random = seededRandom(3);
  const direction = (): Float32Array =>
    normalised(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5));
  const entries = Array.from({ length: VECTORS }, (_, at) => ({
    id: `entry-${at}`,
    text: "",
    facts: { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [] },
    vector: direction(),
  }));
  const queries = Array.from({ length: SEARCHES }, direction);
  const embedder = { id: "random", dimensions: DIMENSIONS };
  const client = createIndexClient({
    thread: createIndexThread(),
    settings: { database: join(home, "memory.db"), root: home, recordFolders: [], taskFolders: [], embedder },
    onWarning: (message) => console.error(message),
    onRestart: () => undefined,
  });
  const ours = vectorIndexOf(client, embedder);
  const plain = openPlainSearch(join(home, "plain.db"), DIMENSIONS, entries);
  try {
    const begun = performance.now();
    for (let next = 0; next < entries.length; next += 1_000)
      await ours.put(entries.slice(next, next + 1_000));
    const puts = rate(entries.length, begun);
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
