import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { testRecord } from "@metahuman/core/memory/testing/test-record";
import { hashSecret, newSecret } from "@metahuman/core/profiles/credentials";
import { openPostgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openPostgresRecordCopies } from "@metahuman/postgres/records/record-copies";
import { type Cluster, openCluster } from "../cluster/nodes.ts";
import { findPrograms } from "../cluster/server.ts";
import { Client } from "../support/client.ts";
import type { ServerProcess } from "../support/server.ts";
import type { Row } from "./row.ts";

export const name = "profiles";

const PROFILES = 1_000;
const ACTIVE = 50;
const MEMORIES = 1_000;
/** How many people ask at a time. */
const AT_A_TIME = 8;
const ROWS_AT_ONCE = 200;

/** The memory of one server of a database with a thousand accounts, all of which use it once and some of which work. */
export async function run(): Promise<Row[]> {
  const programs = await findPrograms();
  if (programs === undefined) throw new Error("PostgreSQL 14 or later is not installed here.");
  const cluster = await openCluster(programs);
  try {
    const server = await cluster.start("one");
    await server.owner();
    const people = await addPeople(cluster, server.url);
    return await measure(server, people);
  } finally {
    await cluster.remove();
  }
}

/** Stores accounts with a token each, and memories for those who work. Hashing passwords would take a minute. */
async function addPeople({ database: server }: Cluster, url: string): Promise<Client[]> {
  const people: Client[] = [];
  const names = Array.from({ length: PROFILES }, (_, n) => `person-${n}`);
  for (let from = 0; from < PROFILES; from += ROWS_AT_ONCE) {
    const some = names.slice(from, from + ROWS_AT_ONCE);
    const values = some.map((username) => {
      const { secret, id } = newSecret("mh_");
      people.push(new Client(url, { bearer: secret }));
      const hash = hashSecret(secret, "mh_")?.toString("hex") ?? "";
      return `('${hash}', '${id}', '${username}', 'bench', '2026-01-01T00:00:00.000Z', 'manage')`;
    });
    await server.sql(
      `INSERT INTO metahuman.accounts (username, role, password, created_at)
         SELECT unnest(ARRAY[${some.map((username) => `'${username}'`).join(", ")}]), 'member', password, created_at
         FROM metahuman.accounts WHERE username = 'ada';
       INSERT INTO metahuman.tokens (hash, id, username, name, created_at, scope) VALUES ${values.join(", ")}`,
    );
  }
  const database = await openPostgres(openPool(server.url()));
  for (const username of names.slice(0, ACTIVE)) {
    const copies = openPostgresRecordCopies(database, username);
    for (let from = 0; from < MEMORIES; from += ROWS_AT_ONCE)
      await copies.put(
        Array.from({ length: ROWS_AT_ONCE }, (_, index) => {
          const number = from + index;
          const id = `evt-20260101T000000000Z-shelf-${number}`;
          const content = `Shelf ${number} in the cellar holds box ${number * 7} with jars of plum jam, walnuts and last year's letters.`;
          const body = testRecord({ id, content, version: 1 });
          return { part: "record" as const, kind: "memory" as const, id, path: "", body };
        }),
      );
  }
  await database.close();
  return people;
}

async function measure(server: ServerProcess, people: readonly Client[]): Promise<Row[]> {
  const [active, idle] = [people.slice(0, ACTIVE), people.slice(ACTIVE)];
  const atStart = memoryOf(server).megabytes;
  const begun = performance.now();
  await inGroups(idle, async (client) => expectStatus(await client.get("/api/memories?limit=1")));
  const seconds = (performance.now() - begun) / 1_000;
  const { megabytes: afterVisits, most: mostDuringVisits } = memoryOf(server);
  console.log(
    `  ${idle.length} people asked once: ${Math.round(seconds)} s, at most ${Math.round(mostDuringVisits)} MB`,
  );
  for (let round = 0; round < 2; round += 1)
    await inGroups(active, async (client) => {
      expectStatus(await client.get("/api/memories?query=plum"));
      const answer = await client.post("/api/operator", { goal: 'append "a line" to log.md' });
      expectStatus(answer);
      if (OperatorAnswer.parse(answer.body).outcome !== "answered")
        throw new Error("A run was not answered.");
    });
  const { megabytes, most } = memoryOf(server);
  return [
    { what: "resident after the start", figure: atStart, unit: "MB" },
    {
      what: `until ${idle.length} people had asked once, ${AT_A_TIME} at a time`,
      figure: seconds,
      unit: "s",
    },
    { what: "resident then", figure: afterVisits, unit: "MB" },
    { what: "most until then", figure: mostDuringVisits, unit: "MB" },
    { what: `with ${ACTIVE} people at work, ${MEMORIES} memories each`, figure: megabytes, unit: "MB" },
    { what: "most in all", figure: most, unit: "MB", target: 1_000 },
  ];
}

function expectStatus({ status, body }: { status: number; body: unknown }): void {
  if (status !== 200) throw new Error(`A request was answered with ${status}: ${JSON.stringify(body)}`);
}

async function inGroups(people: readonly Client[], ask: (client: Client) => Promise<void>): Promise<void> {
  const queue = people.values();
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (const client of queue) await ask(client);
    }),
  );
}

/** The resident memory of a process now, and its maximum, if the system reports it. */
function memoryOf({ pid }: ServerProcess): { megabytes: number; most: number } {
  const megabytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) / 1_000;
  const [, peak] = /VmHWM:\s+(\d+) kB/.exec(statusOf(pid)) ?? [];
  return { megabytes, most: peak === undefined ? megabytes : Number(peak) / 1_000 };
}

function statusOf(pid: number): string {
  return process.platform === "linux" ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
}
