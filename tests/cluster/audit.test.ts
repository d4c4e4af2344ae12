import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAuditKey } from "@metahuman/core/audit/signed-chain";
import { openPostgresAuditLog } from "@metahuman/postgres/audit/open-audit-log";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { mh } from "../support/cli.ts";
import { SECRET_KEY } from "./secret-key.ts";
import { findPrograms, startServer, startWorker, type TestServer, type Worker } from "./server.ts";

const programs = await findPrograms();
const key = openAuditKey("/nowhere", { METAHUMAN_SECRET_KEY: SECRET_KEY });
const VERIFIERS = 8;

describe.runIf(programs)("an audit log that several processes write", () => {
  let server: TestServer;
  let database: Postgres;
  let home: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    server = await startServer(programs ?? "");
    database = await openPostgres(openPool(server.url()));
    home = await mkdtemp(join(tmpdir(), "mh-audit-"));
    environment = {
      METAHUMAN_DATABASE_URL: server.url(),
      METAHUMAN_SECRET_KEY: SECRET_KEY,
      METAHUMAN_WORKSPACE: pathToFileURL(home).href,
    };
    const made = await mh(home, ["init", "ada"], {
      ...environment,
      METAHUMAN_PASSWORD: "correct horse battery",
    });
    expect(made.code).toBe(0);
    const audit = openPostgresAuditLog(database, "ada", { key });
    for (const n of [1, 2, 3]) await audit.append({ event: "counted", details: { n } });
    await audit.close();
  });
  afterAll(async () => {
    // First, so that no server stays behind when the database could not be opened.
    await server.remove();
    await database.close();
    await rm(home, { recursive: true, force: true });
  });

  /** Takes all connections of the server. Resolves to a function that releases them. */
  async function holdAllConnections(): Promise<() => Promise<void>> {
    const pool = openPool(server.url(), { maxConnections: 100 });
    const released = Promise.withResolvers<undefined>();
    const holding: Promise<void>[] = [];
    for (let isFull = false; !isFull;) {
      const connected = Promise.withResolvers<undefined>();
      const held = pool.withConnection(async () => {
        connected.resolve(undefined);
        await released.promise;
      });
      holding.push(held);
      isFull = await Promise.race([
        connected.promise.then(() => false),
        held.then(
          () => false,
          () => true,
        ),
      ]);
    }
    return async () => {
      released.resolve(undefined);
      await Promise.allSettled(holding);
      await pool.close();
    };
  }

  const verify = () => mh(home, ["audit", "verify"], environment);

  it("is one chain that verifies at every moment, also after one of them was killed", async () => {
    const audit = openPostgresAuditLog(database, "eve", { key });
    const workers = Array.from({ length: 3 }, () => startWorker("audit", server.url(), "eve"));
    for (const worker of workers) expect(await worker.line()).toBe("ready");
    let isWriting = true;
    const checked = Array.from({ length: VERIFIERS }, async () => {
      const broken: unknown[] = [];
      let checks = 0;
      while (isWriting) {
        const verification = await audit.verify();
        checks += 1;
        if (!verification.ok) broken.push(verification);
      }
      return { checks, broken };
    });
    const [killed] = workers;
    for (const worker of workers) worker.send("go on");
    const acknowledged = await Promise.all(
      workers.map(async (worker) => (worker === killed ? countUntilKilled(worker) : countUntilDone(worker))),
    ).finally(() => (isWriting = false));
    for (const { checks, broken } of await Promise.all(checked)) {
      expect(broken).toEqual([]);
      expect(checks).toBeGreaterThan(0);
    }
    const verification = await audit.verify();
    expect(verification).toMatchObject({ ok: true, signedFrom: 1 });
    // A line may be stored although its process was killed before the acknowledgement arrived.
    const sum = acknowledged.reduce((total, count) => total + count, 0);
    expect(verification.lines).toBeGreaterThanOrEqual(sum);
    expect(verification.lines).toBeLessThanOrEqual(sum + 3);
    await audit.close();
  }, 60_000);

  it("is not reported as broken by a command without a connection", async () => {
    expect(await verify()).toMatchObject({ code: 0 });
    const release = await holdAllConnections();
    try {
      expect(await verify()).toEqual({
        code: 6,
        out: "",
        err: "mh: The database server has no free connection.\n  Try again in a moment.\n",
      });
      const { code, out } = await mh(home, ["--json", "audit", "verify"], environment);
      expect([code, JSON.parse(out)]).toMatchObject([6, { error: { code: "STORAGE_UNAVAILABLE" } }]);
    } finally {
      await release();
    }
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it("is reported as broken by a command if a line was changed", async () => {
    await server.sql(
      `UPDATE metahuman.audit_lines SET line = replace(line, 'counted', 'deleted') WHERE profile = 'ada' AND seq = 1`,
    );
    expect(await verify()).toMatchObject({
      code: 1,
      out: "Line 1: this line was changed after it was written.\n",
    });
  });
});

/** How many lines were acknowledged. */
async function countUntilDone(worker: Worker): Promise<number> {
  let count = 0;
  for (let line = await worker.line(); line !== "done"; line = await worker.line()) {
    if (line === undefined) throw new Error("the process ended early");
    count = Number(line);
  }
  return count;
}

/** Kills the process in the middle. */
async function countUntilKilled(worker: Worker): Promise<number> {
  let count = 0;
  for (let line = await worker.line(); line !== undefined; line = await worker.line()) {
    count = Number(line);
    if (count === 100) worker.signal("SIGKILL");
  }
  return count;
}
