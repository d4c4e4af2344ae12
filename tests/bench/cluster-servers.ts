import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { openCluster } from "../cluster/nodes.ts";
import { findPrograms, type TestServer as DatabaseServer } from "../cluster/server.ts";
import type { Client } from "../support/client.ts";
import { limitProcessors } from "../support/processor-share.ts";
import { processorTime } from "../support/processor-time.ts";
import { OWNER, type ServerProcess, startTestServer } from "../support/server.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

const PEOPLE = 6;
/** How long each figure is measured, in milliseconds. */
const MEASURED_MS = 5_000;
/** How long servers may still work after the first requests to them, in milliseconds. */
const IDLE_LIMIT_MS = 30_000;
const SERVERS = [1, 2, 3];
/** The share of a processor that each server gets where the growth is measured: three of them, database and clients fit into two processors. */
const SHARE = 0.2;

/** The results of the requests of several people. */
interface Load {
  perSecond: number;
  durations: number[];
  count: number;
}

/** Whole servers on one PostgreSQL server that flushes every commit, beside one on files and SQLite. */
export async function measureServers(): Promise<Row[]> {
  const programs = await findPrograms();
  if (programs === undefined) throw new Error("PostgreSQL 14 or later is not installed here.");
  const rows: Row[] = [
    {
      what: "processors of this machine, shared by servers, database and clients",
      figure: availableParallelism(),
      unit: "",
    },
  ];
  const single = await startTestServer();
  const reference = await measure("files and SQLite", [single]);
  await single.dispose();
  rows.push(...reference.rows);
  const cluster = await openCluster(programs, { isDurable: true });
  try {
    const nodes: ServerProcess[] = [];
    const limited: Limited[] = [];
    for (const count of SERVERS) {
      nodes.push(await cluster.start(`server-${count}`));
      const measured = await measure(`PostgreSQL, servers: ${count}`, nodes, cluster.database);
      rows.push(...measured.rows);
      if (count === 1)
        rows.push({
          what: "p95 of a plain request on PostgreSQL, in multiples of files and SQLite",
          figure: measured.p95 / reference.p95,
          unit: "×",
          target: 2,
        });
      const perSecond = await measureLimited(nodes);
      if (perSecond) limited.push(perSecond);
    }
    rows.push(...growthRows(limited));
  } finally {
    await cluster.remove();
  }
  return rows;
}

/** The rows that the database has read so far, by scans and indexes, in all its tables. */
async function rowsRead(sql: (text: string) => Promise<string>): Promise<number> {
  const text = await sql(
    "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables WHERE schemaname = 'metahuman'",
  );
  return Number(text);
}

/** Runs per second while each server has a share of a processor. */
interface Limited {
  /** The requests of each person go to all servers in turn. */
  inTurn: number;
  /** The requests of each person go to one server. */
  atOne: number;
}

/** Measures with a share of a processor for each server, so that more servers have more; undefined where it cannot be limited. */
async function measureLimited(servers: readonly ServerProcess[]): Promise<Limited | undefined> {
  const people = await signIn(servers);
  await untilIdle(servers);
  const limits = await limitProcessors(
    servers.map(({ pid }) => pid),
    SHARE,
  );
  if (!limits) return undefined;
  const perSecond = async (clients: readonly Client[][]) => {
    await loadFor(2_000, clients, ask);
    return (await loadFor(2 * MEASURED_MS, clients, ask)).perSecond;
  };
  try {
    const inTurn = await perSecond(people);
    const atOne = await perSecond(
      people.map((clients, index) => clients.filter((_, place) => place === index % clients.length)),
    );
    return { inTurn, atOne };
  } finally {
    await limits.release();
  }
}

/** How the runs grow with the servers. */
function growthRows(limited: readonly Limited[]): Row[] {
  const [one, , three] = limited;
  const ways = [
    ["inTurn", "each person at all servers in turn"],
    ["atOne", "each person at one server"],
  ] as const;
  return ways.flatMap(([way, name]): Row[] => [
    ...limited.map((measured, index) => ({
      what: `runs ("append …") with a fifth of a processor for each server, ${name}, servers: ${index + 1}`,
      figure: measured[way],
      unit: "per second",
    })),
    ...(one && three
      ? [
          {
            what: `runs on three such servers, ${name}, in multiples of one`,
            figure: three[way] / one[way],
            unit: "×",
            least: 2,
          },
        ]
      : []),
  ]);
}

