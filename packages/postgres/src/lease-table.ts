import { z } from "zod";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { ulid } from "@metahuman/core/text/ulid";
import type { ProfileHeads } from "./profile-heads.ts";
import type { ProfileSession } from "./session.ts";

const FORGET_AFTER_MS = 24 * 3_600_000;

const HolderRow = z.object({ holder: z.string() });
const ExpiryRow = z.object({ expires_at: z.number() });
const VersionRow = z.object({ version: z.number() });

/**
 * Leases of the processes that use the stores of a profile. A holder counts as live until its lease expires by the clock
 * of the database.
 */
export interface PostgresLeases {
  /** The id of this holder; new at every opening. */
  readonly holder: string;
  /** Extends this holder's lease to `LEASE_MS` from now. */
  renew(session: ProfileSession): Promise<void>;
  /** The remaining time of this holder's lease, in milliseconds; 0 without a lease. */
  remaining(session: ProfileSession): Promise<number>;
  /** Returns the holders whose leases have not expired. */
  live(session: ProfileSession): Promise<ReadonlySet<string>>;
  /** Ends this holder's lease, so that other processes need not wait for it to expire. */
  release(session: ProfileSession): Promise<void>;
  /** Counts the commit of this holder, together with the end of the transaction. */
  countCommit(session: ProfileSession): void;
  /** A number that changes with every commit of another holder. */
  externalCommits(session: ProfileSession): Promise<number>;
  /** That number as the end of a transaction has read it. */
  externalCommitsIn(heads: ProfileHeads): number;
}

/** Uses the tables `leases` and `commits`. Every method runs in the caller's transaction. */
export function openLeases(): PostgresLeases {
  const holder = `proc-${ulid()}`;
  return {
    holder,
    async renew(session) {
      const time = session.now.getTime();
      await Promise.all([
        session.run(
          `INSERT INTO leases (profile, holder, expires_at) VALUES (:profile, :holder, :expiresAt)
           ON CONFLICT (profile, holder) DO UPDATE SET expires_at = excluded.expires_at`,
          { holder, expiresAt: time + LEASE_MS },
        ),
        session.run("DELETE FROM leases WHERE profile = :profile AND expires_at < :before", {
          before: time - FORGET_AFTER_MS,
        }),
      ]);
    },
    async remaining(session) {
      const row = await session.get(
        ExpiryRow,
        "SELECT expires_at FROM leases WHERE profile = :profile AND holder = :holder",
        { holder },
      );
      return Math.max(0, (row?.expires_at ?? 0) - session.now.getTime());
    },
    async live(session) {
      const rows = await session.all(
        HolderRow,
        "SELECT holder FROM leases WHERE profile = :profile AND expires_at > :now",
        { now: session.now.getTime() },
      );
      return new Set(rows.map((row) => row.holder));
    },
    async release(session) {
      await session.run("DELETE FROM leases WHERE profile = :profile AND holder = :holder", { holder });
      // The sum of all counts stays the same.
      await session.run(
        `WITH ended AS (
           DELETE FROM commits WHERE profile = :profile AND holder <> ''
             AND (holder = :holder OR holder NOT IN (SELECT holder FROM leases WHERE profile = :profile) AND at < :before)
           RETURNING count)
         INSERT INTO commits (profile, holder, count, at)
         SELECT :profile, '', sum(count), :now FROM ended HAVING count(*) > 0
         ON CONFLICT (profile, holder) DO UPDATE SET count = commits.count + excluded.count`,
        { holder, now: session.now.getTime(), before: session.now.getTime() - FORGET_AFTER_MS },
      );
    },
    countCommit(session) {
      session.sendLast(
        `INSERT INTO commits (profile, holder, count, at) VALUES (:profile, :holder, 1, :now)
         ON CONFLICT (profile, holder) DO UPDATE SET count = commits.count + 1, at = excluded.at`,
        { holder, now: session.now.getTime() },
      );
    },
    async externalCommits(session) {
      const row = await session.get(
        VersionRow,
        `SELECT coalesce(sum(count), 0)::float8 AS version FROM commits WHERE profile = :profile AND holder <> :holder`,
        { holder },
      );
      return row?.version ?? 0;
    },
    externalCommitsIn: ({ commits }) =>
      Object.entries(commits).reduce((sum, [other, count]) => (other === holder ? sum : sum + count), 0),
  };
}
