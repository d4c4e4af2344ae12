import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { searchedText } from "@metahuman/core/memory/index/record-index";
import { openMemory, type OpenedMemory } from "@metahuman/core/memory/open-memory";
import {
  createTestProfile,
  found,
  observe,
  type TestProfile,
  USER_ORIGIN,
} from "@metahuman/core/memory/testing/open-test-memory";
import { createTestChoice, createTestEmbedder } from "@metahuman/core/memory/testing/test-embedder";
import { testRecord } from "@metahuman/core/memory/testing/test-record";
import { type EntryFilter, matchesFilter } from "@metahuman/core/vectors/entry-facts";
import { dot, normalizeVector } from "@metahuman/core/vectors/vector-math";
import { openPostgres, type Postgres } from "../open-postgres.ts";
import type { Driver } from "../pg-driver.ts";
import { describeMissing, openMemorySearch } from "../records/memory-search.ts";
import { openPostgresRecordCopies } from "../records/record-copies.ts";
import { openPostgresRecords } from "../records/open-records.ts";
import { openRecordRows } from "../records/record-rows.ts";
import { openStoredVectors } from "../records/stored-vectors.ts";

const PlanRow = z.object({ "QUERY PLAN": z.string() });

/**
 * The search of memories in a database with pgvector, which `open` returns. `count` is the number of memories in each of
 * three profiles, at least 400; inserting them into the graph of all profiles takes most of the time of the suite.
 */
