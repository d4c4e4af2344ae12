import type BetterSqlite3 from "better-sqlite3";
import { statSync } from "node:fs";
import { corrupt, type StorageSubject } from "./storage-error.ts";

/** Files up to this size are read whole when they are opened: about 30 ms. */
const FULL_CHECK_BYTES = 32 * 1024 * 1024;

/**
 * Lets SQLite read every page of a small database, so that damage shows before anything is written on top of it. Of a
 * large one SQLite checks only what each reading checks: that it is a database, and has not lost its end.
 */
export function checkPages(connection: BetterSqlite3.Database, subject: StorageSubject): void {
  if (connection.memory || statSync(subject.path).size > FULL_CHECK_BYTES) return;
  const finding = connection.pragma("quick_check(1)", { simple: true });
  if (finding !== "ok") throw corrupt(subject, "its pages do not fit together");
}
