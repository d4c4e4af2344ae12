import pg from "pg";
import { z } from "zod";
import { systemCode } from "@metahuman/core/errors/node-error";
import { migrate, requireSchema } from "./migrate.ts";
import { migrations } from "./migrations/all.ts";
import type { Driver } from "./pg-driver.ts";
import { prepareMemorySearch, type VectorExtension } from "./records/memory-search-tables.ts";
import { createKnownHeads, headsOf, type ProfileHeads } from "./profile-heads.ts";
import { openProfilePoll, type ProfilePoll, type ProfilePollOptions } from "./profile-poll.ts";
import { REPEATABLE } from "./postgres-error.ts";
import {
  type Connection,
  createProfileSession,
  createSession,
  type ProfileSession,
  type Session,
} from "./session.ts";

const MAX_ATTEMPTS = 5;
const TimeRow = z.object({ ms: z.number() });
/**
 * The database of all profiles. Work runs in one transaction that is committed when it resolves and rolled back when it
 * rejects. It may be called again after a conflict with another transaction, so it must have no effects outside of its
 * own.
 */
export interface Postgres {
  /** Where pgvector is; undefined without it. */
  readonly vectors: VectorExtension | undefined;
  /**
   * Reads and changes the data of one profile. Row-level security hides all others, also from a superuser. Statements that the work
   * sends without waiting for each other are carried out in their order.
   */
  inProfile<Result>(profile: string, work: (session: ProfileSession) => Promise<Result>): Promise<Result>;
  /**
   * Reads with one statement, which is sent together with the beginning and the end of its transaction: one round trip
   * instead of three. The session has the time only after that statement.
   */
  readProfile<Result>(profile: string, work: (session: ProfileSession) => Promise<Result>): Promise<Result>;
  /** As `readProfile`, for what belongs to no profile. */
  readSystem<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * What the end of a transaction of this profile found within the last `FRESH_MS`, its own changes included; undefined
   * if there was none, or since `forgetHeads`.
   */
  heads(profile: string): ProfileHeads | undefined;
  /**
   * Makes the next read of a profile ask the database, so that it sees the changes of other processes until now; with `sinceRequest`,
   * until the request of a person for which `noteRequest` was called.
   */
  forgetHeads(profile: string, options?: { sinceRequest?: boolean }): void;
  /** Keeps the heads that a statement has returned which a request sent at this moment of `performance.now()`. */
  noteRequest(profile: string, heads: ProfileHeads, at: number): void;
  /** Tells of changes by other processes. */
  readonly poll: ProfilePoll;
  /** Reads and changes what belongs to no profile: accounts, sessions, tokens. */
  inSystem<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * The time by the clock of the database, computed from the last transaction. The clock of this machine, if the two
   * differ by less than `SAME_CLOCK_MS`.
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
  /** How profiles that are followed are polled. */
  poll?: Pick<ProfilePollOptions, "pollMs" | "onFailure">;
}

/** Opens the database; throws like `migrate` or `requireSchema`. */
export async function openPostgres(
  driver: Driver,
  { clock, schema = "migrate", poll: pollOptions }: PostgresOptions = {},
): Promise<Postgres> {
  await (schema === "migrate" ? migrate(driver, migrations) : requireSchema(driver, migrations));
  const vectors = schema === "migrate" ? await prepareMemorySearch(driver) : undefined;
  const { attempt, attemptAtOnce, databaseTime } = createTransactions(driver, clock);
  const known = createKnownHeads();

  const endProfile = (connection: Connection, profile: string) =>
    known.update(profile, () => connection.query(`${headsOf(profile)}; COMMIT`));

  const readSystem: Postgres["readSystem"] = (work) =>
    retryTransaction(() =>
      attemptAtOnce(
        SYSTEM_SCOPE,
        (connection, now) => work(createSession(connection, now)),
        (connection) => connection.query("COMMIT"),
      ),
    );
  const poll = openProfilePoll({
    read: readSystem,
    clock: databaseTime,
    changedAt: known.changedAt,
    ...pollOptions,
  });

  return {
    vectors,
    poll,
    async inProfile(profile, work) {
      const { result } = await retryTransaction(() =>
        attempt(
          profileScope(profile),
          async (connection, now) => {
            const { session, last } = createProfileSession(connection, now, profile);
            return { session, last, result: await work(session) };
          },
          async (connection, { session, last }) => {
            // Were one of the last statements to fail, the end would fail, too.
            const sent = last.map((send) => send());
            const [ended] = await Promise.all([endProfile(connection, profile), ...sent]);
            session.ended = ended;
          },
        ),
      );
      return result;
    },
    readProfile: (profile, work) =>
      retryTransaction(() =>
        attemptAtOnce(
          profileScope(profile),
          (connection, now) => work(createProfileSession(connection, now, profile).session),
          (connection) => endProfile(connection, profile),
        ),
      ),
    readSystem,
    heads: known.of,
    forgetHeads: known.forget,
    noteRequest: known.noteRequest,
    inSystem: (work) =>
      retryTransaction(() =>
        attempt(
          SYSTEM_SCOPE,
          (connection, now) => work(createSession(connection, now)),
          (connection) => connection.query("COMMIT"),
        ),
      ),
    clock: databaseTime,
    async close() {
      await poll.close();
      await driver.close();
    },
  };
}

