import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { StorageCorruptError, StorageNewerError } from "../errors/storage-errors.ts";
import { openDatabase, type Database, type Migration } from "./open-database.ts";

const notes: Migration = {
  version: 1,
  name: "notes",
  up: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
};
const labels: Migration = {
  version: 2,
  name: "labels",
  up: "CREATE TABLE label (id INTEGER PRIMARY KEY, note INTEGER NOT NULL REFERENCES note(id)) STRICT",
};
const Note = z.strictObject({ id: z.int(), text: z.string() });
const Count = z.strictObject({ n: z.int() });

let folder: string;
let path: string;
const opened: Database[] = [];

function open(
  migrations: readonly Migration[],
  options: { whenCorrupt?: "throw" | "replace" } = {},
): Database {
  const database = openDatabase(path, migrations, { title: "the note database", ...options });
  opened.push(database);
  return database;
}

function count(database: Database, table: string): number | undefined {
  return database.query(`SELECT count(*) AS n FROM ${table}`, Count).get()?.n;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mh-database-"));
  path = join(folder, "deep", "notes.db");
});

afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("opening", () => {
  it("makes the folder and the schema, and keeps what is written", () => {
    open([notes]).command("INSERT INTO note (text) VALUES (?)").run("call the plumber");
    opened.pop()?.close();
    expect(open([notes]).query("SELECT * FROM note", Note).all()).toEqual([
      { id: 1, text: "call the plumber" },
    ]);
  });

  it("uses a write-ahead log, and enforces foreign keys", () => {
    const database = open([notes, labels]);
    expect(database.query("PRAGMA journal_mode", z.object({ journal_mode: z.string() })).get()).toEqual({
      journal_mode: "wal",
    });
    expect(() => database.command("INSERT INTO label (note) VALUES (7)").run()).toThrow(/FOREIGN KEY/);
  });

  it("refuses migrations that are not numbered one after another", () => {
    expect(() => open([labels])).toThrow(RangeError);
  });

  it("keeps its files closed to other users of the machine", () => {
    open([notes]).exec("INSERT INTO note VALUES (1, 'x')");
    for (const name of readdirSync(join(folder, "deep"))) {
      expect(statSync(join(folder, "deep", name)).mode & 0o077, name).toBe(0);
    }
  });

  it("may be in memory alone", () => {
    const database = openDatabase(":memory:", [notes], { title: "the note database" });
    opened.push(database);
    expect(count(database, "note")).toBe(0);
    expect(existsSync(":memory:")).toBe(false);
  });

  it("says which folder cannot be made", () => {
    writeFileSync(join(folder, "deep"), "a file in the way");
    expect(() => open([notes])).toThrow(AlreadyExistsError);
  });
});

