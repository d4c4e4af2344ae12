import BetterSqlite3 from "better-sqlite3";
import { existsSync, statSync } from "node:fs";
import { systemCode } from "../errors/node-error.ts";
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

/** Whether SQLite can read every page of the file, however large it is. Changes nothing in it. */
export function isIntact(path: string): boolean {
  try {
    const connection = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    try {
      const isEmpty = connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
      return !isEmpty && connection.pragma("quick_check(1)", { simple: true }) === "ok";
    } finally {
      connection.close();
    }
  } catch (error) {
    if (systemCode(error)?.startsWith("SQLITE_")) return false;
    throw error;
  }
}

/** Throws `StorageCorruptError` where a database that was backed up is gone or empty: SQLite would take it for a new one. */
export function assertNotLost(subject: StorageSubject, backups: number): void {
  if (backups === 0 || subject.path === ":memory:") return;
  if (!existsSync(subject.path)) throw corrupt(subject, "its file is missing");
  if (statSync(subject.path).size === 0) throw corrupt(subject, "its file is empty");
}
