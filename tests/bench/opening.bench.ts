import { testRecord } from "@metahuman/core/memory/testing/test-record";
import { openMemory } from "@metahuman/core/memory/open-memory";
import { createTestProfile } from "@metahuman/core/memory/testing/open-test-memory";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openPostgresRecordCopies } from "@metahuman/postgres/records/record-copies";
import { openPostgresRecords } from "@metahuman/postgres/records/open-records";
import { findPrograms, startServer } from "../cluster/server.ts";
import type { Row } from "./row.ts";

export const name = "opening";

const MEMORIES = 10_000;
const AT_ONCE = 500;

/** Opening memories whose rows are in a database, on a server that has no copy and no index of them yet. */
export async function run(): Promise<Row[]> {
  const programs = await findPrograms();
  if (programs === undefined) throw new Error("PostgreSQL 15 or later is not installed here.");
  const server = await startServer(programs);
  const database = await openPostgres(openPool(server.url()));
  try {
    await fill(database);
    return await measure(database);
  } finally {
    await database.close();
    await server.remove();
  }
}

async function fill(database: Postgres): Promise<void> {
  const copies = openPostgresRecordCopies(database, "ada");
  for (let from = 0; from < MEMORIES; from += AT_ONCE)
    await copies.put(
      Array.from({ length: AT_ONCE }, (_, place) => {
        const number = from + place;
        const id = `evt-20260101T000000000Z-shelf-${number}`;
        const content = `Shelf ${number} in the cellar holds box ${number * 7} with jars of plum jam, walnuts and last year's letters.`;
        const body = testRecord({ id, content, version: 1 });
        return { part: "record" as const, kind: "memory" as const, id, path: "", body };
      }),
    );
}

async function measure(database: Postgres): Promise<Row[]> {
  const profile = await createTestProfile();
  const records = openPostgresRecords(database, "ada");
  const used = process.cpuUsage();
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  const opened = await openMemory({
    paths: profile.paths,
    storage: records.memories,
    vectors: records.vectors,
    embedder: createBuiltInEmbedder(),
  });
  try {
    const found = await opened.memory.recall({ query: "plum jam in the cellar", limit: 5 });
    const first = seconds();
    if (found.length === 0) throw new Error("Nothing was found.");
    await opened.ready;
    const indexed = seconds();
    const { total } = await opened.memory.list({ limit: 1 });
    if (total !== MEMORIES) throw new Error(`Only ${total} memories are indexed.`);
    await opened.embedded();
    const embedded = seconds();
    const { user, system } = process.cpuUsage(used);
    return [
      { what: `first answer from ${MEMORIES} rows`, figure: first, unit: "s", target: 1 },
      { what: "all of them indexed", figure: indexed, unit: "s", target: 3 },
      { what: "all of them embedded by the built-in embedder, too", figure: embedded, unit: "s" },
      { what: "processor time of this process", figure: (user + system) / 1e6, unit: "s" },
    ];
  } finally {
    await opened.close();
    await profile.remove();
  }
}
