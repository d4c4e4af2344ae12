import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPostgres } from "@metahuman/postgres/open-postgres";
import { type Driver, openPool } from "@metahuman/postgres/pg-driver";
import { openUpkeep, type Upkeep } from "@metahuman/postgres/upkeep/open-upkeep";
import { findPrograms, PASSWORD, startServer, startWorker, type TestServer } from "./server.ts";

const programs = await findPrograms();
const times = { poll: 0.5, expire: 2, supervise: 1, startAfter: 0 };

describe.runIf(programs)("the upkeep of an installation", () => {
  let server: TestServer;
  let url: string;
  let problems: unknown[];
  let opened: { upkeep: Upkeep; pool: Driver }[];
  beforeAll(async () => {
    server = await startServer(programs ?? "");
    // No more rights than the guide asks for.
    await server.sql(`CREATE ROLE app LOGIN CREATEROLE PASSWORD '${PASSWORD}'`);
    await server.sql("CREATE DATABASE app OWNER app");
    url = server.url({ user: "app", database: "app" });
    const pool = openPool(url);
    await openPostgres(pool);
    await pool.close();
  });
  afterAll(() => server.remove());
  beforeEach(() => {
    problems = [];
    opened = [];
  });
  afterEach(async () => {
    for (const { upkeep } of opened) await upkeep.close();
    for (const { pool } of opened) await pool.close();
    expect(problems.map(String)).toEqual([]);
  });

  const inApp = async (text: string): Promise<string> => {
    const { stdout } = await promisify(execFile)("psql", [
      "--tuples-only",
      "--no-align",
      "--command",
      text,
      url,
    ]);
    return stdout.trim();
  };

  /** Takes part as a server does. */
  async function join(run: (signal: AbortSignal) => Promise<void>): Promise<Upkeep> {
    const pool = openPool(url);
    const upkeep = openUpkeep(pool, {
      jobs: [{ name: "counted", cron: "0 0 1 1 *", run }],
      onProblem: (error) =>
        problems.push(error instanceof Error ? (error.stack ?? "") + String(error.cause) : error),
      times,
    });
    opened.push({ upkeep, pool });
    await upkeep.started;
    return upkeep;
  }

  it("does each job once, in one of three processes that create the queues at the same moment", async () => {
    const counts = [0, 0, 0];
    const joined = await Promise.all(
      counts.map((_, index) => join(async () => void (counts[index] = (counts[index] ?? 0) + 1))),
    );
    const total = () => counts.reduce((sum, count) => sum + count, 0);
    for (let job = 1; job <= 4; job += 1) {
      await joined[job % 3]?.request("counted");
      await expect.poll(total, { timeout: 15_000 }).toBe(job);
    }
    const states = await inApp(
      "SELECT state || ' ' || count(*) FROM metahuman_jobs.job WHERE name = 'counted' GROUP BY state",
    );
    expect(states).toBe("completed 4");
    expect(total()).toBe(4);
  }, 90_000);

  it("lets another process do the job of one that was killed", async () => {
    const killed = startWorker("upkeep", url, "ada");
    let done = 0;
    const waiting = await (async () => {
      // The queue must be there before a job is asked for, and only the worker may take it.
      const pool = openPool(url);
      const sender = openUpkeep(pool, {
        jobs: [],
        onProblem: (error) =>
          problems.push(error instanceof Error ? (error.stack ?? "") + String(error.cause) : error),
        times,
      });
      opened.push({ upkeep: sender, pool });
      await sender.started;
      return sender;
    })();
    expect(await waiting.request("counted")).not.toBeNull();
    expect(await killed.line()).toBe("began");
    killed.signal("SIGKILL");
    await killed.ended;
    await join(async () => void (done += 1));
    await expect.poll(() => done, { timeout: 30_000 }).toBe(1);
  }, 90_000);

  it("stops while a job runs, and leaves the job to the next process", async () => {
    const began = Promise.withResolvers<undefined>();
    const first = await join(async (signal) => {
      began.resolve(undefined);
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped", { cause: signal.reason })));
      });
    });
    await first.request("counted");
    await began.promise;
    await first.close();
    let done = 0;
    await join(async () => void (done += 1));
    await expect.poll(() => done, { timeout: 30_000 }).toBe(1);
  }, 90_000);
});
