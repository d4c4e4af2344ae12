import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { StorageCorruptError, StorageFullError, StorageReadOnlyError } from "../errors/storage-errors.ts";
import { TimeoutError } from "../errors/run-errors.ts";
import { openDatabase, type Database, type Migration } from "./open-database.ts";
import { writeIfPossible } from "./storage-error.ts";

const schema: readonly Migration[] = [
  { version: 1, name: "notes", up: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT" },
];
const Note = z.strictObject({ id: z.int(), text: z.string() });
const Count = z.strictObject({ n: z.int() });

let folder: string;
let database: Database;

function open(): Database {
  return openDatabase(join(folder, "notes.db"), schema, { title: "the note database" });
}

function count(): number | undefined {
  return database.query("SELECT count(*) AS n FROM note", Count).get()?.n;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mh-database-"));
  database = open();
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("rows and transactions", () => {
  it("reports a row that does not match its schema as corruption", () => {
    database.exec("INSERT INTO note VALUES (1, 'x')");
    expect(() => database.query("SELECT id AS text, text AS id FROM note", Note).get()).toThrow(
      StorageCorruptError,
    );
  });

  it("rolls back and passes the error on when the work throws", () => {
    class Unexpected extends Error {}
    expect(() =>
      database.transaction(() => {
        database.exec("INSERT INTO note VALUES (1, 'x')");
        throw new Unexpected();
      }),
    ).toThrow(Unexpected);
    expect(count()).toBe(0);
  });

  it("flushes a durable transaction and restores the default mode", () => {
    const synchronous = (): unknown =>
      database.query("PRAGMA synchronous", z.object({ synchronous: z.int() })).get()?.synchronous;
    expect(database.durably(() => synchronous())).toBe(2);
    expect(synchronous()).toBe(1);
    expect(() =>
      database.durably(() => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(synchronous()).toBe(1);
  });

  it("rejects a durable transaction inside one that is not durable", () => {
    expect(() => database.transaction(() => database.durably(() => undefined))).toThrow(/cannot join/);
    expect(database.durably(() => database.durably(() => database.transaction(() => 7)))).toBe(7);
  });

  it("supports leaving an iteration early", () => {
    database.exec("INSERT INTO note VALUES (1, 'a'), (2, 'b')");
    for (const note of database.query("SELECT * FROM note ORDER BY id", Note).iterate()) {
      expect(note.text).toBe("a");
      break;
    }
    expect(database.command("DELETE FROM note").run().changes).toBe(2);
  });
});

describe("a disk that rejects writes", () => {
  it("throws StorageFullError and changes nothing", () => {
    const insert = database.command("INSERT INTO note (text) VALUES (?)");
    insert.run("kept");
    database.exec("PRAGMA max_page_count = 20");
    expect(() =>
      database.transaction(() => {
        for (;;) insert.run("x".repeat(4_000));
      }),
    ).toThrow(StorageFullError);
    expect(count()).toBe(1);
  });

  it("throws typed errors for read-only and busy databases", () => {
    const other = open();
    database.exec("PRAGMA busy_timeout = 0");
    other.transaction(() => {
      expect(() => database.exec("INSERT INTO note VALUES (1, 'x')")).toThrow(TimeoutError);
    });
    other.close();
    database.exec("PRAGMA query_only = ON");
    expect(() => database.exec("INSERT INTO note VALUES (1, 'x')")).toThrow(StorageReadOnlyError);
  });

  it("skips an optional change only if storage is not writable", () => {
    database.exec("PRAGMA query_only = ON");
    writeIfPossible(() => database.exec("INSERT INTO note VALUES (1, 'x')"));
    expect(count()).toBe(0);
    expect(() => writeIfPossible(() => database.exec("INSERT INTO nowhere VALUES (1)"))).toThrow(
      /no such table/,
    );
  });
});
