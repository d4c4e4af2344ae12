import BetterSqlite3 from "better-sqlite3";
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "../errors/node-error.ts";
import { TimeoutError } from "../errors/run-errors.ts";
import { shownPath } from "../paths/data-root.ts";
import { withStorageErrors, toStorageError } from "./storage-error.ts";

/** A lock held by at most one piece of work in all processes of this machine. */
export interface FileLock {
  /**
   * Runs `work` alone, first come first served within this process. Throws `TimeoutError` when another process does not
   * let go within `waitMs` (10 000 when missing).
   */
  hold<Result>(work: () => Promise<Result>, options?: { waitMs?: number }): Promise<Result>;
  /** Only when nothing holds it any more. */
  close(): void;
}

/**
 * Opens the lock kept in the file at `path`, made when absent, its folder must exist. It is SQLite's own write lock on
 * a database that never holds anything: the system takes it back when its holder dies, so there is no stale lock to
 * judge by age. Waiting blocks no thread.
 */
export function openFileLock(path: string, title: string): FileLock {
  const subject = { title, path, recovery: `Delete ${shownPath(path)}; it holds no data.` };
  const connection = withStorageErrors(subject, () => new BetterSqlite3(path, { timeout: 0 }));
  let last: Promise<unknown> = Promise.resolve();

  async function acquire(waitMs: number): Promise<void> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      try {
        connection.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (systemCode(error) !== "SQLITE_BUSY") throw toStorageError(error, subject);
        if (performance.now() > deadline) {
          throw new TimeoutError(`Another process kept ${title} locked for too long.`, {
            context: { file: shownPath(path) },
            cause: error,
          });
        }
        await delay(randomInt(1, 5));
      }
    }
  }

  async function holdAlone<Result>(work: () => Promise<Result>, waitMs: number): Promise<Result> {
    await acquire(waitMs);
    try {
      return await work();
    } finally {
      connection.exec("ROLLBACK");
    }
  }

  return {
    hold(work, { waitMs = 10_000 } = {}) {
      const turn = last.then(() => holdAlone(work, waitMs));
      // The next in line waits for this one whether it succeeds or fails; the failure itself goes to the caller.
      last = turn.then(
        () => undefined,
        () => undefined,
      );
      return turn;
    },
    close: () => void connection.close(),
  };
}
