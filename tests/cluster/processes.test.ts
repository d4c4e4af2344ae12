import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { changeIdle, claimNext, requestFor, running } from "@metahuman/core/runs/store-fixtures";
import { migrate } from "@metahuman/postgres/migrate";
import { migrations } from "@metahuman/postgres/migrations/all";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openPostgresRunStore } from "@metahuman/postgres/runs/open-run-store";
import { findPrograms, startServer, startWorker, type TestServer } from "./server.ts";

const programs = await findPrograms();

describe.runIf(programs)("several processes on one database", () => {
  let server: TestServer;
  let database: Postgres;
  beforeAll(async () => {
    server = await startServer(programs ?? "");
    // All create the schema at once.
    const workers = Array.from({ length: 4 }, () => startWorker("migrate", server.url(), "nobody"));
    expect(await Promise.all(workers.map((worker) => worker.line()))).toEqual([
      "done",
      "done",
      "done",
      "done",
    ]);
    database = await openPostgres(openPool(server.url()));
  });
  afterAll(async () => {
    // First, so that no server stays behind when the database could not be opened.
    await server.remove();
    await database.close();
  });

  it("apply each migration once", async () => {
    const applied = await server.sql("SELECT version FROM metahuman.migrations ORDER BY version");
    expect(applied.split("\n")).toEqual(migrations.map(({ version }) => String(version)));
  });

  it("wait for a step of another process, and execute it when that one is killed", async () => {
    await server.sql("CREATE DATABASE upgraded");
    const url = server.url({ database: "upgraded" });
    await (await openPostgres(openPool(url))).close();
    const slow = startWorker("migrate-slowly", url, "nobody");
    const working = (query: string) =>
      server.sql(`SELECT count(*) FROM pg_stat_activity WHERE datname = 'upgraded' AND ${query}`);
    await expect.poll(() => working("query LIKE '%pg_sleep%'"), { timeout: 20_000 }).toBe("1");
    const driver = openPool(url);
    const step = { version: migrations.length + 1, name: "a step", up: "CREATE TABLE quick (id integer)" };
    const migrating = migrate(driver, [...migrations, step]);
    await expect.poll(() => working("wait_event = 'advisory'")).toBe("1");
    slow.signal("SIGKILL");
    await migrating;
    await driver.close();
    const active = await server.sql(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = 'upgraded' AND state <> 'idle'`,
    );
    expect(active).toBe("0");
  }, 60_000);

  it("continue when one of them is suspended during a change, which then has no effect", async () => {
    const store = openPostgresRunStore(database, "hal");
    const { conversationId } = await store.create(requestFor("a task"));
    const worker = startWorker("stand-still", server.url(), "hal");
    try {
      expect(await worker.line()).toBe("locked");
      worker.signal("SIGSTOP");
      await store.renameConversation(conversationId, "theirs");
      worker.signal("SIGCONT");
      worker.send("go on");
      expect(await worker.line()).toBe("STORAGE_UNAVAILABLE");
    } finally {
      worker.signal("SIGKILL");
    }
    expect((await store.conversation(conversationId)).title).toBe("theirs");
  });

  it("claim no more runs than the limit when they claim at the same moment", async () => {
    const stores = Array.from({ length: 6 }, () => openPostgresRunStore(database, "gus"));
    for (const store of [...stores, ...stores]) await store.create(requestFor("a task"));
    const claimed = await Promise.all(stores.map((store) => store.claim({ maxConcurrent: 3, adopt: false })));
    expect(claimed.filter((run) => run !== undefined)).toHaveLength(3);
  });

  it("execute each run once", async () => {
    const store = openPostgresRunStore(database, "ada");
    const ids: string[] = [];
    for (let n = 0; n < 60; n += 1) ids.push((await store.create(requestFor(`task ${n}`))).id);
    await store.releaseQueued();
    const workers = Array.from({ length: 4 }, () => startWorker("carry-out", server.url(), "ada"));
    for (const worker of workers) expect(await worker.line()).toBe("ready");
    for (const worker of workers) worker.send("go on");
    const carriedOut = await Promise.all(
      workers.map(async (worker) => {
        const seen: string[] = [];
        for (
          let line = await worker.line();
          line !== "done" && line !== undefined;
          line = await worker.line()
        )
          seen.push(line);
        return seen;
      }),
    );
    expect(carriedOut.flat().toSorted()).toEqual(ids.toSorted());
    for (const id of ids) {
      const events = await store.events(id, 0, 10);
      expect(events.map(({ type }) => type)).toEqual(["run-started", "answer-completed", "run-ended"]);
    }
  });

  it("refuse writes of one that was suspended for longer than its lease", async () => {
    const worker = startWorker("hold", server.url(), "ben");
    const runId = (await worker.line()) ?? "";
    worker.signal("SIGSTOP");
    const later = await openPostgres(openPool(server.url()), {
      clock: () => new Date(Date.now() + LEASE_MS),
    });
    const store = openPostgresRunStore(later, "ben");
    expect(await store.interruptLost()).toHaveLength(1);
    await changeIdle(store, runId, [{ type: "run-resumed", reason: "asked for", status: "queued" }]);
    const claim = await claimNext(store);
    worker.signal("SIGCONT");
    worker.send("go on");
    expect(await worker.line()).toBe("RunLostError");
    const resumed = { type: "run-resumed", reason: "its turn", status: "running" } as const;
    expect((await store.append(claim, [resumed])).run).toMatchObject({ status: "running", scratchpad: [] });
    await later.close();
  });

  it("take over the run of one that was killed, with everything it had committed", async () => {
    const worker = startWorker("hold", server.url(), "carl");
    const runId = (await worker.line()) ?? "";
    worker.signal("SIGKILL");
    await worker.ended;
    const later = await openPostgres(openPool(server.url()), {
      clock: () => new Date(Date.now() + LEASE_MS),
    });
    const store = openPostgresRunStore(later, "carl");
    expect(await openPostgresRunStore(database, "carl").interruptLost()).toEqual([]);
    expect((await store.interruptLost()).map(({ run }) => run.id)).toEqual([runId]);
    expect((await store.events(runId, 0, 9)).map(({ type }) => type)).toEqual([
      "run-started",
      "run-interrupted",
    ]);
    await later.close();
  });

  it("number the events of one run without gaps when they change it at the same moment", async () => {
    const stores = Array.from({ length: 6 }, () => openPostgresRunStore(database, "dora"));
    const [first] = stores;
    if (!first) throw new Error("no store");
    const { id, claim } = await running(first);
    await first.append(claim, [{ type: "run-interrupted", reason: "stopped" }]);
    const warn = { type: "warning-raised", message: "slow" } as const;
    const changed = await Promise.all(stores.map((store) => changeIdle(store, id, [warn])));
    const stored = changed.filter((committed) => committed !== undefined).length;
    expect(stored).toBeGreaterThan(0);
    const events = await first.events(id, 0, 100);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events).toHaveLength(2 + stored);
  });
});
