import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createLogger } from "@metahuman/core/log/logger";
import { testRecord } from "@metahuman/core/memory/testing/test-record";
import { openMemory } from "@metahuman/core/memory/open-memory";
import { createTestProfile } from "@metahuman/core/memory/testing/open-test-memory";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openPostgresRecordCopies } from "@metahuman/postgres/records/record-copies";
import { openPostgresRecords } from "@metahuman/postgres/records/open-records";
import type { Profile } from "@metahuman/boot/brain";
import { createBrain } from "@metahuman/boot/create-brain";
import { SECRET_KEY } from "../cluster/secret-key.ts";
import { findPrograms, startServer, type TestServer } from "../cluster/server.ts";
import { OWNER } from "../support/server.ts";
import type { Row } from "./row.ts";

export const name = "opening";

const MEMORIES = 10_000;
const AT_ONCE = 500;
const PROFILES = 60;

/** Opening memories whose rows are in a database, on a server that has no copy and no index of them yet. */
export async function run(): Promise<Row[]> {
  const programs = await findPrograms();
  if (programs === undefined) throw new Error("PostgreSQL 14 or later is not installed here.");
  const server = await startServer(programs);
  try {
    const database = await openPostgres(openPool(server.url()));
    try {
      await fill(database);
      return [...(await measure(database)), ...(await measureProfiles(server))];
    } finally {
      await database.close();
    }
  } finally {
    await server.remove();
  }
}

/** Opening and closing profiles with no records, one after the other: those that are new to the server, and known ones. */
async function measureProfiles(server: TestServer): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "mh-opening-"));
  const brain = await createBrain({
    home,
    logger: createLogger({ level: "silent" }),
    env: {
      METAHUMAN_DATABASE_URL: server.url(),
      METAHUMAN_WORKSPACE: pathToFileURL(join(home, "shared")).href,
      METAHUMAN_SECRET_KEY: SECRET_KEY,
      OLLAMA_HOST: "http://127.0.0.1:9",
    },
  });
  try {
    const names = Array.from({ length: PROFILES }, (_, n) => `person-${n}`);
    await brain.accounts.setup(OWNER, { address: "bench", fromLoopback: true });
    await server.sql(
      `INSERT INTO metahuman.accounts (username, role, password, created_at)
         SELECT unnest(ARRAY[${names.map((name) => `'${name}'`).join(", ")}]), 'member', password, created_at
         FROM metahuman.accounts WHERE username = '${OWNER.username}'`,
    );
    // Loads the code and starts the threads.
    await brain.profile(OWNER.username);
    const each = async (use: (profile: Profile) => Promise<unknown>): Promise<void> => {
      for (const name of names) await use(await brain.profile(name));
    };
    const readRuns = ({ runs }: Profile) => runs.list({ limit: 1 });
    const readFunctions = ({ functions }: Profile) => functions.of().listFunctions({ limit: 1 });
    const readMemories = ({ memory }: Profile) => memory.list({ limit: 1 });
    const asNew: number[] = [];
    const known: number[] = [];
    for (const times of [asNew, known]) {
      for (const read of [readRuns, readFunctions, readMemories])
        times.push(await processorTime(() => each(read)));
      times.push(await processorTime(() => brain.closeIdleProfiles(0)));
    }
    const parts = [
      "opening it and reading its runs",
      "then its functions",
      "then its memories",
      "closing it",
    ];
    const rowsOf = (which: string, times: readonly number[]) =>
      parts.map((part, place): Row => ({
        what: `processor time of this process, ${which}: ${part}`,
        figure: (times[place] ?? 0) / PROFILES,
        unit: "ms",
      }));
    return [
      ...rowsOf("a profile without records that is new here", asNew),
      ...rowsOf("one that was open here before", known),
    ];
  } finally {
    await brain.close({ graceMs: 0 });
    await rm(home, { recursive: true, force: true });
  }
}

/** The processor time of this process and its threads during work, in milliseconds. */
async function processorTime(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

async function fill(database: Postgres): Promise<void> {
  const copies = openPostgresRecordCopies(database, "ada");
  for (let from = 0; from < MEMORIES; from += AT_ONCE)
    await copies.put(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const number = from + index;
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
