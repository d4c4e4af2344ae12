import { z } from "zod";
import type { Database } from "../database/open-database.ts";

const IdRow = z.object({ id: z.string() }).transform((row) => row.id);
const HoldRow = z
  .object({ id: z.string(), owner: z.string().nullable(), claimed: z.int(), status: z.string() })
  .transform((row) => ({ ...row, claimed: row.claimed === 1 }));
type Hold = z.output<typeof HoldRow>;

/** Which process holds which run. Methods that write belong into the caller's transaction. */
export function runClaims(database: Database, processId: string) {
  const hold = database.query("SELECT id, owner, claimed, status FROM runs WHERE id = ?", HoldRow);
  const inHand = database.query(
    "SELECT id, owner, claimed, status FROM runs WHERE claimed = 1 OR status = 'queued' ORDER BY id",
    HoldRow,
  );
  const set = database.command("UPDATE runs SET owner = ?, claimed = ?, cancel_requested = 0 WHERE id = ?");
  const giveUp = database.command("UPDATE runs SET owner = NULL WHERE owner = ? AND claimed = 0");
  const requestCancel = database.command("UPDATE runs SET cancel_requested = 1 WHERE id = ? AND claimed = 1");
  const cancelled = database.query(
    "SELECT id FROM runs WHERE owner = ? AND claimed = 1 AND cancel_requested = 1",
    IdRow,
  );

  return {
    of: (runId: string): Hold | undefined => hold.get(runId),
    /** Claimed or queued, oldest first. */
    inHand: (): Hold[] => inHand.all(),
    own: (): Hold[] => inHand.all().filter((run) => run.owner === processId),
    /**
     * The run this process may take next. Runs are taken in the order in which they were asked for, whoever holds them;
     * those of processes that are gone stand in nobody's way.
     */
    next(living: ReadonlySet<string>, options: { maxConcurrent: number; adopt: boolean }): Hold | undefined {
      const lives = (run: Hold) => run.owner !== null && living.has(run.owner);
      let taken = 0;
      for (const run of inHand
        .all()
        .sort((a, b) => Number(b.claimed) - Number(a.claimed) || (a.id < b.id ? -1 : 1))) {
        if (taken >= options.maxConcurrent) return undefined;
        if (!run.claimed && (run.owner === processId || (options.adopt && !lives(run)))) return run;
        if (lives(run)) taken += 1;
      }
      return undefined;
    },
    claim: (runId: string) => void set.run(processId, 1, runId),
    enqueue: (runId: string) => void set.run(processId, 0, runId),
    let: (runId: string) => void set.run(null, 0, runId),
    giveUpQueued: () => void giveUp.run(processId),
    requestCancel: (runId: string) => void requestCancel.run(runId),
    cancelRequests: () => cancelled.all(processId),
  };
}
