import { z } from "zod";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { ProfileSession } from "../session.ts";

const HolderRow = z.object({
  id: z.string(),
  conversationId: z.string(),
  owner: z.string().nullable(),
  claimed: z.boolean(),
  fence: z.int(),
  status: z.string(),
});
const ClaimedAndQueuedRow = z.object({ runs: z.array(HolderRow), version: z.number() });
/** The process that owns a run. */
export type RunHolder = z.output<typeof HolderRow>;
const IdRow = z.object({ id: z.string() }).transform((row) => row.id);
const FenceRow = z.object({ fence: z.int() });

const FIELDS = 'id, conversation_id AS "conversationId", owner, claimed, fence, status';

/** Records which process owns which run. Every method runs in the caller's transaction. */
export function runClaims(holder: string) {
  return {
    of: (session: ProfileSession, id: string) =>
      session.get(HolderRow, `SELECT ${FIELDS} FROM runs WHERE profile = :profile AND id = :id`, { id }),
    /** Locks the run until the end of the transaction. */
    lock: (session: ProfileSession, id: string) =>
      session.get(HolderRow, `SELECT ${FIELDS} FROM runs WHERE profile = :profile AND id = :id FOR UPDATE`, {
        id,
      }),
    /** Claimed and queued runs, oldest first. */
    claimedAndQueued: (session: ProfileSession) =>
      session.all(
        HolderRow,
        `SELECT ${FIELDS} FROM runs WHERE profile = :profile AND (claimed OR status = 'queued') ORDER BY id`,
      ),
    /** Those runs, and how often other holders had committed before they were read. */
    async claimedAndQueuedNow(session: ProfileSession): Promise<{ runs: RunHolder[]; version: number }> {
      const row = await session.get(
        ClaimedAndQueuedRow,
        `SELECT
           (SELECT coalesce(jsonb_agg(to_jsonb(found)), '[]') FROM (
             SELECT ${FIELDS} FROM runs WHERE profile = :profile AND (claimed OR status = 'queued') ORDER BY id) found) AS runs,
           (SELECT coalesce(sum(count), 0)::float8 FROM commits WHERE profile = :profile AND holder <> :holder) AS version`,
        { holder },
      );
      if (!row) throw new RangeError("A statement without a table returns a row.");
      return row;
    },
    /** The claimed runs of holders whose lease had expired at this time, in milliseconds since 1970. */
    lost: (session: ProfileSession, time: number) =>
      session.all(
        HolderRow,
        `SELECT ${FIELDS} FROM runs r WHERE profile = :profile AND claimed AND NOT EXISTS (
           SELECT FROM leases l WHERE l.profile = :profile AND l.holder = r.owner AND l.expires_at > :time)`,
        { time },
      ),
    ofThisHolder: (session: ProfileSession) =>
      session.all(
        HolderRow,
        `SELECT ${FIELDS} FROM runs WHERE profile = :profile AND (claimed OR status = 'queued') AND owner = :holder`,
        { holder },
      ),
    /** Waits until no other process of the profile is claiming, so that all share one limit. */
    lockQueue: (session: ProfileSession) =>
      session.run("SELECT pg_advisory_xact_lock(hashtextextended('runs:' || :profile, 0))"),
    /** The queued runs that no other transaction is changing. Locks them until the end of the transaction. */
    lockQueued: (session: ProfileSession) =>
      session.all(
        IdRow,
        `SELECT id FROM runs WHERE profile = :profile AND NOT claimed AND status = 'queued' ORDER BY id
         FOR UPDATE SKIP LOCKED`,
      ),
    /** Claims the run for this holder and returns the number of the claim. */
    async claim(session: ProfileSession, id: string): Promise<number> {
      const claimed = await session.get(
        FenceRow,
        `UPDATE runs SET owner = :holder, claimed = true, cancel_requested = false, fence = fence + 1
         WHERE profile = :profile AND id = :id RETURNING fence`,
        { id, holder },
      );
      if (!claimed) throw new NotFoundError("There is no such run.");
      return claimed.fence;
    },
    enqueue: (session: ProfileSession, id: string) => setOwner(session, id, holder),
    /** Releases the run. Later records of its holder are still accepted. */
    finish: (session: ProfileSession, id: string) => setOwner(session, id, null),
    /** Takes the run from its holder, whose later writes are rejected. */
    revoke: (session: ProfileSession, id: string) =>
      session.run(
        `UPDATE runs SET owner = NULL, claimed = false, cancel_requested = false, fence = fence + 1
         WHERE profile = :profile AND id = :id`,
        { id },
      ),
    releaseQueued: (session: ProfileSession) =>
      session.run(
        "UPDATE runs SET owner = NULL WHERE profile = :profile AND owner = :holder AND NOT claimed",
        {
          holder,
        },
      ),
    requestCancel: (session: ProfileSession, id: string) =>
      session.run(
        "UPDATE runs SET cancel_requested = true WHERE profile = :profile AND id = :id AND claimed",
        { id },
      ),
    cancelRequests: (session: ProfileSession) =>
      session.all(
        IdRow,
        "SELECT id FROM runs WHERE profile = :profile AND owner = :holder AND claimed AND cancel_requested",
        { holder },
      ),
  };
}

/** The cached state of queued runs. `externalVersion` is how often others have committed, if that is cached. */
export function createKnownQueue(externalVersion: () => number | undefined) {
  let isExpected = false;
  let emptyAt: number | undefined;
  return {
    /** A run was queued here, or may have been. */
    expect(): void {
      isExpected = true;
      emptyAt = undefined;
    },
    /** No run was queued when others had committed this often. */
    noteEmpty: (foreign: number | undefined) => void (emptyAt = foreign),
    /** Whether a run was queued here since the last call. */
    takeExpected(): boolean {
      const was = isExpected;
      isExpected = false;
      return was;
    },
    isEmpty: (): boolean => emptyAt !== undefined && !isExpected && externalVersion() === emptyAt,
  };
}

function setOwner(session: ProfileSession, id: string, owner: string | null): Promise<number> {
  return session.run(
    `UPDATE runs SET owner = :owner, claimed = false, cancel_requested = false
     WHERE profile = :profile AND id = :id`,
    { id, owner },
  );
}