export function describeMemorySearch(name: string, open: () => Promise<Driver>, count = 400): void {
  describe(`memories ${name}`, () => {
    let database: Postgres;
    const folders: TestProfile[] = [];
    beforeAll(async () => {
      database = await openPostgres(await open());
    });
    afterAll(async () => {
      await Promise.all(folders.map((folder) => folder.remove()));
      await database.close();
    });

    async function newFolder(): Promise<TestProfile> {
      const folder = await createTestProfile();
      folders.push(folder);
      return folder;
    }

    /** Opens the memories of a profile in a process, and waits for its index. */
    async function openComplete(profile: string, options: Parameters<TestProfile["open"]>[0] = {}) {
      const records = openPostgresRecords(database, profile);
      const folder = await newFolder();
      const opened = await folder.open({ storage: records.memories, vectors: records.vectors, ...options });
      await opened.embedded();
      return opened;
    }

    /** Opens the memories of a profile in a process that copies no row until `copy` is called. */
    async function openWithoutIndex(
      profile: string,
      options: Partial<Parameters<typeof openMemory>[0]> = {},
    ) {
      const records = openPostgresRecords(database, profile);
      const gate = Promise.withResolvers<void>();
      const { paths } = await newFolder();
      const warnings: string[] = [];
      const opened = await openMemory({
        paths,
        embedder: createTestEmbedder(),
        vectors: records.vectors,
        async storage(place) {
          const storage = await records.memories(place);
          return {
            ...storage,
            load: () => gate.promise.then(() => storage.load()),
            catchUp: () => gate.promise.then(() => storage.catchUp()),
            // A process that follows the changes would copy them.
            watch: () => ({ ready: Promise.resolve(), close: () => undefined }),
          };
        },
        onWarning: (message) => warnings.push(message),
        ...options,
      });
      return {
        ...opened,
        warnings,
        copy: gate.resolve,
        async close() {
          gate.resolve();
          await opened.close();
        },
      };
    }

    const explained = async ({ memory }: OpenedMemory, query: string) =>
      (await memory.recall({ query, explain: true, limit: 8 })).map((each) => ({
        content: each.memory.content,
        score: each.score.toFixed(2),
        // The age of a memory grows between the two recalls.
        parts: each.parts
          .filter(({ name }) => name !== "activation")
          .map(({ name, value, detail }) => ({ name, value: value.toFixed(2), detail })),
      }));

    const STORIES = [
      "Bob's birthday is on 4 May, and he likes walnut cake.",
      "The walnut tree in the garden was planted in 1987.",
      "Parked the car on level 3 of the station garage.",
      "The dentist moved to Station Street 12.",
      "Greta is allergic to strawberries.",
      "The wifi password of the cottage is on the fridge.",
      "Running shoes: size 42, the blue ones.",
      "The café at the corner closes at six.",
    ];

    describe("a recall before the index of the process is complete", () => {
      it("finds the same memories as the index, with the same explanations", async () => {
        const complete = await openComplete("same");
        await observe(complete, ...STORIES);
        for (let n = 0; n < 60; n += 1)
          await observe(
            complete,
            `Note ${n}: shelf ${n * 7} holds jars of plum jam and last year's letters.`,
          );
        await complete.embedded();
        const opening = await openWithoutIndex("same");
        for (const query of [
          "when is Bob's birthday",
          "walnut",
          "where did I park my automobile",
          "dentist",
          "strawbery allergy",
          "the cafe",
          "ran",
          "nothing of the kind, xylophone",
        ]) {
          const expected = await explained(complete, query);
          expect({ query, found: await explained(opening, query) }).toEqual({ query, found: expected });
        }
        expect(opening.warnings).toEqual([]);
        await opening.close();
      });

      it("applies the filters of the request", async () => {
        const complete = await openComplete("filters");
        const add = (content: string, tags: string[]) =>
          complete.memory.add({ type: "observation", content, tags }, USER_ORIGIN);
        await add("Plum jam on shelf 1", ["cellar"]);
        await add("Plum jam on shelf 2", ["kitchen"]);
        await complete.memory.add({ type: "reflection", content: "Plum jam makes me happy" }, USER_ORIGIN);
        await complete.embedded();
        const { memory, close } = await openWithoutIndex("filters");
        const contents = async (query: Partial<Parameters<typeof memory.recall>[0]>) =>
          (await memory.recall({ query: "plum jam", ...query })).map((each) => each.memory.content).sort();
        expect(await contents({})).toEqual(["Plum jam on shelf 1", "Plum jam on shelf 2"]);
        expect(await contents({ tags: ["kitchen"] })).toEqual(["Plum jam on shelf 2"]);
        expect(await contents({ types: ["reflection"] })).toEqual(["Plum jam makes me happy"]);
        expect(await contents({ until: "2020-01-01T00:00:00.000Z" })).toEqual([]);
        await close();
      });

      it("returns the nearest, with a fit below 1, if nothing fits and they are asked for", async () => {
        const complete = await openComplete("nearest");
        await observe(
          complete,
          ...Array.from({ length: 50 }, (_, number) => `walnut number ${number} in the cellar`),
        );
        await complete.embedded();
        const { memory, close } = await openWithoutIndex("nearest");
        const query = "which number of walnuts can a squirrel bury before winter?";
        expect(await memory.recall({ query })).toEqual([]);
        const nearest = await memory.recall({ query, orNearest: true, explain: true });
        expect(nearest.length).toBeGreaterThan(0);
        for (const each of nearest) {
          expect(each.memory.content).toMatch("walnut");
          expect(each.fit).toBeLessThan(1);
        }
        await close();
      });

      it("sees what another process changed, removed and restored a moment ago", async () => {
        const complete = await openComplete("changes");
        const [cake, tart] = await observe(complete, "The cake is in the oven", "The tart is in the fridge");
        const opening = await openWithoutIndex("changes");
        expect(await found(opening, "cake oven")).toEqual(["The cake is in the oven"]);
        await complete.memory.edit(cake?.id ?? "", { content: "The cake is in the cellar" });
        expect(await found(opening, "cake cellar")).toEqual(["The cake is in the cellar"]);
        expect(await found(opening, "oven")).toEqual([]);
        await complete.memory.keepCopy(tart?.id ?? "");
        expect(await found(opening, "tart fridge")).toEqual(["The tart is in the fridge"]);
        const { id } = await complete.memory.forget(tart?.id ?? "");
        expect(await found(opening, "tart fridge")).toEqual([]);
        await complete.memory.restore(id);
        expect(await found(opening, "tart fridge")).toEqual(["The tart is in the fridge"]);
        await opening.close();
      });

      it("uses the chosen embedder if its vectors are stored, and the built-in one while it is away", async () => {
        const chosen = createTestEmbedder({ id: "ollama/near", dimensions: 64 });
        const embedderChoice = createTestChoice(chosen);
        const complete = await openComplete("chosen", { embedderChoice });
        await observe(complete, ...STORIES);
        await complete.embedded();
        const here = createTestEmbedder({ id: "ollama/near", dimensions: 64 });
        const opening = await openWithoutIndex("chosen", { embedderChoice: createTestChoice(here) });
        expect(await found(opening, "dentist")).toEqual([STORIES[3]]);
        expect(here.queries).toEqual(["dentist"]);
        here.away = true;
        expect(await found(opening, "walnut tree")).toContain(STORIES[1]);
        await opening.close();
      });

      it("waits for the index while some memories have no description, such as imported ones", async () => {
        const { memories } = openPostgresRecords(database, "imported");
        const copies = openPostgresRecordCopies(database, "imported");
        const id = "evt-20260101T000000000Z-jam";
        const body = testRecord({ id, content: "Plum jam stands in the cellar", version: 1 });
        await copies.put([{ part: "record", kind: "memory", id, path: "", body }]);
        const search = openMemorySearch(database, "imported", { isNeeded: () => true });
        expect(await search?.state()).toBeUndefined();
        const opened = await (await newFolder()).open({ storage: memories });
        expect(await found(opened, "plum jam")).toEqual(["Plum jam stands in the cellar"]);
        // That process has described what it indexed.
        expect(await search?.state()).toMatchObject({ memories: 1 });
      });

      it("uses the index once it is complete", async () => {
        const complete = await openComplete("later");
        await observe(complete, "The key hangs behind the door");
        const search = openMemorySearch(database, "later", { isNeeded: () => false });
        expect(await search?.state()).toBeUndefined();
        const opening = await openWithoutIndex("later");
        expect(await found(opening, "key door")).toEqual(["The key hangs behind the door"]);
        opening.copy();
        await opening.ready;
        expect(await found(opening, "key door")).toEqual(["The key hangs behind the door"]);
        await opening.close();
      });
    });

    const FACTS = { id: "random", dimensions: 48 };
    const TYPES = ["observation", "curated", "conversation"] as const;
    const PROFILES = ["graph-1", "graph-2", "graph-3"];

    /** A deterministic pseudo-random vector (mulberry32). */
    function randomVector(seed: number): Float32Array {
      let state = Math.imul(seed + 1, 0x9e3779b1);
      const vector = new Float32Array(FACTS.dimensions);
      for (let index = 0; index < vector.length; index += 1) {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        vector[index] = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 - 0.5;
      }
      return normalizeVector(vector);
    }

    interface Placed {
      id: string;
      type: (typeof TYPES)[number];
      timestamp: string;
      tags: string[];
      vector: Float32Array;
    }

    const recordOf = ({ id, type, timestamp, tags }: Omit<Placed, "vector">) =>
      testRecord({ id, type, timestamp, tags, version: 1 });
    const placed = (profile: number): Placed[] =>
      Array.from({ length: count }, (_, n) => ({
        id: `evt-20260101T000000000Z-graph-${n}`,
        type: TYPES[n % TYPES.length] ?? "observation",
        timestamp: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
        tags: n % 10 === 0 ? ["rare"] : [],
        vector: randomVector(100_000 * profile + n),
      }));

    describe("the search by meaning", () => {
      const profiles = PROFILES.map((_, n) => placed(n));
      beforeAll(async () => {
        for (const [n, name] of PROFILES.entries()) {
          const rows = openRecordRows(database, name, { kind: "memory" });
          const memories = profiles[n] ?? [];
          await rows.create(
            memories.map((memory) => ({
              ...{ id: memory.id, path: `${memory.id}.json` },
              body: JSON.stringify(recordOf(memory)),
            })),
          );
          await describeMissing(database, name);
          await openStoredVectors(database, name).save(
            FACTS,
            memories.map(({ vector, ...memory }) => ({
              ...{ id: memory.id, vector, text: searchedText(recordOf(memory)) },
            })),
          );
        }
      }, 120_000);

      /** The share of the ten truly nearest that are found, over some requests in each profile. */
      async function shareFound(searched: Postgres, filter: EntryFilter): Promise<number> {
        let [agreed, expected] = [0, 0];
        for (const [n, name] of PROFILES.entries())
          for (let request = 0; request < 7; request += 1) {
            const vector = randomVector(7_000_000 + 100 * n + request);
            const nearest = (profiles[n] ?? [])
              .filter(({ type, ...facts }) => matchesFilter(filter, { kind: type, ...facts }))
              .sort((one, other) => dot(other.vector, vector) - dot(one.vector, vector))
              .slice(0, 10);
            const { byMeaning } = (await openMemorySearch(searched, name, { isNeeded: () => true })?.find({
              ...{ stems: [], averageWords: 0, filter, limit: 10 },
              nearest: { embedder: FACTS, vector },
            })) ?? { byMeaning: [] };
            const found = new Set(byMeaning.map(({ record: { id } }) => id));
            agreed += nearest.filter(({ id }) => found.has(id)).length;
            expected += nearest.length;
            const [first] = byMeaning;
            expect(first?.similarity).toBeCloseTo(dot(nearest[0]?.vector ?? vector, vector), 2);
          }
        return agreed / expected;
      }

      const FILTERS: Record<string, EntryFilter> = {
        "without a filter": {},
        "by kind": { kinds: ["curated"] },
        "by time": { since: "2026-01-01T02:00:00.000Z", until: "2026-01-01T05:00:00.000Z" },
        "by a tag that one in ten has": { tags: ["rare"] },
        "by all of them": { kinds: ["observation"], since: "2026-01-01T02:00:00.000Z", tags: ["rare"] },
      };

      it.each(Object.entries(FILTERS))("finds 99 of 100 nearest memories %s", async (_name, filter) => {
        expect(await shareFound(database, filter)).toBeGreaterThanOrEqual(0.99);
      });

      it.each(Object.entries(FILTERS))(
        "finds them through the graph of all profiles, %s",
        async (_name, filter) => {
          const plans: string[] = [];
          const searched = throughGraph(plans);
          expect(await shareFound(searched, filter)).toBeGreaterThanOrEqual(0.99);
          expect(plans.join("\n")).toContain("Index Scan using embeddings_meaning_");
        },
      );

      it("finds all matches if a filter matches fewer memories than requested", async () => {
        const last = new Date(Date.UTC(2026, 0, 1, 0, count - 40));
        const filter = { tags: ["rare"], since: last.toISOString() };
        expect(await shareFound(throughGraph([]), filter)).toBe(1);
      });

      it("stores no vector twice, and none of a changed text", async () => {
        const vectors = openStoredVectors(database, "graph-1");
        const [first] = profiles[0] ?? [];
        if (!first) throw new Error("no memory");
        const stored = async () =>
          await database.inProfile("graph-1", (session) =>
            session.all(
              z.object({ version: z.string(), searched: z.boolean() }),
              "SELECT xmin::text AS version, meaning IS NOT NULL AS searched FROM embeddings WHERE record_id = :id",
              { id: first.id },
            ),
          );
        const before = await stored();
        await vectors.save(FACTS, [
          { id: first.id, text: searchedText(recordOf(first)), vector: first.vector },
        ]);
        expect(await stored()).toEqual(before);
        await openRecordRows(database, "graph-1", { kind: "memory" }).change(first.id, () =>
          JSON.stringify(testRecord({ id: first.id, content: "another text", version: 2 })),
        );
        expect(await stored()).toMatchObject([{ searched: false }]);
      });
    });

    it("keep the vector of a text that another process stored while the former one was loaded", async () => {
      const facts = { id: "replaced", dimensions: 2 };
      const id = "evt-20260101T000000000Z-replaced";
      const [before, after] = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
      const rows = openRecordRows(database, "replaced", { kind: "memory" });
      const write = (content: string) => JSON.stringify(testRecord({ id, content }));
      await rows.create([{ id, path: `${id}.json`, body: write("former") }]);
      const vectors = openStoredVectors(database, "replaced");
      await vectors.save(facts, [{ id, text: "former", vector: before }]);
      // Its former vector is stored, but is not searched any more.
      await rows.change(id, () => write("present"));
      const slow = openStoredVectors(
        {
          ...database,
          async readProfile(profile, work) {
            const read = await database.readProfile(profile, work);
            await vectors.save(facts, [{ id, text: "present", vector: after }]);
            return read;
          },
        },
        "replaced",
      );
      await slow.load(facts, [{ id, text: "former" }]);
      const [stored] = await database.inProfile("replaced", (session) =>
        session.all(
          z.object({ meaning: z.string() }),
          "SELECT meaning::text FROM embeddings WHERE record_id = :id",
          {
            id,
          },
        ),
      );
      expect(stored).toEqual({ meaning: "[0,1]" });
    });

    /** The database, whose planner prefers the graph; `plans` receives how each search by meaning is done. */
    function throughGraph(plans: string[]): Postgres {
      return {
        ...database,
        inProfile: (profile, work) =>
          database.inProfile(profile, async (session) => {
            // Sorting all rows is cheaper for so few.
            await session.run(
              "SELECT set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)",
            );
            return await work({
              ...session,
              async all(schema, sql, parameters) {
                if (sql.includes("<#>") && !sql.includes("+ 0 LIMIT")) {
                  const rows = await session.all(PlanRow, `EXPLAIN ${sql}`, parameters);
                  plans.push(...rows.map((row) => row["QUERY PLAN"]));
                }
                return await session.all(schema, sql, parameters);
              },
            });
          }),
      };
    }
  });
}