/** Executes transactions, whose responses contain the time of the database. `clock` replaces it in tests. */
function createTransactions(driver: Driver, clock: PostgresOptions["clock"]) {
  /** By how many milliseconds the clock of the database is ahead. */
  let ahead = 0;

  /** The time of a transaction, from the answer to its beginning. */
  function timeIn(rows: readonly unknown[], sent: number): Date {
    const { ms } = TimeRow.parse(rows[0]);
    const received = Date.now();
    const difference = ms - (sent + received) / 2;
    // A slow response is too inexact.
    if (Math.abs(received - sent) < SAME_CLOCK_MS)
      ahead = Math.abs(difference) < SAME_CLOCK_MS ? 0 : difference;
    return clock?.() ?? new Date(ms);
  }

  const attempt = <Result>(
    scope: string,
    work: (connection: Connection, now: () => Date) => Promise<Result>,
    commit: (connection: Connection, result: Result) => Promise<unknown>,
  ): Promise<Result> =>
    driver.withConnection(async (connection) => {
      let isOpen = true;
      // Work that failed may have parts that still go on: their statements belong to no other transaction.
      const own: Connection = {
        async query(text, values) {
          if (!isOpen) throw new RangeError("The transaction has ended.");
          return await connection.query(text, values);
        },
      };
      try {
        const sent = Date.now();
        // One round trip instead of two.
        const { rows } = await connection.query(`BEGIN; ${scope}`);
        const now = timeIn(rows, sent);
        const result = await work(own, () => now);
        await commit(own, result);
        return result;
      } catch (error) {
        isOpen = false;
        await rollBack(connection);
        throw error;
      } finally {
        isOpen = false;
      }
    });

  /** A transaction of one statement, whose parts are sent together. */
  const attemptAtOnce = <Result>(
    scope: string,
    work: (connection: Connection, now: () => Date) => Promise<Result>,
    commit: (connection: Connection) => Promise<unknown>,
  ): Promise<Result> =>
    driver.withConnection(async (connection) => {
      let now: Date | undefined;
      let ended: Promise<unknown> | undefined;
      const single: Connection = {
        async query(text, values) {
          if (ended) throw new RangeError("A read at once has one statement.");
          const sent = Date.now();
          const [begun, answered] = [connection.query(`BEGIN; ${scope}`), connection.query(text, values)];
          ended = commit(connection);
          const [beginning, answer] = await Promise.all([begun, answered, ended]);
          now = timeIn(beginning.rows, sent);
          return answer;
        },
      };
      try {
        return await work(single, () => {
          if (now) return now;
          throw new RangeError("The time is known after the statement only.");
        });
      } catch (error) {
        await rollBack(connection);
        throw error;
      }
    });

  return {
    attempt,
    attemptAtOnce,
    databaseTime: () => clock?.() ?? new Date(Date.now() + ahead),
  };
}

const NOW = "floor(extract(epoch FROM now()) * 1000)::float8 AS ms";
const SYSTEM_SCOPE = `SELECT set_config('search_path', 'metahuman', true), ${NOW}`;
// The role has only the rights on the profile's rows, whatever the rights of the user in the URL.
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

async function retryTransaction<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await transaction();
    } catch (error) {
      const code = error instanceof Error ? systemCode(error.cause) : undefined;
      if (code === undefined || !REPEATABLE.has(code) || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}
