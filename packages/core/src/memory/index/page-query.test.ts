import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDatabase, type Database } from "../../database/open-database.ts";
import { openEntryTable } from "../../vectors/entry-table.ts";
import { createPageQuery } from "./page-query.ts";
import type { PageQuery } from "./protocol.ts";
import { memoryIndexMigrations } from "./schema.ts";
import { openSearchTable } from "./search-table.ts";

let root: string;
let database: Database;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "metahuman-pages-"));
  database = openDatabase(join(root, "memory.db"), memoryIndexMigrations, { title: "the index of a test" });
  const entry = database.command(
    "INSERT INTO entries (item, id, kind, timestamp, tags) VALUES (?, ?, ?, ?, '[]')",
  );
  const record = database.command(
    `INSERT INTO records (item, path, stamp, hash, preview, stems, importance, pinned, context)
     VALUES (?, ?, '', '', '', x'', 0.5, 0, '{}')`,
  );
  for (let item = 1; item <= 60; item += 1) {
    // Three share each moment: the id decides between them.
    const timestamp = `2026-01-01T00:00:${String(Math.floor(item / 3)).padStart(2, "0")}.000Z`;
    entry.run(item, `evt-${String(item).padStart(3, "0")}`, kindOf(item), timestamp);
    record.run(item, `episodic/${item}.json`);
  }
});
afterEach(async () => {
  database.close();
  await rm(root, { recursive: true });
});

function kindOf(item: number): string {
  if (item % 20 === 0) return "dream";
  return item % 3 === 0 ? "curated" : "observation";
}

function idsOf(page: ReturnType<typeof createPageQuery>, query: PageQuery): string[] {
  const ids: string[] = [];
  for (let after: PageQuery["after"]; ;) {
    const { entries, total } = page({ ...query, after });
    ids.push(...entries.map(({ id }) => id));
    after = entries.at(-1);
    if (after === undefined) {
      expect(total).toBe(ids.length);
      return ids;
    }
  }
}

it.each([
  ["many of the kind", 0],
  ["few of the kind", 1_000],
])("lists kinds by time in both orders, page by page, each record once, with %s", (_, few) => {
  const search = openSearchTable(database, openEntryTable(database));
  const page = createPageQuery({ database, search }, few);
  // A filter that all entries meet makes the query use another index.
  const since = "2020-01-01T00:00:00.000Z";
  for (const types of [["dream"], ["curated", "dream"], ["observation", "curated", "dream"]] as const) {
    const ids = idsOf(page, { types, limit: 7 });
    expect(ids).toEqual(ids.toSorted().reverse());
    expect(ids).toEqual(idsOf(page, { types, limit: 7, since }));
    expect(idsOf(page, { types, limit: 7, sort: "oldest" })).toEqual(ids.toReversed());
    expect(idsOf(page, { types, limit: 7, sort: "oldest", since })).toEqual(ids.toReversed());
  }
  expect(page({ types: ["pattern"], limit: 7 })).toEqual({ entries: [], total: 0 });
});

it("lists the records with given ids that match the other filters", () => {
  const search = openSearchTable(database, openEntryTable(database));
  const page = createPageQuery({ database, search });
  const ids = ["evt-003", "evt-020", "evt-059", "evt-999"];
  expect(idsOf(page, { ids, limit: 2 })).toEqual(["evt-059", "evt-020", "evt-003"]);
  expect(idsOf(page, { ids, types: ["curated", "dream"], limit: 2 })).toEqual(["evt-020", "evt-003"]);
  expect(idsOf(page, { ids: [], limit: 2 })).toEqual([]);
});

it.each([
  ["few records", 1_000],
  ["many records", 0],
])("lists and counts %s with the searched words, narrowed or not", (_, few) => {
  const items = [3, 4, 20, 59];
  const itemsWith = (_condition: unknown, kinds?: readonly string[]): number[] =>
    items.filter((item) => kinds?.includes(kindOf(item)) !== false);
  const page = createPageQuery({ database, search: { itemsWith } }, few);
  expect(idsOf(page, { query: "tide", limit: 2 })).toEqual(["evt-059", "evt-020", "evt-004", "evt-003"]);
  expect(idsOf(page, { query: "tide", types: ["observation"], limit: 1 })).toEqual(["evt-059", "evt-004"]);
  const until = "2026-01-01T00:00:01.000Z";
  expect(idsOf(page, { query: "tide", until, sort: "oldest", limit: 1 })).toEqual(["evt-003", "evt-004"]);
});

it.each([
  ["few", 1_000],
  ["many", 0],
])("lists and counts the records that contain stop words as they were typed, for %s of them", (_, few) => {
  const set = database.command("UPDATE records SET preview = ? WHERE item = ?");
  set.run("To be or not to be", 3);
  set.run("not TO BE", 4);
  set.run("to have been", 20);
  const page = createPageQuery({ database, search: { itemsWith: () => [] } }, few);
  expect(idsOf(page, { query: "to be", limit: 1 })).toEqual(["evt-004", "evt-003"]);
  expect(idsOf(page, { query: "to be", types: ["curated"], limit: 1 })).toEqual(["evt-003"]);
  const until = "2026-01-01T00:00:01.000Z";
  expect(idsOf(page, { query: "to", until, sort: "oldest", limit: 1 })).toEqual(["evt-003", "evt-004"]);
  expect(idsOf(page, { query: "to be", ids: ["evt-004", "evt-020"], limit: 1 })).toEqual(["evt-004"]);
  expect(idsOf(page, { query: "who", limit: 1 })).toEqual([]);
});

it("finds punctuation as it was typed, and nothing for more of it than a text can have", () => {
  const set = database.command("UPDATE records SET preview = ? WHERE item = ?");
  set.run("a % of b", 3);
  set.run(String.raw`the \ of c:`, 4);
  set.run("a_b", 5);
  const page = createPageQuery({ database, search: { itemsWith: () => [] } });
  expect(idsOf(page, { query: "%", limit: 5 })).toEqual(["evt-003"]);
  expect(idsOf(page, { query: String.raw`\ `, limit: 5 })).toEqual(["evt-004"]);
  expect(idsOf(page, { query: "_", limit: 5 })).toEqual(["evt-005"]);
  expect(idsOf(page, { query: "THE \\", limit: 5 })).toEqual(["evt-004"]);
  expect(idsOf(page, { query: "%_".repeat(40_000), limit: 5 })).toEqual([]);
});

it("lists the records with a common word in both orders although most entries before them have not got it", () => {
  for (let item = 1_000; item < 2_500; item += 1)
    database
      .command("INSERT INTO entries (item, id, kind, timestamp, tags) VALUES (?, ?, 'dream', ?, '[]')")
      .run(item, `evt-${item}`, `2026-02-01T00:00:00.${item % 1_000}Z`);
  const items = [3, 4, 20, 59];
  const page = createPageQuery({ database, search: { itemsWith: () => items } }, 0);
  const ids = ["evt-003", "evt-004", "evt-020", "evt-059"];
  expect(idsOf(page, { query: "tide", limit: 3, sort: "oldest" })).toEqual(ids);
  expect(idsOf(page, { query: "tide", limit: 3 })).toEqual(ids.toReversed());
});
