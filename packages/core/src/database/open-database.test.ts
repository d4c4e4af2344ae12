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
  it("creates the folder and the schema, and stores data", () => {
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

  it("prepares a statement when it is first used, as most are not before the database is closed", () => {
    const database = open([notes]);
    const labelled = database.query("SELECT count(*) AS n FROM label", Count);
    const remove = database.command("DELETE FROM label");
    expect(() => labelled.get()).toThrow("no such table: label");
    database.exec(String(labels.up));
    expect(labelled.get()).toEqual({ n: 0 });
    expect(remove.run()).toMatchObject({ changes: 0 });
  });

  it("rejects migrations that are not numbered consecutively", () => {
    expect(() => open([labels])).toThrow(RangeError);
  });

  it("creates files that other users cannot read", () => {
    open([notes]).exec("INSERT INTO note VALUES (1, 'x')");
    for (const name of readdirSync(join(folder, "deep"))) {
      expect(statSync(join(folder, "deep", name)).mode & 0o077, name).toBe(0);
    }
  });

  it("supports in-memory databases", () => {
    const database = openDatabase(":memory:", [notes], { title: "the note database" });
    opened.push(database);
    expect(count(database, "note")).toBe(0);
    expect(existsSync(":memory:")).toBe(false);
  });

  it("applies the migrations once for all new databases whose content can be rebuilt", () => {
    let applied = 0;
    const counted: Migration[] = [
      {
        ...notes,
        up(connection) {
          applied += 1;
          if (typeof notes.up === "string") connection.exec(notes.up);
        },
      },
    ];
    for (const name of ["one.db", "two.db"]) {
      const database = openDatabase(join(folder, name), counted, { title: "notes", isDerived: true });
      opened.push(database);
      expect(count(database, "note")).toBe(0);
      database.command("INSERT INTO note (text) VALUES (?)").run(name);
      expect(database.connection.pragma("journal_mode", { simple: true })).toBe("wal");
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
    expect(applied).toBe(1);
    opened.splice(0).forEach((database) => database.close());
    const again = openDatabase(join(folder, "one.db"), counted, { title: "notes", isDerived: true });
    opened.push(again);
    expect(again.query("SELECT * FROM note", Note).all()).toEqual([{ id: 1, text: "one.db" }]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  it("keeps what another process has put into a database whose content can be rebuilt", () => {
    const migrations = [notes];
    const first = openDatabase(path, migrations, { title: "notes", isDerived: true });
    opened.push(first);
    first.command("INSERT INTO note (text) VALUES (?)").run("call the plumber");
    const second = openDatabase(path, migrations, { title: "notes", isDerived: true });
    opened.push(second);
    expect(count(second, "note")).toBe(1);
  });

  it("names the folder that cannot be created", () => {
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

  it("backs up the data and applies only missing migrations", () => {
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

  it("does not back up a new or current database", () => {
    open([notes, labels]);
    open([notes, labels]);
    expect(readdirSync(join(folder, "deep")).filter((name) => name.includes("backup"))).toEqual([]);
  });

  it("keeps the migrations before a failing one, and can continue from there", () => {
    open([notes]).close();
    opened.pop();
    expect(() => open([notes, broken])).toThrow(/already exists/);
    expect(tables(open([notes]))).toEqual(["note"]);
    open([notes, labels]);
  });

  it("creates a new database atomically", () => {
    expect(() => open([notes, broken])).toThrow(/already exists/);
    expect(tables(open([]))).toEqual([]);
    expect(tables(open([notes, labels]))).toEqual(["label", "note"]);
  });

  it("rolls back a migration that leaves dangling references", () => {
    const first = open([notes, labels]);
    first.exec("INSERT INTO note VALUES (1, 'x'); INSERT INTO label VALUES (1, 1)");
    first.close();
    opened.pop();
    const careless: Migration = { version: 3, name: "forget the notes", up: "DELETE FROM note" };
    expect(() => open([notes, labels, careless])).toThrow(StorageCorruptError);
    expect(count(open([notes, labels]), "note")).toBe(1);
  });

  it("can rebuild a referenced table", () => {
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

  it("is rejected if it is truncated, even if it is too large for a full check", () => {
    const database = open([notes]);
    const insert = database.command("INSERT INTO note (text) VALUES (?)");
    for (let row = 0; row < 40; row += 1) insert.run("x".repeat(1_000_000));
    database.close();
    opened.pop();
    truncateSync(path, statSync(path).size - 4096);
    expect(() => open([notes])).toThrow(StorageCorruptError);
  });

  it("is rejected if pages in its middle are overwritten", () => {
    fill();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 4096 * 3, 4096 * 6);
    writeFileSync(path, bytes);
    expect(() => open([notes])).toThrow(StorageCorruptError);
  });

  it("is rejected if it is not a database", () => {
    fill();
    writeFileSync(path, "{}\n".repeat(2_000));
    expect(() => open([notes])).toThrow(StorageCorruptError);
  });

  it("is renamed and replaced with whenCorrupt: replace", () => {
    fill();
    const garbage = "not a database ".repeat(1_000);
    writeFileSync(path, garbage);
    const database = open([notes], { whenCorrupt: "replace" });
    expect(count(database, "note")).toBe(0);
    expect(database.replaced).toBeDefined();
    expect(readFileSync(database.replaced ?? "", "utf8")).toBe(garbage);
  });

  it("is not replaced because of a newer version", () => {
    open([notes, labels]).close();
    opened.pop();
    expect(() => open([notes], { whenCorrupt: "replace" })).toThrow(StorageNewerError);
  });
});

it("writes as many pages to the log as is set before it starts at its beginning again", () => {
  const database = open([notes]);
  const add = database.command("INSERT INTO note (text) VALUES (?)");
  const logBytes = (): number => statSync(`${path}-wal`).size;
  const addMany = (count: number): void => {
    for (let number = 0; number < count; number += 1)
      database.transaction(() => add.run("walnut ".repeat(600)));
  };
  database.setLogPages(50);
  addMany(200);
  const small = logBytes();
  expect(small).toBeLessThan(100 * 4_096);
  database.setLogPages(10_000);
  addMany(200);
  expect(logBytes()).toBeGreaterThan(200 * 4_096);
});
