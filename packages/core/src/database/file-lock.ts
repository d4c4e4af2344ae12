import BetterSqlite3 from "better-sqlite3";
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "../errors/node-error.ts";
import { TimeoutError } from "../errors/run-errors.ts";
import { displayPath } from "../paths/data-root.ts";
import { withStorageErrors, toStorageError } from "./storage-error.ts";
import { createSerialQueue } from "../async/serial-queue.ts";

/** A mutual exclusion lock across all processes of this machine. */
export interface FileLock {
  /**
   * Runs `work` under the lock, in order of the calls in this process. Throws `TimeoutError` if another process holds the
   * lock for longer than `waitMs` (default 10 000).
   */
  hold<Result>(work: () => Promise<Result>, options?: { waitMs?: number }): Promise<Result>;
  /** Call it only when the lock is free. */
  close(): void;
}

/**
 * Opens the lock in the file at `path` and creates the file if missing; its folder must exist. Uses SQLite's write lock on
 * an empty database, which the system releases when its holder dies, so there are no stale locks. Waiting does not block
 * the thread.
 */
export function openFileLock(path: string, title: string): FileLock {
  const subject = {
    title,
    path,
    recovery: `Stop MetaHuman OS and move ${displayPath(path)} elsewhere. It holds no data and is created again.`,
  };
  const connection = withStorageErrors(subject, () => new BetterSqlite3(path, { timeout: 0 }));
  const queue = createSerialQueue();

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
            suggestions: [
              "Try again. If it happens again, stop the other servers and commands that use this data.",
            ],
            context: { file: displayPath(path) },
            cause: error,
          });
        }
        await delay(randomInt(1, 5));
      }
    }
  }

  async function runLocked<Result>(work: () => Promise<Result>, waitMs: number): Promise<Result> {
    await acquire(waitMs);
    try {
      return await work();
    } finally {
      connection.exec("ROLLBACK");
    }
  }

  return {
    hold: (work, { waitMs = 10_000 } = {}) => queue(() => runLocked(work, waitMs)),
    close: () => void connection.close(),
  };
}
