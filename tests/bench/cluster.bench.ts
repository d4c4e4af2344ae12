import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@metahuman/core/database/open-database";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import type { RunStore } from "@metahuman/core/runs/run-store";
import {
  answered,
  claimNext,
  ended,
  planned,
  requestFor,
  started,
} from "@metahuman/core/runs/store-fixtures";
import { openPostgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openPostgresRunStore } from "@metahuman/postgres/runs/open-run-store";
import { findPrograms, startServer, startWorker, type TestServer } from "../cluster/server.ts";
import { measureServers } from "./cluster-servers.ts";
import type { Row } from "./row.ts";
import { quantile, rate, timed } from "./statistics.ts";

export const name = "cluster";

const RUNS = 200;
const EVENTS = 500;

/** Whole servers and the run store alone, on a PostgreSQL server of this machine that flushes every commit, beside files and SQLite. */
export async function run(): Promise<Row[]> {
  return [...(await measureServers()), ...(await measureStores())];
}

async function measureStores(): Promise<Row[]> {
  const programs = await findPrograms();
  if (programs === undefined) throw new Error("PostgreSQL 14 or later is not installed here.");
  const rows = await embedded();
  const server = await startServer(programs, { isDurable: true });
  try {
    const database = await openPostgres(openPool(server.url()));
    rows.push(...(await measure("PostgreSQL", openPostgresRunStore(database, "one"))));
    await database.close();
    for (const processes of [1, 2, 3]) rows.push(await measureProcesses(server, processes));
    return rows;
  } finally {
    await server.remove();
  }
}

async function embedded(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "mh-bench-"));
  const database = openDatabase(join(folder, "state.db"), stateMigrations, { title: "the state" });
  try {
    return await measure("SQLite", openRunStore(database));
  } finally {
    database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** One process: whole runs one after the other, and single events of one run. */
async function measure(what: string, store: RunStore): Promise<Row[]> {
  const begun = performance.now();
  for (let n = 0; n < RUNS; n += 1) {
    const run = await store.create(requestFor(`task ${n}`));
    const claim = await claimNext(store);
    await store.append(claim, [started(run)]);
    await store.append(claim, [answered("Done."), ended]);
  }
  const runs = rate(RUNS, begun);
  const run = await store.create(requestFor("one more"));
  const claim = await claimNext(store);
  await store.append(claim, [started(run)]);
  const durations = await timed(EVENTS, (n) => store.append(claim, [planned(n + 1)]));
  return [
    {
      what: `runs created, claimed and ended, ${what}, one after the other`,
      figure: runs,
      unit: "per second",
    },
    { what: `an event of a run, ${what}, p50`, figure: quantile(durations, 0.5), unit: "ms" },
    { what: `an event of a run, ${what}, p95`, figure: quantile(durations, 0.95), unit: "ms" },
  ];
}

/** Several processes that carry out the queued runs of one profile together. */
async function measureProcesses(server: TestServer, processes: number): Promise<Row> {
  const profile = `of-${processes}`;
  const database = await openPostgres(openPool(server.url()));
  const store = openPostgresRunStore(database, profile);
  for (let n = 0; n < RUNS; n += 1) await store.create(requestFor(`task ${n}`));
  await store.close();
  const workers = Array.from({ length: processes }, () => startWorker("carry-out", server.url(), profile));
  for (const worker of workers) await worker.line();
  const begun = performance.now();
  for (const worker of workers) worker.send("go on");
  await Promise.all(workers.map((worker) => worker.ended));
  await database.close();
  return {
    what: `queued runs of one profile claimed and ended, ${processes} processes`,
    figure: rate(RUNS, begun),
    unit: "per second",
  };
}
