import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import type { FileLock } from "@metahuman/core/database/file-lock";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import type { Postgres } from "../open-postgres.ts";
import type { WriteGuard } from "./record-rows.ts";
import { createSerialQueue } from "@metahuman/core/async/serial-queue";

/**
 * A lock across all processes of a profile. It is a lease with a number: it ends if its holder does not renew it, and a
 * write of an earlier holder is refused.
 */
export interface RecordLock extends Pick<FileLock, "hold"> {
  /** Throws `ConflictError` unless this process still holds the lock. Called at the beginning of each write. */
  guard: WriteGuard;
}

const DEFAULT_WAIT_MS = 10_000;
const NumberRow = z.object({ number: z.number() });

export function openRecordLock(database: Postgres, profile: string, kind: string): RecordLock {
  let lockNumber: number | undefined;
  const queue = createSerialQueue();

  const take = () =>
    database.inProfile(profile, async (session) => {
      const now = session.now.getTime();
      const row = await session.get(
        NumberRow,
        `INSERT INTO record_locks (profile, kind, number, expires_at) VALUES (:profile, :kind, 1, :expiresAt)
         ON CONFLICT (profile, kind) DO UPDATE SET number = record_locks.number + 1, expires_at = :expiresAt
           WHERE record_locks.expires_at <= :now
         RETURNING number::float8 AS number`,
        { kind, now, expiresAt: now + LEASE_MS },
      );
      return row?.number;
    });

  /** Extends the lease, or ends it with `forMs` 0. */
  const extend = (number: number, forMs: number) =>
    database.inProfile(profile, (session) =>
      session.run(
        `UPDATE record_locks SET expires_at = :expiresAt
         WHERE profile = :profile AND kind = :kind AND number = :number`,
        { kind, number, expiresAt: session.now.getTime() + forMs },
      ),
    );

  async function acquire(waitMs: number): Promise<number> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const number = await take();
      if (number !== undefined) return number;
      if (performance.now() > deadline)
        throw new TimeoutError(`Another process kept the ${kind}s locked for too long.`);
      await delay(randomInt(5, 40));
    }
  }

  async function runLocked<Result>(work: () => Promise<Result>, waitMs: number): Promise<Result> {
    const number = await acquire(waitMs);
    lockNumber = number;
    // A lease that could not be renewed ends, and the next write is refused.
    const renewal = setInterval(() => void extend(number, LEASE_MS).catch(() => undefined), LEASE_MS / 3);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      lockNumber = undefined;
      // Without it, the lease expires; the written records are stored.
      await extend(number, 0).catch(() => undefined);
    }
  }

  return {
    hold: (work, { waitMs = DEFAULT_WAIT_MS } = {}) => queue(() => runLocked(work, waitMs)),
    async guard(session) {
      if (lockNumber === undefined) throw new RangeError(`The ${kind}s are written only under their lock.`);
      const row = await session.get(
        NumberRow,
        `SELECT number::float8 AS number FROM record_locks
         WHERE profile = :profile AND kind = :kind FOR UPDATE`,
        { kind },
      );
      if (row?.number !== lockNumber)
        throw new ConflictError("Another process changed this meanwhile. Try again.", {
          suggestions: ["Read it again, then repeat the change."],
        });
    },
  };
}
