import pg from "pg";
import { z } from "zod";
import { systemCode } from "@metahuman/core/errors/node-error";
import { migrate, requireSchema } from "./migrate.ts";
import { migrations } from "./migrations/all.ts";
import type { Driver } from "./pg-driver.ts";
import { prepareMemorySearch, type VectorExtension } from "./records/memory-search-tables.ts";
import { createKnownHeads, headsOf, type ProfileHeads } from "./profile-heads.ts";
import { REPEATABLE } from "./postgres-error.ts";
import { type Connection, createSession, type ProfileSession, type Session } from "./session.ts";

const MAX_ATTEMPTS = 5;
const TimeRow = z.object({ ms: z.number() });
/**
 * The database of all profiles. Work runs in one transaction that is committed when it resolves and rolled back when it
 * rejects. It may be called again if another transaction got in its way, so it must have no effect outside of it.
 */
export interface Postgres {
  /** Where pgvector is; undefined without it. */
  readonly vectors: VectorExtension | undefined;
  /** Reads and changes the data of one profile. Row-level security hides all others, also from a superuser. */
  inProfile<Result>(profile: string, work: (session: ProfileSession) => Promise<Result>): Promise<Result>;
  /**
   * What the end of a transaction of this profile found within the last `FRESH_MS`, its own changes included; undefined
   * if there was none, or since `forgetHeads`.
   */
  heads(profile: string): ProfileHeads | undefined;
  /** Lets the next read of a profile ask the database: what others changed until now applies to it. */
  forgetHeads(profile: string): void;
  /** Reads and changes what belongs to no profile: accounts, sessions, tokens. */
  inSystem<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * The time by the clock of the database, as known from the last transaction. The clock of this machine, if the two differ by
   * less than `SAME_CLOCK_MS`.
   */
  clock(): Date;
  close(): Promise<void>;
}

/** Differences below this may come from the way to the database and back, in milliseconds. */
const SAME_CLOCK_MS = 1_000;

export interface PostgresOptions {
  /** Replaces the database's clock in tests. */
  clock?: () => Date;
  /** `migrate` (default): applies missing migrations. `require`: changes nothing and throws unless all are applied. */
  schema?: "migrate" | "require";
}

/** Opens the database; throws like `migrate` or `requireSchema`. */
export async function openPostgres(
  driver: Driver,
  { clock, schema = "migrate" }: PostgresOptions = {},
): Promise<Postgres> {
  await (schema === "migrate" ? migrate(driver, migrations) : requireSchema(driver, migrations));
  const vectors = schema === "migrate" ? await prepareMemorySearch(driver) : undefined;
  /** By how many milliseconds the clock of the database is ahead. */
  let ahead = 0;

  const known = createKnownHeads();

  const attempt = <Result>(
    scope: string,
    work: (connection: Connection, now: Date) => Promise<Result>,
    commit: (connection: Connection, result: Result) => Promise<unknown>,
  ): Promise<Result> =>
    driver.withConnection(async (connection) => {
      try {
        const sent = Date.now();
        // One round trip instead of two.
        const { rows } = await connection.query(`BEGIN; ${scope}`);
        const { ms } = TimeRow.parse(rows[0]);
        const received = Date.now();
        const difference = ms - (sent + received) / 2;
        // An answer that took long says too little.
        if (Math.abs(received - sent) < SAME_CLOCK_MS)
          ahead = Math.abs(difference) < SAME_CLOCK_MS ? 0 : difference;
        const now = clock?.() ?? new Date(ms);
        const result = await work(connection, now);
        await commit(connection, result);
        return result;
      } catch (error) {
        await rollBack(connection);
        throw error;
      }
    });

  return {
    vectors,
    async inProfile(profile, work) {
      const { result } = await repeated(() =>
        attempt(
          profileScope(profile),
          async (connection, now) => {
            const session: ProfileSession = { ...createSession(connection, now, { profile }), profile };
            return { session, result: await work(session) };
          },
          async (connection, { session }) => {
            session.ended = await known.update(profile, () =>
              connection.query(`${headsOf(profile)}; COMMIT`),
            );
          },
        ),
      );
      return result;
    },
    heads: known.of,
    forgetHeads: known.forget,
    inSystem: (work) =>
      repeated(() =>
        attempt(
          SYSTEM_SCOPE,
          (connection, now) => work(createSession(connection, now)),
          (connection) => connection.query("COMMIT"),
        ),
      ),
    clock: () => clock?.() ?? new Date(Date.now() + ahead),
    close: () => driver.close(),
  };
}

const NOW = "floor(extract(epoch FROM now()) * 1000)::float8 AS ms";
const SYSTEM_SCOPE = `SELECT set_config('search_path', 'metahuman', true), ${NOW}`;
// The role has no rights but those on the profile's rows, whatever the rights of the user in the URL.
const profileScope = (profile: string) => `SELECT set_config('role', 'metahuman_profile', true),
  set_config('metahuman.profile', ${pg.escapeLiteral(profile)}, true), set_config('search_path', 'metahuman', true), ${NOW}`;

/** Ends a failed transaction. A connection that was lost has ended it already. */
async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.query("ROLLBACK");
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

async function repeated<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await transaction();
    } catch (error) {
      const code = error instanceof Error ? systemCode(error.cause) : undefined;
      if (code === undefined || !REPEATABLE.has(code) || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}