/** Waits until the servers have opened and indexed what the first requests to them concerned; at most for `IDLE_LIMIT_MS`. */
async function untilIdle(servers: readonly ServerProcess[]): Promise<void> {
  const used = () => processorTime(servers.map(({ pid }) => pid));
  for (let waited = 0; waited < IDLE_LIMIT_MS; waited += 1_000) {
    const before = await used();
    await delay(1_000);
    if ((await used()) - before < 100 * servers.length) return;
  }
}

/** Several people, whose requests go to the servers in turn. */
async function measure(
  where: string,
  servers: readonly ServerProcess[],
  database?: DatabaseServer,
): Promise<{ rows: Row[]; p95: number }> {
  const people = await signIn(servers);
  const getTasks = (client: Client) => client.get("/api/tasks");
  // Warms up what is loaded and compiled with the first requests.
  await loadFor(1_000, people, ask);
  await loadFor(1_000, people, getTasks);
  await untilIdle(servers);
  const plain = await loadFor(MEASURED_MS, people, getTasks);
  const used = async () => ({
    rows: database ? await rowsRead(database.sql) : 0,
    database: database ? await processorTime(await database.processes()) : 0,
    servers: await processorTime(servers.map(({ pid }) => pid)),
  });
  const before = await used();
  const runs = await loadFor(MEASURED_MS, people, ask);
  const p95 = quantile(plain.durations, 0.95);
  // The database gathers its statistics once a second.
  if (database) await delay(1_500);
  const after = await used();
  const perRun = (part: keyof typeof after) => (after[part] - before[part]) / runs.count;
  const rows: Row[] = [
    { what: `GET /api/tasks, ${where}`, figure: plain.perSecond, unit: "per second" },
    { what: `GET /api/tasks, ${where}, p95`, figure: p95, unit: "ms" },
    { what: `runs ("append …"), ${where}`, figure: runs.perSecond, unit: "per second" },
    { what: `runs ("append …"), ${where}, p95`, figure: quantile(runs.durations, 0.95), unit: "ms" },
    { what: `processor time of the servers per run, ${where}`, figure: perRun("servers"), unit: "ms" },
  ];
  if (database)
    rows.push(
      { what: `processor time of the database per run, ${where}`, figure: perRun("database"), unit: "ms" },
      { what: `rows read per run, ${where}`, figure: Math.round(perRun("rows")), unit: "rows" },
    );
  return { rows, p95 };
}

/** Creates the people at the first server that has none, and signs them in. */
async function signIn(servers: readonly ServerProcess[]): Promise<Client[][]> {
  const [first] = servers;
  if (!first) throw new Error("no server");
  const owner = await first.owner();
  const people: Client[][] = [];
  for (let n = 0; n < PEOPLE; n += 1) {
    const credentials = { username: `person-${n}`, password: `${OWNER.password} ${n}` };
    await owner.post("/api/profiles", credentials);
    const client = first.client();
    const { status } = await client.signIn(credentials);
    if (status !== 200) throw new Error(`nobody could sign in: ${status}`);
    people.push(servers.map(({ url }) => client.at(url)));
  }
  return people;
}

async function ask(client: Client): Promise<void> {
  const { body } = await client.post("/api/operator", { goal: 'append "a line" to log.md' });
  const { outcome } = OperatorAnswer.parse(body);
  if (outcome !== "answered") throw new Error(`a run ended as ${outcome}`);
}

/** Sends the requests of each person one after the other. */
async function loadFor(
  ms: number,
  people: readonly Client[][],
  request: (client: Client) => Promise<unknown>,
): Promise<Load> {
  const durations: number[] = [];
  const begun = performance.now();
  await Promise.all(
    people.map(async (clients, index) => {
      for (let turn = index; performance.now() - begun < ms; turn += 1) {
        const client = clients[turn % clients.length];
        if (!client) throw new Error("no server");
        const sent = performance.now();
        await request(client);
        durations.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1_000;
  return { perSecond: durations.length / seconds, durations, count: durations.length };
}
