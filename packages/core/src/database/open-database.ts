import BetterSqlite3 from "better-sqlite3";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import { fromNodeError } from "../errors/node-error.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { displayPath } from "../paths/data-root.ts";
import { listBackups, moveCorruptFile } from "./backup.ts";
import { checkPages, assertNotLost } from "./check-file.ts";
import { createFromTemplate, databaseTemplate } from "./database-template.ts";
import { assertNumbered, migrate, type Migration } from "./migrate.ts";
import { corruptError, withStorageErrors, toStorageError, type StorageSubject } from "./storage-error.ts";

export type { Migration } from "./migrate.ts";

export interface OpenDatabaseOptions {
  /** The name for messages: "the account database". */
  title: string;
  /** How to recover if it cannot be read, as a sentence. */
  recovery?: string;
  /**
   * `throw` (default): throws `StorageCorruptError`. `replace`: renames the file and creates an empty one, for data that
   * can be rebuilt.
   */
  whenCorrupt?: "throw" | "replace";
  /** `throw`: throws `StorageCorruptError` if the file is missing or empty although it has backups. */
  whenMissing?: "create" | "throw";
  /** Called when an open database proves damaged; the error is thrown as well. */
  onCorrupt?: (error: StorageCorruptError) => void;
  /** SQLite extensions to load, as paths of their libraries. */
  extensions?: readonly string[];
  /** Whether deleted content is overwritten with zeros; false by default. */
  overwriteDeleted?: boolean;
  /** Whether the content can be rebuilt, so that a new file need not be flushed; false by default. */
  isDerived?: boolean;
}

/** A prepared statement that returns rows, each parsed by its schema. */
export interface Query<Row> {
  get(...parameters: unknown[]): Row | undefined;
  all(...parameters: unknown[]): Row[];
  iterate(...parameters: unknown[]): IterableIterator<Row>;
}

/** A prepared statement that changes rows. */
export interface Command {
  run(...parameters: unknown[]): { changes: number; lastInsertRowid: number | bigint };
}

/**
 * One SQLite file (or `:memory:` in tests) with WAL, foreign keys and a busy timeout of five seconds. Commits with
 * `synchronous=NORMAL`: they survive a crash of the process, but the last ones may be lost in a power failure. Every
 * method throws typed errors: `StorageFullError`, `StorageReadOnlyError`, `StorageCorruptError`.
 */
export interface Database {
  readonly path: string;
  /** For libraries that use SQLite directly; its errors are not typed. */
  readonly connection: BetterSqlite3.Database;
  /** The new path of the unreadable file that this one replaced. */
  readonly replaced: string | undefined;
  /** A statement, which is prepared when it is first used. Parameters are positional, or one object with named ones. */
  query<Schema extends z.ZodType>(sql: string, row: Schema): Query<z.output<Schema>>;
  command(sql: string): Command;
  exec(sql: string): void;
  /** Runs synchronous `work` in a transaction with an immediate write lock. Joins an open transaction. */
  transaction<Result>(work: () => Result): Result;
  /** Like `transaction`, but flushed to disk when it returns, so that a side effect may follow. */
  durably<Result>(work: () => Result): Result;
  /**
   * Empties the write-ahead log, outside of transactions. Returns false at once, with nothing lost, if another connection
   * is reading or writing.
   */
  emptyLog(): boolean;
  /** Sets the memory for pages that were read, 2 MB at first. It is taken only as pages are read. */
  setCacheBytes(bytes: number): void;
  /** Sets how many pages are written to the log until a commit empties it, 1 000 at first. Emptying waits for the disk. */
  setLogPages(pages: number): void;
  close(): void;
}

const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens the file, creates it and its folder if missing, and applies missing migrations. Throws `StorageCorruptError` for a
 * damaged file, `StorageNewerError` for a file of a later version (which stays unchanged), `PermissionDeniedError`,
 * `StorageReadOnlyError` and `StorageFullError`.
 */
export function openDatabase(
  path: string,
  migrations: readonly Migration[],
  options: OpenDatabaseOptions,
): Database {
  assertNumbered(migrations);
  const subject: StorageSubject = {
    title: options.title,
    path,
    recovery: options.recovery ?? defaultRecovery(path),
  };
  const template = () => databaseTemplate(migrations, subject, options.extensions ?? []);
  if (options.whenMissing === "throw") assertNotLost(subject, listBackups(path).length);
  if (path !== ":memory:") makeFile(path, options.title, options.isDerived === true ? template : undefined);
  const { onCorrupt } = options;
  try {
    return createDatabase(connect(subject, migrations, options), subject, {
      replaced: undefined,
      onCorrupt,
    });
  } catch (error) {
    if (!(error instanceof StorageCorruptError) || options.whenCorrupt !== "replace") throw error;
    const name = moveCorruptFile(path);
    makeFile(path, options.title);
    const replaced = name === undefined ? undefined : join(dirname(path), name);
    return createDatabase(connect(subject, migrations, options), subject, { replaced, onCorrupt });
  }
}

