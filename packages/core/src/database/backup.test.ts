import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { backUpIfDue, listBackups, restoreBackup } from "./backup.ts";
import { openDatabase, type Database, type Migration } from "./open-database.ts";

const notes: Migration = {
  version: 1,
  name: "notes",
  up: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
};
const HOUR = 3_600_000;

let folder: string;
let path: string;
let database: Database | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mh-backup-"));
  path = join(folder, "notes.db");
  database = undefined;
});

afterEach(() => {
  database?.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (options: { whenMissing?: "throw" } = {}): Database =>
  (database = openDatabase(path, [notes], { title: "the note database", ...options }));
const write = (text: string) => (database ?? open()).command("INSERT INTO note (text) VALUES (?)").run(text);
const read = () =>
  (database ?? open())
    .query("SELECT text FROM note ORDER BY id", z.strictObject({ text: z.string() }))
    .all()
    .map(({ text }) => text);
function close(): void {
  database?.close();
  database = undefined;
}

/** Makes the newest backup look as old as this. */
function age(hours: number): void {
  const at = new Date(Date.now() - hours * HOUR);
  for (const { name } of listBackups(path).slice(0, 1)) utimesSync(join(folder, name), at, at);
}

/** Overwrites pages in the middle. */
function damage(): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 4096, bytes.length);
  writeFileSync(path, bytes);
}

describe("backing up", () => {
  it("copies an open database, including its log, once a day", async () => {
    write("in the log");
    const made = await backUpIfDue(path, new Date());
    expect(made).toMatch(/notes\.db\.backup-\d{8}T\d{9}Z$/u);
    expect(await backUpIfDue(path, new Date())).toBeUndefined();
    age(25);
    expect(await backUpIfDue(path, new Date())).toBeDefined();
    close();

    const copy = openDatabase(made ?? "", [notes], { title: "the copy" });
    expect(copy.query("SELECT text FROM note", z.strictObject({ text: z.string() })).all()).toEqual([
      { text: "in the log" },
    ]);
    copy.close();
  });

  it("keeps the last five, readable by their owner only", async () => {
    write("x");
    for (let day = 0; day < 7; day += 1) await backUpIfDue(path, new Date(Date.now() + day * 48 * HOUR));
    expect(listBackups(path)).toHaveLength(5);
    for (const { name } of listBackups(path)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  it("does not replace a good backup with a copy of a damaged database", async () => {
    for (let row = 0; row < 500; row += 1) write(`note ${String(row)} `.repeat(20));
    await backUpIfDue(path, new Date());
    close();
    age(25);
    const before = listBackups(path);
    damage();
    await expect(backUpIfDue(path, new Date())).rejects.toThrow();
    expect(listBackups(path)).toEqual(before);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("restoring", () => {
  it("restores the newest backup and keeps the damaged file", async () => {
    write("kept");
    await backUpIfDue(path, new Date());
    close();
    writeFileSync(path, "garbage");
    const { restored, kept } = restoreBackup(path, undefined);
    expect(restored).toBe(listBackups(path)[0]?.name);
    expect(readFileSync(join(folder, kept ?? ""), "utf8")).toBe("garbage");
    expect(read()).toEqual(["kept"]);
  });

  it("changes nothing if the backup is damaged, missing or outside the folder", async () => {
    write("kept");
    const made = basename((await backUpIfDue(path, new Date())) ?? "");
    close();
    writeFileSync(join(folder, made), "also garbage");
    const before = readFileSync(path);
    expect(() => restoreBackup(path, undefined)).toThrow(StorageCorruptError);
    expect(() => restoreBackup(path, "notes.db.backup-v9")).toThrow(NotFoundError);
    expect(() => restoreBackup(path, "../notes.db")).toThrow(NotFoundError);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe("a missing database with backups", () => {
  it.each([
    ["missing", () => rmSync(path)],
    ["empty", () => writeFileSync(path, "")],
  ])("is not treated as a new one if it is %s", async (_what, lose) => {
    write("kept");
    await backUpIfDue(path, new Date());
    close();
    lose();
    expect(() => open({ whenMissing: "throw" })).toThrow(StorageCorruptError);
    restoreBackup(path, undefined);
    open({ whenMissing: "throw" });
    expect(read()).toEqual(["kept"]);
  });
});

describe("damage that is only detected on reading", () => {
  it("calls onCorrupt", () => {
    const found: string[] = [];
    database = openDatabase(path, [notes], {
      title: "the note database",
      onCorrupt: (error) => found.push(error.code),
    });
    for (let row = 0; row < 500; row += 1) write(`note ${String(row)} `.repeat(20));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size = 0");
    damage();
    expect(() => read()).toThrow(StorageCorruptError);
    expect(found).toEqual(["STORAGE_CORRUPT"]);
  });
});
