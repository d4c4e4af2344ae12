import BetterSqlite3 from "better-sqlite3";
import { workerData } from "node:worker_threads";
import { z } from "zod";

const { source, copy } = z.strictObject({ source: z.string(), copy: z.string() }).parse(workerData);

/** Copies a database with SQLite's backup API and checks the copy. The thread fails if the copy is damaged. */
const connection = new BetterSqlite3(source, { readonly: true, fileMustExist: true });
try {
  await connection.backup(copy);
} finally {
  connection.close();
}
const made = new BetterSqlite3(copy);
try {
  // Makes a single file without a log.
  made.pragma("journal_mode = DELETE");
  const finding = made.pragma("quick_check(1)", { simple: true });
  if (finding !== "ok") throw new Error(`the copy is damaged: ${String(finding)}`);
} finally {
  made.close();
}
