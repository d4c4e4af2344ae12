import { afterEach, expect, it } from "vitest";
import { type Database, openDatabase } from "../../database/open-database.ts";
import { openEntryTable } from "../../vectors/entry-table.ts";
import { memoryIndexMigrations } from "./schema.ts";
import { openSearchTable } from "./search-table.ts";
import { createReader, createUnmergedWords } from "./word-copies.ts";
import { prepareStatements, type WordState } from "./word-sql.ts";

let database: Database | undefined;
afterEach(() => database?.close());

/** The copies of an index in which the words of each text wait. */
function openCopies(texts: readonly string[]) {
  const opened = openDatabase(":memory:", memoryIndexMigrations, { title: "the index of a test" });
  database = opened;
  const table = openSearchTable(opened, openEntryTable(opened), { minWaiting: Infinity });
  opened.transaction(() => {
    for (const text of texts) {
      const facts = { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [] };
      table.put({ id: text, text, facts });
    }
  });
  const sql = prepareStatements(opened);
  const waiting = createUnmergedWords(sql);
  const state = sql.state.get();
  if (!state) throw new Error("the index has no state");
  return { waiting, reader: createReader(sql, waiting), state: state satisfies WordState };
}

it("finds the stems of a prefix in the words that were read since the last search", () => {
  const { waiting, reader, state } = openCopies(["banana", "bandage"]);
  waiting.catchUp(state, 1);
  expect(reader.startingWith("ban", state)).toEqual(["banana"]);
  waiting.catchUp(state, 1);
  expect([...reader.startingWith("ban", state)].sort()).toEqual(["banana", "bandag"]);
});

it("caches the stems of the prefixes that were searched last", () => {
  const { waiting, reader, state } = openCopies(["banana"]);
  waiting.catchUp(state, 1);
  for (let number = 0; number < 100; number += 1) reader.startingWith(`x${number}`, state);
  const found = reader.startingWith("ban", state);
  expect(reader.startingWith("ban", state)).toBe(found);
});
