import type BetterSqlite3 from "better-sqlite3";
import { StorageNewerError } from "../errors/storage-errors.ts";
import { shownPath } from "../paths/data-root.ts";
import { backUp } from "./backup.ts";
import { corrupt, sentenceCase, type StorageSubject } from "./storage-error.ts";

/**
 * Brings the schema up to the last migration, each step in a transaction of its own that also writes its number: a
 * process killed at any moment leaves the step before or after, never half of one. A database that already has data is
 * copied first; an empty one is made in one transaction, flushed once. Safe when several processes open the same file at
 * once. Throws `StorageNewerError`.
 */
export function migrate(
  connection: BetterSqlite3.Database,
  migrations: readonly Migration[],
  subject: StorageSubject,
): void {
  const found = schemaVersion(connection);
  if (found > migrations.length) throw newer(subject, found, migrations.length);
  if (found === migrations.length) return;
  const isEmpty = !hasTables(connection);
  if (!isEmpty) backUp(connection, subject.path);

  // A step that rebuilds a table must be able to drop the old one; what points nowhere afterwards undoes the step.
  connection.pragma("foreign_keys = OFF");
  connection.pragma("synchronous = FULL");
  const step = connection.transaction((migration: Migration) => {
    if (schemaVersion(connection) >= migration.version) return;
    if (typeof migration.up === "string") connection.exec(migration.up);
    else migration.up(connection);
    const dangling = connection.pragma("foreign_key_check");
    if (Array.isArray(dangling) && dangling.length > 0) {
      throw corrupt(subject, `after the step "${migration.name}" some of its rows would point nowhere`);
    }
    connection.pragma(`user_version = ${migration.version}`);
  });
  const steps = (): void => migrations.forEach((migration) => step.immediate(migration));
  if (isEmpty) connection.transaction(steps).immediate();
  else steps();
}

/** Programming mistakes, found before anything is opened. */
export function assertNumbered(migrations: readonly Migration[]): void {
  for (const [index, { version, name }] of migrations.entries()) {
    if (version !== index + 1)
      throw new RangeError(`migration "${name}" must have number ${index + 1}, not ${version}`);
  }
}

function schemaVersion(connection: BetterSqlite3.Database): number {
  return Number(connection.pragma("user_version", { simple: true }));
}

function hasTables(connection: BetterSqlite3.Database): boolean {
  return connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}

function newer(subject: StorageSubject, found: number, known: number): StorageNewerError {
  return new StorageNewerError(
    `${sentenceCase(subject.title)} was written by a later version of MetaHuman OS (schema ${found}; this version knows up to ${known}). It was left as it is.`,
    {
      suggestions: ["Start the later version, or restore a backup made by this one."],
      context: { file: shownPath(subject.path), found, known },
    },
  );
}

/** One numbered step of a schema. Numbers start at 1 and have no gaps; a published step never changes. */
export interface Migration {
  version: number;
  /** What it brings, for messages: "runs and their events". */
  name: string;
  /** SQL, or work that needs more than SQL. Runs inside one transaction, with foreign keys checked at its end. */
  up: string | ((connection: { exec(sql: string): unknown }) => void);
}
