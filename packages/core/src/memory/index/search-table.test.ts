import fc from "fast-check";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Database, openDatabase } from "../../database/open-database.ts";
import { openEntryTable } from "../../vectors/entry-table.ts";
import { createExactSearchIndex } from "./exact-search-index.ts";
import { memoryIndexMigrations } from "./schema.ts";
import type { SearchEntry, SearchIndex, SearchMatch } from "./search-index.ts";
import { describeSearchIndex } from "./search-index.suite.ts";
import { openSearchTable, type SearchTable } from "./search-table.ts";
import { openSearchTables } from "./search-tables.ts";

const Count = z.object({ count: z.int() });

let folder: string;
const opened: Database[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "metahuman-words-"));
});
afterEach(async () => {
  for (const database of opened.splice(0)) database.close();
  await rm(folder, { recursive: true });
});

interface Opened {
  database: Database;
  table: SearchTable;
  index: SearchIndex;
}

/** Merges once `minWaiting` texts wait, after every change. */
function open(minWaiting: number, path = join(folder, "memory.db")): Opened {
  const database = openDatabase(path, memoryIndexMigrations, { title: "the index of a test" });
  opened.push(database);
  const entries = openEntryTable(database);
  const table = openSearchTable(database, entries, { minWaiting });
  const change = (work: () => void): void => {
    database.transaction(work);
    while (minWaiting < Infinity && table.keepUp(0));
  };
  const index: SearchIndex = {
    put: async (added) => change(() => added.forEach((entry) => table.put(entry))),
    remove: async (ids) =>
      change(() => {
        for (const item of ids.flatMap((id) => entries.itemOf(id) ?? [])) {
          table.remove(item);
          entries.remove(item);
        }
      }),
    search: async (query, { limit, filter = {}, mode = "exact" }) =>
      table.search(query, { limit, filter, mode }),
    count: async () => table.count(),
  };
  return { database, table, index };
}

function entry(id: string, text: string): SearchEntry {
  return { id, text, facts: { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [] } };
}

for (const [name, minWaiting] of [
  ["words that wait", Infinity],
  ["merged words", 1],
  ["some merged", 4],
] as const)
  describeSearchIndex(`search table, ${name}`, async () => ({
    index: open(minWaiting).index,
    close: async () => undefined,
  }));

