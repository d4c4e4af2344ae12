import BetterSqlite3 from "better-sqlite3";
import { existsSync, statSync } from "node:fs";
import { systemCode } from "../errors/node-error.ts";
import { corruptError, type StorageSubject } from "./storage-error.ts";

/** Files up to this size are checked completely when they open, which takes about 30 ms. */
const FULL_CHECK_BYTES = 32 * 1024 * 1024;

/**
 * Checks every page of a small database, so that damage is found before a write. For a large one, SQLite only checks on
 * reading that the file is a database and not truncated.
 */
export function checkPages(connection: BetterSqlite3.Database, subject: StorageSubject): void {
  if (connection.memory || statSync(subject.path).size > FULL_CHECK_BYTES) return;
  const finding = connection.pragma("quick_check(1)", { simple: true });
  if (finding !== "ok") throw corruptError(subject, "its pages are inconsistent");
}

/** Whether SQLite can read every page of the file. Does not change the file. */
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

/** Throws `StorageCorruptError` if a database with backups is missing or empty; SQLite would create a new one. */
export function assertNotLost(subject: StorageSubject, backups: number): void {
  if (backups === 0 || subject.path === ":memory:") return;
  if (!existsSync(subject.path)) throw corruptError(subject, "its file is missing");
  if (statSync(subject.path).size === 0) throw corruptError(subject, "its file is empty");
}
