import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { requestFor } from "@metahuman/core/runs/store-fixtures";
import { openPostgresAuditLog } from "@metahuman/postgres/audit/open-audit-log";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openPostgresRunStore } from "@metahuman/postgres/runs/open-run-store";
import { findPrograms, PASSWORD, startServer, type TestServer } from "./server.ts";
import { makeSmallDisk } from "./small-disk.ts";

const programs = await findPrograms();
const disk = programs === undefined ? undefined : await makeSmallDisk();
const unavailable = { code: "STORAGE_UNAVAILABLE", context: { retryAfterMs: 2_000 } };

describe.runIf(programs)("faults of the database server", () => {
  let server: TestServer;
  let database: Postgres;
  beforeAll(async () => {
    server = await startServer(programs ?? "");
    database = await openPostgres(openPool(server.url()));
  });
  afterAll(async () => {
    // First, so that no server stays behind when the database could not be opened.
    await server.remove();
    await database.close();
    await disk?.remove();
  });

  /** Opens the database at an address and closes it again. */
  async function open(url: string): Promise<void> {
    const pool = openPool(url);
    try {
      await openPostgres(pool);
    } finally {
      await pool.close();
    }
  }

  it("name a missing or wrong password, an unknown user and an unknown database", async () => {
    const wrong = [{ password: "wrong" }, { user: "nobody" }];
    for (const options of wrong)
      await expect(open(server.url(options))).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        message: "The database server rejects the user or password in METAHUMAN_DATABASE_URL.",
      });
    const withoutPassword = new URL(server.url());
    withoutPassword.password = "";
    await expect(open(withoutPassword.href)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: "The database server asks for a password, and none is set.",
    });
    await expect(open(server.url({ database: "missing" }))).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: "The database named in METAHUMAN_DATABASE_URL does not exist.",
    });
  });

  it("name missing rights, and nothing more is needed than to own the database and create roles", async () => {
    await server.sql(`CREATE ROLE guest LOGIN PASSWORD '${PASSWORD}'`);
    await expect(open(server.url({ user: "guest" }))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await server.sql(`CREATE ROLE app LOGIN CREATEROLE PASSWORD '${PASSWORD}'`);
    await server.sql("CREATE DATABASE app OWNER app");
    const own = await openPostgres(openPool(server.url({ user: "app", database: "app" })));
    const run = await openPostgresRunStore(own, "ada").create(requestFor("hello"));
    expect(run.status).toBe("queued");
    await own.close();
  });

  it("end a statement that takes too long, and the connection can be used again", async () => {
    const impatient = await openPostgres(
      openPool(server.url(), { maxConnections: 1, statementTimeoutMs: 100 }),
    );
    await expect(
      impatient.inProfile("ada", (session) => session.all(z.unknown(), "SELECT pg_sleep(60)")),
    ).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect(await openPostgresRunStore(impatient, "ada").unfinishedRuns(1)).toEqual([]);
    await impatient.close();
  });

  it("are reported as a pool without a free connection, until one is free again", async () => {
    const small = await openPostgres(openPool(server.url(), { maxConnections: 1, connectTimeoutMs: 1_000 }));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = small.inProfile("ada", () => held);
    await expect(openPostgresRunStore(small, "ada").unfinishedRuns(1)).rejects.toMatchObject(unavailable);
    release();
    await holding;
    expect(await openPostgresRunStore(small, "ada").unfinishedRuns(1)).toEqual([]);
    await small.close();
  });

  it("end the wait for a server that does not respond, and the server is used again when it continues", async () => {
    const pool = openPool(server.url(), {
      maxConnections: 1,
      statementTimeoutMs: 200,
      connectTimeoutMs: 1_000,
    });
    const waiting = await openPostgres(pool);
    const store = openPostgresRunStore(waiting, "ivy");
    const { id } = await store.create(requestFor("before"));
    await server.signal("SIGSTOP");
    try {
      // The first had a connection; the second asks for one.
      for (const goal of ["during", "during"])
        await expect(store.create(requestFor(goal))).rejects.toMatchObject(unavailable);
    } finally {
      await server.signal("SIGCONT");
    }
    const after = await store.create(requestFor("after"));
    expect((await store.unfinishedRuns(9)).map((run) => run.id)).toEqual([after.id, id]);
    await waiting.close();
  });

  it("let a server that accepts no changes go, so that the next connection may find one that does", async () => {
    await server.sql(`CREATE ROLE moved LOGIN CREATEROLE PASSWORD '${PASSWORD}'`);
    await server.sql("CREATE DATABASE moved OWNER moved");
    const there = { user: "moved", database: "moved" };
    await open(server.url(there));
    // As behind an address that leads to the former primary, which is a standby now, and later to the new one.
    await server.sql("ALTER ROLE moved SET default_transaction_read_only = on");
    const moved = await openPostgres(openPool(server.url(there), { maxConnections: 1 }), {
      schema: "require",
    });
    const store = openPostgresRunStore(moved, "ada");
    await expect(store.create(requestFor("during"))).rejects.toMatchObject(unavailable);
    expect((await store.conversations({ limit: 1 })).total).toBe(0);
    await server.sql("ALTER ROLE moved RESET default_transaction_read_only");
    expect((await store.create(requestFor("after"))).status).toBe("queued");
    await moved.close();
  });

  it("change nothing when a process loses its connection in the middle of a change", async () => {
    const lost = database.inProfile("eve", async (session) => {
      await session.run(
        `INSERT INTO conversations (profile, id, title, title_folded, created_at, updated_at)
         VALUES (:profile, 'a', 'a', '', '', '')`,
      );
      await server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'",
      );
      await session.run("UPDATE conversations SET title = 'b' WHERE profile = :profile");
    });
    await expect(lost).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect((await openPostgresRunStore(database, "eve").conversations({ limit: 1 })).total).toBe(0);
  });

  it("do not end a stream of the audit log, which continues after the restart without a gap", async () => {
    const pool = openPool(server.url());
    let failures = 0;
    const watched = await openPostgres({
      withConnection: (work) =>
        pool.withConnection(work).catch((error: unknown) => {
          failures += 1;
          throw error;
        }),
      close: () => pool.close(),
    });
    const writer = openPostgresAuditLog(database, "gus");
    const reader = openPostgresAuditLog(watched, "gus");
    await writer.append({ event: "counted" });
    const stop = new AbortController();
    const stream = reader.stream(stop.signal)[Symbol.asyncIterator]();
    // Appending waits until the stream knows where the log ends.
    await reader.append({ event: "counted" });
    expect((await stream.next()).value).toMatchObject({ seq: 2 });
    const next = stream.next();
    await server.crash();
    await Promise.race([next, expect.poll(() => failures).toBeGreaterThan(0)]);
    await server.start();
    await writer.append({ event: "counted" });
    expect((await next).value).toMatchObject({ seq: 3 });
    stop.abort();
    for (const log of [reader, writer]) await log.close();
    await watched.close();
  });

  it.runIf(disk)("report a full disk, change nothing, and write again when there is space", async () => {
    if (!disk) throw new Error("no disk");
    await disk.giveTo(server.userId);
    await server.sql(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
    await server.sql("CREATE DATABASE small TABLESPACE small");
    const small = await openPostgres(openPool(server.url({ database: "small" })));
    const store = openPostgresRunStore(small, "jay");
    const { id } = await store.create(requestFor("before"));
    await disk.fill();
    // Larger than the rest of the last page, and incompressible.
    const large = () => store.create(requestFor(randomBytes(60_000).toString("base64")));
    await expect(large()).rejects.toMatchObject({ code: "STORAGE_FULL" });
    expect((await store.unfinishedRuns(9)).map((run) => run.id)).toEqual([id]);
    await disk.free();
    const after = await large();
    expect((await store.unfinishedRuns(9)).map((run) => run.id)).toEqual([after.id, id]);
    await small.close();
  });

  it("lose nothing that was acknowledged when the server crashes, and respond again after its restart", async () => {
    const store = openPostgresRunStore(database, "fay");
    const before = await store.create(requestFor("before the crash"));
    await server.crash();
    await expect(store.create(requestFor("during the crash"))).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
    });
    await server.start();
    const after = await store.create(requestFor("after the crash"));
    expect((await store.unfinishedRuns(9)).map(({ id }) => id)).toEqual([after.id, before.id]);
    const claimed = await store.claim({ maxConcurrent: 9, adopt: true });
    expect(claimed?.run.id).toBe(before.id);
  });
});
