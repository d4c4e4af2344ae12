/**
 * A process that uses the database: `node worker.ts <mode> <url> <profile>`.
 * - `hold` claims a run, prints its id, waits for a line, tries to write, and prints the name of the error, or "written".
 * - `carry-out` prints "ready" and waits for a line, then claims runs and ends them until none is queued, and prints the id of
 *   each. Prints "done" at the end.
 * - `migrate` opens the database and prints "done".
 * - `import` adds memories in lists of 3 000, over and over, and prints a line before each list.
 * - `migrate-slowly` opens the database with one more step, which takes ten minutes.
 * - `stand-still` begins a transaction that locks the profile's conversations, prints "locked", waits for a line, tries to
 *   continue, and prints the code of the error, or "written".
 * - `upkeep` takes part in the upkeep, prints the id of each job "counted" that it began, and never ends one.
 * - `add` prints "ready", waits for a line, and adds 40 tasks.
 * - `audit` prints "ready", waits for a line, and appends 300 signed lines to the audit log, a few at a time; prints how many
 *   were acknowledged after each.
 */
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuditKey } from "@metahuman/core/audit/signed-chain";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { openMemory } from "@metahuman/core/memory/open-memory";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import { createTestEmbedder } from "@metahuman/core/memory/testing/test-embedder";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openPostgresRecords } from "@metahuman/postgres/records/open-records";
import { openPostgresAuditLog } from "@metahuman/postgres/audit/open-audit-log";
import { migrate } from "@metahuman/postgres/migrate";
import { migrations } from "@metahuman/postgres/migrations/all";
import { openPostgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openUpkeep } from "@metahuman/postgres/upkeep/open-upkeep";
import { openPostgresRunStore } from "@metahuman/postgres/runs/open-run-store";
import { answered, ended, planned, running, started } from "@metahuman/core/runs/store-fixtures";

import { SECRET_KEY } from "./secret-key.ts";

const [mode, url, profile] = process.argv.slice(2);
if (url === undefined || profile === undefined) throw new Error("usage: worker.ts <mode> <url> <profile>");
const print = (line: string) => process.stdout.write(`${line}\n`);
if (mode === "migrate-slowly") {
  const version = migrations.length + 1;
  await migrate(openPool(url), [...migrations, { version, name: "a slow step", up: "SELECT pg_sleep(600)" }]);
}
const database = await openPostgres(openPool(url, { maxConnections: 4, idleTransactionTimeoutMs: 1_000 }));
const store = openPostgresRunStore(database, profile);

async function hold(): Promise<void> {
  const run = await running(store);
  print(run.id);
  await once(process.stdin, "data");
  const outcome = await store.append(run.claim, [planned(1)]).then(
    () => "written",
    (error: unknown) => (error instanceof Error ? error.name : "unknown"),
  );
  print(outcome);
}

async function standStill(): Promise<void> {
  const outcome = await database
    .inProfile(profile ?? "", async (session) => {
      await session.run("UPDATE conversations SET title = 'mine' WHERE profile = :profile");
      print("locked");
      await once(process.stdin, "data");
      await session.run("UPDATE conversations SET title = 'mine again' WHERE profile = :profile");
      return "written";
    })
    .catch((error: unknown) => toErrorDetail(error).code);
  print(outcome);
}

async function carryOut(): Promise<void> {
  print("ready");
  await once(process.stdin, "data");
  for (;;) {
    const claimed = await store.claim({ maxConcurrent: 3, adopt: true });
    if (!claimed) {
      const { total } = await store.runs({ status: "queued", limit: 1 });
      if (total === 0) return;
      continue;
    }
    const { run, claim } = claimed;
    await store.append(claim, [started(run)]);
    await store.append(claim, [answered("Done."), ended]);
    print(run.id);
  }
}

async function importMemories(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-import-"));
  const paths = profilePaths(home, "ada");
  const storage = openPostgresRecords(database, profile ?? "").memories;
  const { memory } = await openMemory({ paths, storage, embedder: createTestEmbedder() });
  for (let list = 0; ; list += 1) {
    print(`list ${list}`);
    await memory.addMany(
      Array.from({ length: 3_000 }, (_, index) => ({
        type: "observation" as const,
        content: `walnut ${index}`,
        tags: [`list-${list}`],
      })),
      { source: { kind: "import" }, trust: "trusted" },
    );
  }
}

async function addTasks(): Promise<void> {
  const tasks = await openTasks({ storage: openPostgresRecords(database, profile ?? "").tasks });
  print("ready");
  await once(process.stdin, "data");
  for (let n = 0; n < 40; n += 1) await tasks.create({ title: `walnut ${n} of ${process.pid}` });
}

async function appendToAudit(): Promise<void> {
  const audit = openPostgresAuditLog(database, profile ?? "", {
    key: openAuditKey("/nowhere", { METAHUMAN_SECRET_KEY: SECRET_KEY }),
  });
  print("ready");
  await once(process.stdin, "data");
  let acknowledged = 0;
  const appending = Array.from({ length: 3 }, async () => {
    for (let n = 0; n < 100; n += 1) {
      await audit.append({ event: "counted", details: { process: process.pid, text: "ä\ud800\u0000" } });
      acknowledged += 1;
      print(String(acknowledged));
    }
  });
  await Promise.all(appending);
}

async function neverEndUpkeep(): Promise<void> {
  openUpkeep(openPool(url ?? ""), {
    jobs: [{ name: "counted", cron: "0 0 1 1 *", run: () => (print("began"), new Promise(() => undefined)) }],
    onProblem: (error) => print(String(error)),
    times: { poll: 0.5, expire: 2, supervise: 1, startAfter: 0 },
  });
  await once(process.stdin, "end");
}

if (mode === "upkeep") await neverEndUpkeep();
if (mode === "audit") await appendToAudit();
if (mode === "import") await importMemories();
if (mode === "add") await addTasks();
if (mode === "stand-still") await standStill();
if (mode === "hold") await hold();
if (mode === "carry-out") await carryOut();
print("done");
await database.close();
process.exit();
