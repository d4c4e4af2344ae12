import { PgBoss } from "pg-boss";
import { z } from "zod";
import { deleteOldRows } from "@metahuman/core/schedules/retention";
import type { Driver } from "../pg-driver.ts";
import { openPostgresNotices } from "../notices/open-notices.ts";
import type { Postgres } from "../open-postgres.ts";
import { openPostgresLedger } from "../schedules/open-occurrence-ledger.ts";
import { openPostgresWatchedPages } from "../schedules/watched-pages.ts";

/** Work that belongs to the installation, not to a process: it runs once, in whichever process is free. */
export interface UpkeepJob {
  /** The name of its queue. */
  name: string;
  /** When it runs, as a cron expression in UTC. */
  cron: string;
  /** May be repeated, and cut off by the signal. */
  run: (signal: AbortSignal) => Promise<void>;
}

export interface UpkeepOptions {
  jobs: readonly UpkeepJob[];
  /** Receives what nobody waits for: upkeep that fails never keeps the server from serving. */
  onProblem: (error: unknown) => void;
  /** Replaces the times in tests; in seconds. */
  times?: { poll: number; expire: number; supervise: number; startAfter: number };
}

/** The upkeep of an installation, in pg-boss queues of the database. */
export interface Upkeep {
  /** Resolves when the queues are there and this process takes part. */
  started: Promise<void>;
  /** Runs a job in some process as soon as one is free, and returns its id. */
  request(name: string): Promise<string | null>;
  /** Accepts no more jobs, aborts the current one, and leaves it to another process. */
  close(): Promise<void>;
}

/** pg-boss has a schema of its own, so that its migrations touch nothing else. */
const SCHEMA = "metahuman_jobs";
const TIMES = { poll: 60, expire: 900, supervise: 60, startAfter: 10 };
const RETRIES = 3;
const STOP_MS = 5_000;

/**
 * Takes part in the upkeep of an installation. Starts a little later, because a server should answer first, and repeats the
 * start until it succeeds. The connections are those of the server.
 */
export function openUpkeep(driver: Driver, { jobs, onProblem, times = TIMES }: UpkeepOptions): Upkeep {
  const closing = new AbortController();
  const started = Promise.withResolvers<undefined>();
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) =>
        driver.withConnection(async (connection) => {
          try {
            const { rows } = await connection.query(text, values);
            return { rows: [...rows] };
          } catch (error) {
            // Some texts begin a transaction of their own, in which others would go on.
            await connection.query("ROLLBACK").catch(report);
            throw error;
          }
        }),
    },
    schema: SCHEMA,
    superviseIntervalSeconds: times.supervise,
    monitorIntervalSeconds: times.supervise,
  });
  boss.on("error", report);
  let starting: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function report(error: unknown): void {
    // Queries that a closed pool refuses need no log entry.
    if (!closing.signal.aborted) onProblem(error);
  }

  async function join({ name, cron, run }: UpkeepJob): Promise<void> {
    await boss.createQueue(name, {
      policy: "singleton",
      expireInSeconds: times.expire,
      retryLimit: RETRIES,
      retryDelay: 1,
    });
    await boss.schedule(name, cron);
    await boss.work(name, { pollingIntervalSeconds: times.poll }, async ([job]) => {
      if (job) await run(AbortSignal.any([job.signal, closing.signal]));
    });
  }

  async function start(): Promise<void> {
    await boss.start();
    for (const job of jobs) if (!closing.signal.aborted) await join(job);
    started.resolve(undefined);
  }

  function startLater(): void {
    timer = setTimeout(() => {
      starting = start().catch((error: unknown) => {
        report(error);
        if (!closing.signal.aborted) startLater();
      });
    }, times.startAfter * 1_000).unref();
  }
  startLater();

  return {
    started: started.promise,
    request: (name) => boss.send(name),
    async close() {
      closing.abort(new Error("The server is shutting down."));
      clearTimeout(timer);
      await starting;
      if (starting) await boss.stop({ close: false, timeout: STOP_MS });
    },
  };
}

const RowsRow = z.object({ rows: z.string() });

/**
 * Deletes old rows of every profile, whether a server has it open or not, and counters of sign-in attempts that have expired.
 * Each profile has transactions of its own, so it may be cut off and repeated. Throws the signal's reason.
 */
export async function deleteOldRowsOfAll(database: Postgres, signal: AbortSignal): Promise<void> {
  const profiles = await database.inSystem(async (session) => {
    await session.run("DELETE FROM login_limits WHERE expire < :now", { now: session.now.getTime() });
    return session.all(
      RowsRow,
      `SELECT a.username || coalesce('#' || r.count, '') AS rows
       FROM accounts a LEFT JOIN removed_profiles r USING (username) ORDER BY rows`,
    );
  });
  for (const { rows } of profiles) {
    signal.throwIfAborted();
    const stores = {
      ledger: openPostgresLedger(database, rows),
      notices: openPostgresNotices(database, rows, { channels: () => [], onChange: () => undefined }),
      watchedPages: openPostgresWatchedPages(database, rows),
    };
    await deleteOldRows(stores, database.clock());
  }
}
