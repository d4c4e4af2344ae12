import { randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { systemCode } from "../errors/node-error.ts";
import { migrate, type Migration } from "./migrate.ts";
import type { StorageSubject } from "./storage-error.ts";

/** The format versions in the header of a file with a write-ahead log (https://sqlite.org/fileformat2.html). */
const FORMAT_VERSIONS = { offset: 18, writeAheadLog: 2 };

const templates = new WeakMap<readonly Migration[], Buffer>();

/**
 * The bytes of an empty database to which these migrations are applied. They are made once in a process: applying them again
 * for each database takes most of the time of creating it. The migrations always need the same extensions.
 */
export function databaseTemplate(
  migrations: readonly Migration[],
  subject: StorageSubject,
  extensions: readonly string[],
): Buffer {
  const known = templates.get(migrations);
  if (known) return known;
  const connection = new BetterSqlite3(":memory:");
  try {
    for (const extension of extensions) connection.loadExtension(extension);
    migrate(connection, migrations, subject);
    const made = connection.serialize();
    templates.set(migrations, made);
    return made;
  } finally {
    connection.close();
  }
}

/**
 * Creates a file from a template, readable by its owner only, if there is none; another process may create it at the same
 * time. Nothing is flushed: after a power failure the file may be damaged, so this is for data that can be rebuilt.
 */
export function createFromTemplate(path: string, template: Buffer): void {
  if (existsSync(path)) return;
  const bytes = Buffer.from(template);
  bytes.fill(FORMAT_VERSIONS.writeAheadLog, FORMAT_VERSIONS.offset, FORMAT_VERSIONS.offset + 2);
  const temporary = `${path}.${randomUUID()}.new`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(temporary, bytes, { mode: 0o600 });
    linkSync(temporary, path);
  } catch (error) {
    // Another process was faster, or the file system has no links: then the migrations create the tables.
    if (!["EEXIST", "EPERM", "ENOTSUP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