function connect(
  subject: StorageSubject,
  migrations: readonly Migration[],
  { extensions = [], overwriteDeleted = false }: Pick<OpenDatabaseOptions, "extensions" | "overwriteDeleted">,
): BetterSqlite3.Database {
  return withStorageErrors(subject, () => {
    const place =
      subject.path === ":memory:" ? databaseTemplate(migrations, subject, extensions) : subject.path;
    const connection = new BetterSqlite3(place, { timeout: BUSY_TIMEOUT_MS });
    try {
      connection.pragma("journal_mode = WAL");
      checkPages(connection, subject);
      for (const extension of extensions) connection.loadExtension(extension);
      if (overwriteDeleted) connection.pragma("secure_delete = ON");
      migrate(connection, migrations, subject);
      connection.pragma("foreign_keys = ON");
      connection.pragma("synchronous = NORMAL");
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

function createDatabase(
  connection: BetterSqlite3.Database,
  subject: StorageSubject,
  { replaced, onCorrupt }: { replaced: string | undefined; onCorrupt: OpenDatabaseOptions["onCorrupt"] },
): Database {
  const typeError = (cause: unknown): unknown => {
    const error = toStorageError(cause, subject);
    if (error instanceof StorageCorruptError && error !== cause) onCorrupt?.(error);
    return error;
  };
  const guard = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw typeError(error);
    }
  };
  let isDurable = false;

  const parse = <Schema extends z.ZodType>(schema: Schema, row: unknown): z.output<Schema> => {
    const parsed = schema.safeParse(row);
    if (parsed.success) return parsed.data;
    throw corruptError(subject, "a row does not match its schema", parsed.error);
  };

  /** Returns a function that prepares a statement when it is first needed: most are not, until the database is closed again. */
  const prepare = (sql: string): (() => BetterSqlite3.Statement) => {
    let statement: BetterSqlite3.Statement | undefined;
    return () => (statement ??= connection.prepare(sql));
  };

  const transaction = <Result>(work: () => Result): Result =>
    guard(() => connection.transaction(work).immediate());

  return {
    path: subject.path,
    connection,
    replaced,
    query(sql, row) {
      const prepared = prepare(sql);
      return {
        get(...parameters) {
          const found = guard(() => prepared().get(...parameters));
          return found === undefined ? undefined : parse(row, found);
        },
        all: (...parameters) => guard(() => prepared().all(...parameters)).map((found) => parse(row, found)),
        *iterate(...parameters) {
          try {
            for (const found of prepared().iterate(...parameters)) yield parse(row, found);
          } catch (error) {
            throw typeError(error);
          }
        },
      };
    },
    command(sql) {
      const prepared = prepare(sql);
      return { run: (...parameters) => guard(() => prepared().run(...parameters)) };
    },
    exec: (sql) => void guard(() => connection.exec(sql)),
    transaction,
    durably(work) {
      if (connection.inTransaction) {
        if (!isDurable) throw new Error("A durable transaction cannot join one that is not durable.");
        return transaction(work);
      }
      connection.pragma("synchronous = FULL");
      isDurable = true;
      try {
        return transaction(work);
      } finally {
        isDurable = false;
        connection.pragma("synchronous = NORMAL");
      }
    },
    emptyLog() {
      connection.pragma("busy_timeout = 0");
      try {
        return guard(() => connection.pragma("wal_checkpoint(TRUNCATE)", { simple: true })) === 0;
      } finally {
        connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
      }
    },
    // A negative size is in kibibytes instead of pages.
    setCacheBytes: (bytes) =>
      void guard(() => connection.pragma(`cache_size = ${-Math.ceil(bytes / 1_024)}`)),
    setLogPages: (pages) => void guard(() => connection.pragma(`wal_autocheckpoint = ${pages}`)),
    close: () => void connection.close(),
  };
}

/** Creates the file if missing, readable by its owner only. SQLite's other files inherit the permissions. */
function makeFile(path: string, title: string, template?: () => Buffer): void {
  try {
    if (template) createFromTemplate(path, template());
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw fromNodeError(error, title);
  }
}

function defaultRecovery(path: string): string {
  return `Stop MetaHuman OS, move ${displayPath(path)} and its -wal and -shm files elsewhere, then copy a backup to that path: a file beside it with .backup- in its name.`;
}
