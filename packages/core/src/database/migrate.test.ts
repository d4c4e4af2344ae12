import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { StorageNewerError } from "../errors/storage-errors.ts";
import { openDatabase } from "./open-database.ts";
import { ROWS, schema as reportingSchema } from "./testing/note-schema.ts";

const schema = reportingSchema(() => undefined);
const title = "the note database";
const program = join(import.meta.dirname, "testing", "migrate.ts");
let folder: string;
let path: string;

function startMigrating(killedAt?: string) {
  const args = killedAt === undefined ? [path] : [path, killedAt];
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mh-migrate-"));
  path = join(folder, "notes.db");
  const database = openDatabase(path, schema.slice(0, 1), { title });
  const insert = database.command("INSERT INTO note (text) VALUES (?)");
  database.transaction(() => {
    for (let row = 0; row < ROWS; row += 1) insert.run("call the plumber");
  });
  database.close();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a process killed while it migrates", () => {
  it.each(["updated 100", "updated 500", "updated 1000", "done"])(
    "leaves the old or the new schema complete, killed at: %s",
    async (moment) => {
      const child = startMigrating(moment);
      child.stdout.resume();
      await once(child, "exit");
      expect(child.signalCode).toBe("SIGKILL");

      let version = 1;
      try {
        openDatabase(path, schema.slice(0, 1), { title }).close();
      } catch (error) {
        expect(error).toBeInstanceOf(StorageNewerError);
        version = 2;
      }
      expect(version).toBe(moment === "done" ? 2 : 1);

      const database = openDatabase(path, schema, { title });
      const Sum = z.strictObject({ notes: z.int(), words: z.int() });
      expect(database.query("SELECT count(*) AS notes, sum(words) AS words FROM note", Sum).get()).toEqual({
        notes: ROWS,
        words: 3 * ROWS,
      });
      database.close();
      expect(readdirSync(folder).sort()).toEqual(["notes.db", "notes.db.backup-v1"]);
    },
  );
});

describe("processes that open one database at once", () => {
  it("migrate it exactly once", async () => {
    const children = [startMigrating(), startMigrating(), startMigrating()];
    const lines = await Promise.all(
      children.map(async (child) => Array.fromAsync(createInterface({ input: child.stdout }))),
    );
    expect(lines.map((line) => line.at(-1))).toEqual(["done", "done", "done"]);
    expect(lines.flat().filter((line) => line === "updated 100")).toHaveLength(1);
  });

  it("can create it together", async () => {
    rmSync(path);
    const children = [startMigrating(), startMigrating(), startMigrating(), startMigrating()];
    const lines = await Promise.all(
      children.map(async (child) => Array.fromAsync(createInterface({ input: child.stdout }))),
    );
    expect(lines.map((line) => line.at(-1))).toEqual(["done", "done", "done", "done"]);
  });
});