describe("migrating", () => {
  const broken: Migration = {
    version: 2,
    name: "broken",
    up: "CREATE TABLE half (id INTEGER); CREATE TABLE note (id INTEGER);",
  };
  const tables = (database: Database) =>
    database
      .query(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
        z.object({ name: z.string() }),
      )
      .all()
      .map(({ name }) => name);

  it("applies only the steps that are missing, and copies the old data first", () => {
    open([notes]).command("INSERT INTO note (text) VALUES ('old')").run();
    opened.pop()?.close();

    const database = open([notes, labels]);
    expect(count(database, "label")).toBe(0);
    expect(count(database, "note")).toBe(1);

    const copy = `${path}.backup-v1`;
    expect(existsSync(copy)).toBe(true);
    const kept = openDatabase(copy, [notes], { title: "the copy" });
    opened.push(kept);
    expect(count(kept, "note")).toBe(1);
  });

  it("makes no copy of a database that is new or up to date", () => {
    open([notes, labels]);
    open([notes, labels]);
    expect(readdirSync(join(folder, "deep")).filter((name) => name.includes("backup"))).toEqual([]);
  });

  it("leaves the step before a failing one in place, and can go on from there", () => {
    open([notes]).close();
    opened.pop();
    expect(() => open([notes, broken])).toThrow(/already exists/);
    expect(tables(open([notes]))).toEqual(["note"]);
    open([notes, labels]);
  });

  it("makes a new database whole or not at all", () => {
    expect(() => open([notes, broken])).toThrow(/already exists/);
    expect(tables(open([]))).toEqual([]);
    expect(tables(open([notes, labels]))).toEqual(["label", "note"]);
  });

  it("undoes a step that leaves rows pointing nowhere", () => {
    const first = open([notes, labels]);
    first.exec("INSERT INTO note VALUES (1, 'x'); INSERT INTO label VALUES (1, 1)");
    first.close();
    opened.pop();
    const careless: Migration = { version: 3, name: "forget the notes", up: "DELETE FROM note" };
    expect(() => open([notes, labels, careless])).toThrow(StorageCorruptError);
    expect(count(open([notes, labels]), "note")).toBe(1);
  });

  it("may rebuild a table that others point to", () => {
    const first = open([notes, labels]);
    first.exec("INSERT INTO note VALUES (1, 'x'); INSERT INTO label VALUES (1, 1)");
    first.close();
    opened.pop();
    const rebuild: Migration = {
      version: 3,
      name: "pinned notes",
      up: `CREATE TABLE note_new (id INTEGER PRIMARY KEY, text TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0) STRICT;
           INSERT INTO note_new (id, text) SELECT id, text FROM note;
           DROP TABLE note;
           ALTER TABLE note_new RENAME TO note;`,
    };
    const database = open([notes, labels, rebuild]);
    expect(count(database, "label")).toBe(1);
    expect(database.query("SELECT pinned AS n FROM note", Count).get()).toEqual({ n: 0 });
  });

  it("leaves a database written by a later version untouched", () => {
    open([notes, labels]).close();
    opened.pop();
    const before = readFileSync(path);
    expect(() => open([notes])).toThrow(StorageNewerError);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe("a damaged file", () => {
  function fill(): void {
    const database = open([notes]);
    const insert = database.command("INSERT INTO note (text) VALUES (?)");
    database.transaction(() => {
      for (let row = 0; row < 2_000; row += 1) insert.run(`note ${row} `.repeat(20));
    });
    database.close();
    opened.pop();
  }

  it.each([
    ["half of it", 0.5],
    ["its last page", 0.99],
  ])("is refused when it lost %s, with what to do", (_what, share) => {
    fill();
    truncateSync(path, Math.floor((statSync(path).size * share) / 4096) * 4096);
    expect(() => open([notes])).toThrow(
      expect.objectContaining({
        code: "STORAGE_CORRUPT",
        suggestions: [expect.stringContaining(basename(path))],
      }),
    );
  });

  it("is refused when it lost its end, also when it is too large to be read whole", () => {
    const database = open([notes]);
    const insert = database.command("INSERT INTO note (text) VALUES (?)");
    for (let row = 0; row < 40; row += 1) insert.run("x".repeat(1_000_000));
    database.close();
    opened.pop();
    truncateSync(path, statSync(path).size - 4096);
    expect(() => open([notes])).toThrow(StorageCorruptError);
  });

  it("is refused when pages in its middle are overwritten", () => {
    fill();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 4096 * 3, 4096 * 6);
    writeFileSync(path, bytes);
    expect(() => open([notes])).toThrow(StorageCorruptError);
  });

  it("is refused when it never was a database", () => {
    fill();
    writeFileSync(path, "{}\n".repeat(2_000));
    expect(() => open([notes])).toThrow(StorageCorruptError);
  });

  it("is set aside whole where its owner can rebuild it", () => {
    fill();
    const garbage = "not a database ".repeat(1_000);
    writeFileSync(path, garbage);
    const database = open([notes], { whenCorrupt: "replace" });
    expect(count(database, "note")).toBe(0);
    expect(database.replaced).toBeDefined();
    expect(readFileSync(database.replaced ?? "", "utf8")).toBe(garbage);
  });

  it("is not replaced for being newer", () => {
    open([notes, labels]).close();
    opened.pop();
    expect(() => open([notes], { whenCorrupt: "replace" })).toThrow(StorageNewerError);
  });
});