describe("the search table", () => {
  it("finds the same as a comparison of all texts, after any additions, replacements, removals and merges", async () => {
    const word = fc.constantFrom(
      "run",
      "running",
      "runs",
      "runner",
      "walnut",
      "walnuts",
      "oak",
      "doctor",
      "physician",
      "blue",
    );
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
    const id = fc.integer({ min: 1, max: 12 }).map((number) => `id-${number}`);
    const change = fc.oneof(
      fc.record({ put: fc.array(fc.tuple(id, text), { minLength: 1, maxLength: 4 }) }),
      fc.record({ remove: id }),
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(text, { minLength: 1, maxLength: 3 }),
        async (changes, minWaiting, queries) => {
          const { index, database } = open(minWaiting, join(folder, `${(runs += 1)}.db`));
          const reference = createExactSearchIndex();
          for (const one of changes)
            for (const each of [index, reference])
              await ("put" in one
                ? each.put(one.put.map(([key, content]) => entry(key, content)))
                : each.remove([one.remove]));
          for (const query of queries) {
            const [found, expected] = await Promise.all(
              [index, reference].map((each) => each.search(query, { limit: 20 })),
            );
            expect(rounded(found)).toEqual(rounded(expected));
          }
          database.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it("finds the same if words are so common that only the best texts are looked up", async () => {
    const { database, table, index } = open(500);
    const reference = createExactSearchIndex();
    // Of sixty words, the first ones are in most texts.
    const word = fc
      .tuple(fc.nat(999), fc.constantFrom("", "", "s"))
      .map(([number, ending]) => `zw${Math.floor(60 * (number / 1_000) ** 3)}${ending}`);
    const texts = fc
      .sample(fc.array(word, { minLength: 2, maxLength: 22 }), { numRuns: 4_000, seed: 7 })
      .map((words, number) => entry(`text-${number}`, words.join(" ")));
    database.transaction(() => texts.forEach((each) => table.put(each)));
    while (table.keepUp(1_000));
    await reference.put(texts);
    const gone = texts.filter((_, number) => number % 9 === 0).map(({ id }) => id);
    for (const each of [index, reference]) await each.remove(gone);
    for (const [query, mode] of [
      ["zw59 zw0 zw1", "exact"],
      ["zw40s zw41 zw2 zw0", "exact"],
      ["zw30 zw31 zw32 zw33 zw3s zw0s", "exact"],
      ["zw0 zw1", "exact"],
      ["zw0 zw1 zw2 zw3 zw4", "exact"],
      // Misspellings, which no text has, of words that many texts have.
      ["zw59 zw58 wz0s zww2s zw2 zw0s", "loose"],
      ["zwo0s zw1ss zw40 zw41", "loose"],
    ] as const) {
      const [found, expected] = await Promise.all(
        [index, reference].map((each) => each.search(query, { limit: 20, mode })),
      );
      // Without ids, because texts with equal scores are interchangeable.
      const described = (matches: readonly SearchMatch[] = []): string[] =>
        matches
          .map(
            ({ score, coverage, matched }) =>
              `${score.toFixed(6)} ${coverage.toFixed(6)} ${matched.join(" ")}`,
          )
          .sort();
      expect(described(found)).toEqual(described(expected));
    }
  });

  it("merges a hundred texts only when idle, and finds them before and after", async () => {
    const { database, table, index } = open(2_000);
    const waiting = database.query("SELECT count(*) AS count FROM waiting_words", Count);
    const texts = Array.from({ length: 120 }, (_, number) => entry(`text-${number}`, `quince ${number}`));
    database.transaction(() => texts.forEach((each) => table.put(each)));
    while (table.keepUp(1_000));
    expect(waiting.get()).toEqual({ count: 120 });
    expect(await index.search("quince 7", { limit: 1 })).toMatchObject([{ id: "text-7" }]);
    while (table.keepUp(1_000, "idle"));
    expect(waiting.get()).toEqual({ count: 0 });
    expect(await index.search("quince 7", { limit: 1 })).toMatchObject([{ id: "text-7" }]);
  });

  it("merges no words while texts are being added, until many texts or few long ones wait", async () => {
    const { database, table } = open(2_000);
    const waiting = database.query("SELECT count(*) AS count FROM waiting_words", Count);
    const add = (count: number, text: string): void =>
      database.transaction(() => {
        for (let number = 0; number < count; number += 1) table.put(entry(`${text.length}-${number}`, text));
      });
    add(2_500, "an old quince");
    add(200, "walnut ".repeat(4_000));
    expect(table.isOverdue()).toBe(false);
    while (table.keepUp(1_000, "writing"));
    expect(waiting.get()).toEqual({ count: 2_700 });
    add(60, "walnuts ".repeat(4_000));
    expect(table.isOverdue()).toBe(true);
    while (table.keepUp(1_000, "writing"));
    expect(waiting.get()).toEqual({ count: 0 });
  });

  it("deletes the words of removed texts, and keeps those of the others", async () => {
    const { database, table, index } = open(1);
    await index.put([entry("doctor", "the doctor spoke of pancreatitis"), entry("oak", "the old oaks")]);
    await index.put([entry("elm", "elms, and a doctor")]);
    await index.remove(["doctor"]);
    expect(storedWords(database)).toContain("pancreatitis");
    while (table.sweep(0));
    expect(storedWords(database)).toEqual(["doctor", "elms", "oaks", "old"]);
    expect(await idsOf(index, "doctor")).toEqual(["elm"]);
    expect(await idsOf(index, "old oak")).toEqual(["oak"]);
    await index.put([entry("oak", "a young oak")]);
    while (table.sweep(1_000));
    expect(storedWords(database)).toEqual(["doctor", "elms", "oak", "young"]);
    expect(table.sweep(1_000)).toBe(false);
  });

  it("leaves no word of removed texts in the files of the database", async () => {
    const path = join(folder, "memory.db");
    const builtIn = { id: "lexical-384-v4", dimensions: 384 };
    const { database, entries, search } = openSearchTables(
      { database: path, title: "the index of a test", migrations: memoryIndexMigrations, embedder: builtIn },
      () => ({}),
    );
    opened.push(database);
    const word = (number: number): string => `zanzibar${String(number).padStart(4, "0")}qux`;
    const items = database.transaction(() =>
      Array.from({ length: 3_000 }, (_, number) =>
        search.put(entry(`text-${number}`, `a house in ${word(number)}`)),
      ),
    );
    while (search.keepUp(1_000));
    database.transaction(() => {
      for (const item of items.slice(0, 2_800)) {
        search.remove(item);
        entries.remove(item);
      }
    });
    while (search.sweep(1_000));
    const content = `${await readFile(path, "latin1")}${await readFile(`${path}-wal`, "latin1")}`;
    const found = new Set(content.match(/zanzibar\d{4}qux/gu));
    expect([...found].sort()).toEqual(items.map((_, number) => word(number)).slice(2_800));
  });

  it("empties the log at a later sweep if another process reads during the first one", async () => {
    const [here, there] = [open(1), open(1)];
    await here.index.put([entry("ash", "an ash with a zanzibarqux"), entry("oak", "the old oak")]);
    there.database.exec("BEGIN; SELECT count(*) FROM entries");
    await here.index.remove(["ash"]);
    const log = async (): Promise<string> => await readFile(`${here.database.path}-wal`, "latin1");
    while (here.table.sweep(0));
    expect(await log()).toContain("zanzibarqux");
    there.database.exec("COMMIT");
    expect(here.table.sweep(0)).toBe(false);
    expect(await log()).toBe("");
  });

  it("deletes the words of the newest text although the process ended before the sweep", async () => {
    const before = open(1);
    await before.index.put([entry("oak", "the old oak")]);
    await before.index.put([entry("ash", "an ash with a zanzibarqux")]);
    await before.index.remove(["ash"]);
    before.database.close();
    opened.pop();
    const { database, table, index } = open(1);
    expect(storedWords(database)).toContain("zanzibarqux");
    while (table.sweep(0));
    expect(storedWords(database)).toEqual(["oak", "old"]);
    expect(await idsOf(index, "zanzibarqux oak")).toEqual(["oak"]);
  });

  it.each([
    ["that wait", Infinity],
    ["that are merged", 1_000],
  ])("finds the last text with a word after more removals than are logged, of words %s", async (_, least) => {
    const [here, there] = [open(least), open(least)];
    const texts = Array.from({ length: 6_502 }, (_text, number) =>
      entry(`text-${number}`, `zanzibarqux ${number % 7}`),
    );
    await here.index.put(texts);
    for (const { index } of [here, there]) expect(await idsOf(index, "zanzibarqux")).toHaveLength(20);
    await here.index.remove(texts.slice(0, 6_500).map(({ id }) => id));
    for (const { index } of [here, there])
      expect(await idsOf(index, "zanzibarqux")).toEqual(["text-6500", "text-6501"]);
    if (least === Infinity) return;
    while (there.table.sweep(1_000));
    const counts = there.database.query("SELECT count FROM postings WHERE stem LIKE 'zanzibarq%'", Count);
    expect(counts.all()).toEqual([{ count: 2 }]);
  });

  it("finds each text once if the process ends after a few slices of a merge and of a sweep", async () => {
    const writer = open(Infinity);
    const text = (number: number): string =>
      Array.from({ length: 40 }, (_, index) => `word${(index * number) % 193}`).join(" ");
    const texts = Array.from({ length: 30 }, (_, number) => entry(`tree-${number}`, text(number)));
    await writer.index.put(texts.slice(0, 20));
    const reference = createExactSearchIndex();
    await reference.put(texts);
    await reference.remove(["tree-3", "tree-8", "tree-21"]);
    const query = "word7 word33 word88 word1";
    const expected = rounded(await reference.search(query, { limit: 40 }));
    let steps = 0;
    const work = (step: (table: SearchTable) => boolean): void => {
      for (let isMore = true; isMore; steps += 1) {
        const { database, table } = open(5);
        isMore = step(table);
        database.close();
        opened.pop();
      }
    };
    // A process reads the words that wait before it moves some.
    const merge = (table: SearchTable): boolean => table.keepUp(0) && table.keepUp(0) && table.keepUp(0);
    work(merge);
    await writer.index.put(texts.slice(20));
    await writer.index.remove(["tree-3", "tree-8", "tree-21"]);
    for (const step of [merge, (table: SearchTable) => table.sweep(0) || merge(table)])
      work((table) => {
        const isMore = step(table);
        expect(rounded(table.search(query, { limit: 40, filter: {}, mode: "exact" }))).toEqual(expected);
        return isMore;
      });
    expect(steps).toBeGreaterThan(20);
  });

  it("finds in one process what another one added, removed and merged", async () => {
    const [here, there] = [open(Infinity), open(3)];
    await here.index.put([entry("oak", "the old oak"), entry("elm", "the elm and the oak")]);
    expect(await idsOf(there.index, "oak")).toEqual(["elm", "oak"]);
    await there.index.put([entry("ash", "an ash beside the oak")]);
    expect(await idsOf(here.index, "oak")).toEqual(["ash", "elm", "oak"]);
    await there.index.remove(["elm"]);
    expect(await idsOf(here.index, "oak")).toEqual(["ash", "oak"]);
  });

  it("finds each text once at every step of a merge that two processes share", async () => {
    const words = Array.from({ length: 90 }, (_, number) => `word${number}`).join(" ");
    const [writer, ...both] = [open(Infinity), open(5), open(5)];
    for (let round = 0; round < 8; round += 1)
      writer.database.transaction(() => writer.table.put(entry(`tree-${round}`, `oak ${round} ${words}`)));
    const query = "oak word7 word33 word88";
    const expected = rounded(await writer.index.search(query, { limit: 20 }));
    expect(expected).toHaveLength(8);
    let steps = 0;
    for (let isMore = true; isMore; steps += 1) {
      isMore = both[steps % 2]?.table.keepUp(0) ?? false;
      for (const { index } of [writer, ...both])
        expect(rounded(await index.search(query, { limit: 20 }))).toEqual(expected);
    }
    expect(steps).toBeGreaterThan(3);
    const waiting = writer.database.query("SELECT count(*) AS count FROM waiting_words", Count);
    expect(waiting.get()?.count).toBe(0);
  });

  it("loses no word that another process adds while a merge waits for the write lock", async () => {
    const other = open(5);
    const database = openDatabase(other.database.path, memoryIndexMigrations, {
      title: "the index of a test",
    });
    opened.push(database);
    let isFirst = true;
    function whileWaiting(): void {
      if (!isFirst) return;
      isFirst = false;
      other.database.transaction(() => {
        for (let number = 6; number < 9; number += 1)
          other.table.put(entry(`text-${number}`, `oak number${number}`));
      });
      other.table.keepUp(0);
    }
    const waiting: Database = {
      ...database,
      transaction(work) {
        whileWaiting();
        return database.transaction(work);
      },
    };
    const here = openSearchTable(waiting, openEntryTable(database), { minWaiting: 5 });
    other.database.transaction(() => {
      for (let number = 0; number < 6; number += 1)
        other.table.put(entry(`text-${number}`, `oak number${number}`));
    });
    while (here.keepUp(1_000) || other.table.keepUp(1_000));
    expect(await idsOf(other.index, "oak")).toHaveLength(9);
    expect(await idsOf(other.index, "number8")).toEqual(["text-8"]);
  });

  it.each([
    ["that wait", Infinity],
    ["that are merged", 1],
  ])("filters by all words that begin alike, for words %s", async (_, minWaiting) => {
    const { table, index, database } = open(minWaiting);
    const words = Array.from({ length: 300 }, (_word, number) => `zq${number}`).join(" ");
    await index.put([entry("many", words), entry("one", "the zebra"), entry("none", "an oak")]);
    const ids = database.query("SELECT id FROM entries WHERE item = ?", z.object({ id: z.string() }));
    const idsWith = (start: string, ...stems: string[]): (string | undefined)[] =>
      table
        .itemsWith({ stems, prefix: { stem: start, start } })
        .map((item) => ids.get(item)?.id)
        .sort();
    expect(idsWith("z")).toEqual(["many", "one"]);
    expect(idsWith("zq29", "zq7")).toEqual(["many"]);
    expect(idsWith("zqx")).toEqual([]);
    const condition = { stems: [], prefix: { stem: "z", start: "z" } };
    expect(table.itemsWith(condition, ["observation", "dream"])).toHaveLength(2);
    expect(table.itemsWith(condition, ["dream"])).toEqual([]);
    await index.remove(["many"]);
    expect(idsWith("z")).toEqual(["one"]);
  });

  it("discards the writes of a transaction that was rolled back", async () => {
    const { database, table, index } = open(1);
    await index.put([entry("oak", "the old oak")]);
    expect(() =>
      database.transaction(() => {
        table.put(entry("elm", "the elm and the oak"));
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(await idsOf(index, "oak elm")).toEqual(["oak"]);
    await index.put([entry("ash", "an ash beside the oak")]);
    expect(await idsOf(index, "oak elm")).toEqual(["ash", "oak"]);
  });

  it("keeps the words of an index that an earlier version wrote", async () => {
    const path = join(folder, "memory.db");
    const earlier = openDatabase(path, memoryIndexMigrations.slice(0, 7), { title: "the index of a test" });
    earlier.exec(`
      INSERT INTO entries (item, id, kind, timestamp, tags)
        VALUES (7, 'oak', 'observation', '2026-01-01T00:00:00.000Z', '[]');
      INSERT INTO words (item, words, stems, length) VALUES (7, ' old oaks ', ' old oak ', 2);
      UPDATE totals SET entries = 1, words = 2;`);
    earlier.close();
    expect(await idsOf(open(Infinity).index, "oak")).toEqual(["oak"]);
    expect(await idsOf(open(1).index, "oaks")).toEqual(["oak"]);
  });
});

/** Every form of a word in the stored postings. */
function storedWords(database: Database): string[] {
  const rows = database.query("SELECT forms FROM postings", z.object({ forms: z.string() })).all();
  return [...new Set(rows.flatMap(({ forms }) => forms.split(" ")))].sort();
}

async function idsOf(index: SearchIndex, query: string): Promise<string[]> {
  return (await index.search(query, { limit: 20 })).map(({ id }) => id).sort();
}

function rounded(found: Awaited<ReturnType<SearchIndex["search"]>> | undefined): unknown[] | undefined {
  return found
    ?.map(({ id, score, coverage, matched }) => ({
      id,
      score: score.toFixed(6),
      coverage: coverage.toFixed(6),
      matched: matched.toSorted(),
    }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
