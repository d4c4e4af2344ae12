import { z } from "zod";
import type { Database } from "../database/open-database.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";

const IdRow = z.object({ id: z.string() }).transform((row) => row.id);
const HoldRow = z
  .object({
    id: z.string(),
    owner: z.string().nullable(),
    claimed: z.int(),
    fence: z.int(),
    status: z.string(),
  })
  .transform((row) => ({ ...row, claimed: row.claimed === 1 }));
export type RunHolder = z.output<typeof HoldRow>;

/**
 * Returns the next run that the holder may claim, from the claimed and queued runs. Runs are claimed in the order of their
 * requests, whichever process queued them. Runs of holders with an expired lease do not count as running.
 */
export function nextToClaim<Run extends Pick<RunHolder, "id" | "owner" | "claimed">>(
  inHand: readonly Run[],
  {
    live,
    holder,
    maxConcurrent,
    adopt,
  }: { live: ReadonlySet<string>; holder: string; maxConcurrent: number; adopt: boolean },
): Run | undefined {
  const isLive = (run: Run) => run.owner !== null && live.has(run.owner);
  let taken = 0;
  for (const run of inHand.toSorted(
    (a, b) => Number(b.claimed) - Number(a.claimed) || (a.id < b.id ? -1 : 1),
  )) {
    if (taken >= maxConcurrent) return undefined;
    if (!run.claimed && (run.owner === holder || (adopt && !isLive(run)))) return run;
    if (isLive(run)) taken += 1;
  }
  return undefined;
}

/** Records which process owns which run. Methods that write require the caller's transaction. */
export function runClaims(database: Database, holder: string) {
  const hold = database.query("SELECT id, owner, claimed, fence, status FROM runs WHERE id = ?", HoldRow);
  const inHand = database.query(
    "SELECT id, owner, claimed, fence, status FROM runs WHERE claimed = 1 OR status = 'queued' ORDER BY id",
    HoldRow,
  );
  const set = database.command("UPDATE runs SET owner = ?, claimed = 0, cancel_requested = 0 WHERE id = ?");
  const claim = database.query(
    "UPDATE runs SET owner = ?, claimed = 1, cancel_requested = 0, fence = fence + 1 WHERE id = ? RETURNING fence",
    z.object({ fence: z.int() }),
  );
  const revoke = database.command(
    "UPDATE runs SET owner = NULL, claimed = 0, cancel_requested = 0, fence = fence + 1 WHERE id = ?",
  );
  const giveUp = database.command("UPDATE runs SET owner = NULL WHERE owner = ? AND claimed = 0");
  const requestCancel = database.command("UPDATE runs SET cancel_requested = 1 WHERE id = ? AND claimed = 1");
  const cancelled = database.query(
    "SELECT id FROM runs WHERE owner = ? AND claimed = 1 AND cancel_requested = 1",
    IdRow,
  );

  return {
    of: (runId: string): RunHolder | undefined => hold.get(runId),
    /** Claimed and queued runs, oldest first. */
    inHand: (): RunHolder[] => inHand.all(),
    own: (): RunHolder[] => inHand.all().filter((run) => run.owner === holder),
    next: (
      live: ReadonlySet<string>,
      options: { maxConcurrent: number; adopt: boolean },
    ): RunHolder | undefined => nextToClaim(inHand.all(), { ...options, live, holder }),
    /** Claims the run for this holder and returns the number of the claim. */
    claim(runId: string): number {
      const claimed = claim.get(holder, runId);
      if (!claimed) throw new NotFoundError("There is no such run.");
      return claimed.fence;
    },
    enqueue: (runId: string) => void set.run(holder, runId),
    /** Releases the run. Later records of its holder are still accepted. */
    finish: (runId: string) => void set.run(null, runId),
    /** Takes the run from its holder, whose later writes are rejected. */
    revoke: (runId: string) => void revoke.run(runId),
    giveUpQueued: () => void giveUp.run(holder),
    requestCancel: (runId: string) => void requestCancel.run(runId),
    cancelRequests: () => cancelled.all(holder),
  };
}
