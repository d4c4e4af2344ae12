import { beforeEach, describe, expect, it } from "vitest";
import type { MemoryRecord, MemoryType, RecallQuery } from "../../contract/memory.ts";
import { createExactVectorIndex } from "../../vectors/exact-vector-index.ts";
import { createExactSearchIndex } from "../index/exact-search-index.ts";
import type { CandidateQuery, FoundCandidates } from "../index/protocol.ts";
import type { IndexedEntry } from "./candidate.ts";
import type { SearchMode } from "../index/search-index.ts";
import { testRecord } from "../testing/test-record.ts";
import { createTestEmbedder, type TestEmbedder } from "../testing/test-embedder.ts";
import { stemHashes } from "../index/catalog-table.ts";
import { createInMemoryUses } from "../evolution/in-memory-uses.ts";
import { calibrationOf, type MeasuredSimilarities } from "./calibration.ts";
import { fromColumns, toColumns } from "./candidate-columns.ts";
import { fittingCandidates } from "./fit.ts";
import { createRecall } from "./recall.ts";
import { entityTag } from "../entities.ts";
import { supersessionKey } from "../exchange.ts";

const NOW = new Date("2026-06-01T00:00:00.000Z");

let embedder: TestEmbedder;
let records: Map<string, MemoryRecord>;
let entries: Map<string, IndexedEntry>;
let warnings: string[];
let measured: MeasuredSimilarities;
let recall: ReturnType<typeof createRecall>;
let search: ReturnType<typeof createExactSearchIndex>;
let vectors: ReturnType<typeof createExactVectorIndex>;
let uses: ReturnType<typeof createInMemoryUses>;

beforeEach(() => {
  embedder = createTestEmbedder();
  records = new Map();
  entries = new Map();
  warnings = [];
  measured = {};
  uses = createInMemoryUses();
  search = createExactSearchIndex();
  vectors = createExactVectorIndex(embedder.dimensions);
  recall = createRecall({
    async embedQuery(query, signal) {
      const [vector] = await embedder.embed([query], signal);
      return vector && { embedder: { id: embedder.id, dimensions: embedder.dimensions }, vector };
    },
    async candidates(query) {
      const exact = await findCandidates(query, "exact");
      return exact.candidates.length > 0 ? exact : await findCandidates(query, "loose");
    },
    read: async (found) => found.map(({ id }) => records.get(id) ?? null),
    uses,
    measured: () => measured,
    clock: () => NOW,
    onWarning: (message) => warnings.push(message),
  });
});

async function findCandidates(
  { query, limit, filter, nearest, calibration, withFailures, orNearest = false }: CandidateQuery,
  mode: SearchMode,
): Promise<FoundCandidates> {
  const byWords = await search.search(query, { limit, filter, mode });
  const byMeaning = nearest ? await vectors.nearest(nearest.vector, { limit, filter }) : [];
  const itemOf = <Match extends { id: string }>({ id, ...match }: Match) => ({
    item: entries.get(id)?.item ?? NaN,
    ...match,
  });
  const describe = (items: readonly number[]): IndexedEntry[] =>
    [...entries.values()]
      .filter(({ item }) => items.includes(item))
      .map((entry) => ({
        ...entry,
        shared: records.get(entry.id)?.entities.filter((entity) => query.includes(entity)) ?? [],
      }));
  const collection = await search.count();
  const options = { calibration, collection, withFailures, orNearest: orNearest && mode === "loose" };
  const found = { byWords: byWords.map(itemOf), byMeaning: byMeaning.map(itemOf), describe };
  const { candidates, strongest } = fittingCandidates(found, options);
  return { candidates: fromColumns(toColumns(candidates)), strongest, recordOf: () => undefined };
}

async function keep(content: string, more: Partial<MemoryRecord> = {}): Promise<string> {
  const id = `evt-20260101T000000${String(records.size).padStart(3, "0")}Z-x`;
  const record = testRecord({ id, content, timestamp: "2026-05-01T00:00:00.000Z", ...more });
  const tags = [...record.tags, ...record.entities.map(entityTag)];
  const facts = { kind: record.type, timestamp: record.timestamp, tags };
  const [vector] = await embedder.embed([content]);
  records.set(id, record);
  entries.set(id, {
    ...record,
    failed: record.metadata.success === false,
    occasion: supersessionKey(record) ?? null,
    shared: [],
    item: records.size,
    stems: stemHashes(content),
  });
  await search.put([{ id, facts, text: content }]);
  if (vector) await vectors.put([{ id, facts, vector }]);
  return id;
}

const contents = async (query: RecallQuery): Promise<string[]> =>
  (await recall(query)).map(({ memory: { content } }) => content);

describe("recall", () => {
  it("answers a question with the memory that shares its words, whatever else is stored", async () => {
    await keep("the garage door needs oil");
    await keep("the garage code is kept in the blue notebook");
    await keep("zip code of the office is 10115");
    expect((await contents({ query: "where is the garage code kept?" }))[0]).toBe(
      "the garage code is kept in the blue notebook",
    );
  });

  it("lists neither a failure of the operator nor an answer that a newer one supersedes", async () => {
    const exchange = (answer: string, more: Partial<MemoryRecord>) =>
      keep(`Asked: where is the walnut bread?\nAnswered: ${answer}`, { type: "conversation", ...more });
    await exchange("in the oven", { timestamp: "2026-05-01T00:00:00.000Z", metadata: { success: true } });
    await exchange("on the table", { timestamp: "2026-05-02T00:00:00.000Z", metadata: { success: true } });
    await exchange("no idea", { timestamp: "2026-05-03T00:00:00.000Z", metadata: { success: false } });
    expect(await contents({ query: "where is the walnut bread" })).toEqual([
      expect.stringContaining("on the table"),
    ]);
  });

  it("lists failed calls and stale listings only if they are asked for", async () => {
    const call = (content: string, index: number, success = true) =>
      keep(content, {
        type: "tool_invocation",
        timestamp: `2026-05-0${index}T00:00:00.000Z`,
        metadata: { toolName: "fs_list", toolInputs: { path: "walnuts" }, success },
      });
    await call("fs_list: the folder walnuts holds one file", 1);
    await call("fs_list: the folder walnuts holds two files", 2);
    await call("fs_list: the folder walnuts is missing", 3, false);
    const query = "what is in the folder walnuts";
    expect(await contents({ query })).toEqual(["fs_list: the folder walnuts holds two files"]);
    expect(await contents({ query, types: ["tool_invocation"] })).toEqual([
      "fs_list: the folder walnuts is missing",
    ]);
  });

  it("ranks facts before calls, and calls before conversations", async () => {
    await keep("Asked: walnut bread recipe\nAnswered: written", { type: "conversation" });
    await keep("fs_write: walnut bread recipe written", { type: "tool_invocation" });
    await keep("the walnut bread recipe needs honey, rye, salt and an hour of time");
    const found = await recall({ query: "walnut bread recipe" });
    expect(found.map(({ memory: { type } }) => type)).toEqual([
      "observation",
      "tool_invocation",
      "conversation",
    ]);
    expect(found[1]?.parts.map(({ name }) => name)).toContain("outcome");
  });

  it("filters by the people and things that a memory names, and prefers those of the query", async () => {
    await keep("lent the walnut plane to Ben", { entities: ["Ben"] });
    await keep("lent the walnut plane to Ana", { entities: ["Ana"] });
    const query = "lent the walnut plane";
    expect(await contents({ query, entities: ["ana"] })).toEqual(["lent the walnut plane to Ana"]);
    const [first] = await recall({ query: `${query} to Ben` });
    expect(first?.parts.map(({ name }) => name)).toContain("entities");
  });

  it("returns a rank, a score from 0 to 1, and parts that add up to the score", async () => {
    await keep("walnut bread with honey", { importance: 1, pinned: true, context: { place: "home" } });
    await keep("walnut cake", { timestamp: "2020-01-01T00:00:00.000Z" });
    await keep("walnut tree");
    const found = await recall({ query: "walnut bread", context: { place: "home" }, explain: true });
    expect(found.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    for (const { score, parts } of found) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 10);
      for (const { detail } of parts) expect(detail).not.toBe("");
    }
    expect(found[0]?.parts.map(({ name }) => name)).toEqual([
      "words",
      "meaning",
      "activation",
      "importance",
      "context",
      "pinned",
      "fit",
    ]);
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it("lets age, use, importance, context, entities, kind and a pin move a memory by 0.15 at most", async () => {
    const best = await keep("walnut bread", { timestamp: "1990-01-01T00:00:00.000Z", importance: 0 });
    const other = await keep("walnut bread", {
      timestamp: NOW.toISOString(),
      importance: 1,
      pinned: true,
      type: "pattern",
      context: { place: "home" },
      entities: ["walnut"],
    });
    await uses.record(
      Array.from({ length: 30 }, () => ({ memoryId: other, kind: "useful" as const, at: NOW.getTime() })),
    );
    const found = await recall({ query: "walnut bread", context: { place: "home" } });
    const score = (id: string): number => found.find(({ memory }) => memory.id === id)?.score ?? NaN;
    expect(score(other) - score(best)).toBeGreaterThan(0);
    const priors = (id: string): number =>
      (found.find(({ memory }) => memory.id === id)?.parts ?? [])
        .filter(({ name }) => !["words", "meaning", "repetition"].includes(name))
        .reduce((sum, { value }) => sum + value, 0);
    expect(priors(other)).toBeCloseTo(0.15, 5);
    expect(priors(best)).toBeGreaterThanOrEqual(0);
  });

  it("ranks a used memory higher, but not one that was only found", async () => {
    const [one, other] = [await keep("walnut bread recipe one"), await keep("walnut bread recipe two")];
    const order = async (): Promise<string[]> =>
      (await recall({ query: "walnut bread recipe" })).map(({ memory }) => memory.id);
    const [first, second] = await order();
    for (let turn = 0; turn < 20; turn += 1) await recall({ query: "walnut recipe two one" });
    expect(await order()).toEqual([first, second]);
    await uses.record([{ memoryId: second ?? "", kind: "cited", at: NOW.getTime() }]);
    expect(await order()).toEqual([second, first]);
    expect([first, second].sort()).toEqual([one, other]);
  });

  it("uses the measured thresholds of the embedder", async () => {
    await keep("the garage code is kept in the blue notebook");
    await keep("walnut cake with honey");
    const fitOf = async (unrelated: number, convincing: number): Promise<number> => {
      measured = { [embedder.id]: { unrelated, convincing, alike: convincing } };
      const [first] = await recall({ query: "walnut cake and tea", explain: true });
      const detail = first?.parts.find(({ name }) => name === "fit")?.detail ?? "";
      return Number(/[\d.]+/.exec(detail)?.[0]);
    };
    expect(await fitOf(0, 0.1)).toBeGreaterThan(await fitOf(0.9, 1));
  });

  it("ranks other memories before earlier conversations about them, and keeps conversations without an answer", async () => {
    const asked = "Asked: where is the garage code kept?\nAnswered: Found nothing about this in memory.";
    for (let turn = 0; turn < 3; turn += 1) await keep(`${asked} ${turn}`, { type: "conversation" });
    const alone = await recall({ query: "where is the garage code kept?", explain: true });
    expect(alone[0]?.parts.map(({ name }) => name)).not.toContain("talk");
    await keep("code of the garage: 4711", { type: "curated" });
    const found = await recall({ query: "where is the garage code kept?", explain: true });
    expect(found[0]?.memory.content).toBe("code of the garage: 4711");
    expect(found[1]?.memory.type).toBe("conversation");
    const talk = found[1]?.parts.find(({ name }) => name === "talk");
    expect(talk?.value).toBeLessThan(0);
    expect(talk?.detail).toContain("other memories come first");
  });

  it("penalizes near duplicates and explains the penalty", async () => {
    for (let copy = 0; copy < 10; copy += 1)
      await keep(`asked about the walnut bread recipe of grandmother, copy ${copy}`);
    await keep("walnut bread recipe: two hours in the oven");
    const found = await recall({ query: "walnut bread recipe", explain: true });
    expect(found.findIndex(({ memory }) => memory.content.includes("oven"))).toBeLessThan(3);
    expect(found[2]?.parts.find(({ name }) => name === "repetition")?.value).toBeLessThan(0);
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it("compares only context keys that both sides have", async () => {
    await keep("walnut bread", { context: { place: "home" } });
    const parts = async (context: Record<string, string>): Promise<string[]> =>
      (await recall({ query: "walnut", context }))[0]?.parts.map(({ name }) => name) ?? [];
    expect(await parts({ place: "home", mood: "good" })).toContain("context");
    expect(await parts({ mood: "good" })).not.toContain("context");
    expect(await parts({ place: "office" })).not.toContain("context");
  });

  it("returns nothing if nothing fits", async () => {
    for (let number = 0; number < 50; number += 1) await keep(`walnut number ${number} in the cellar`);
    const strange = ["what is the capital of France?", "", "   ", "the of and", "?!", "xyzzy"];
    const alike = "which number of walnuts can a squirrel bury before winter?";
    for (const query of [...strange, alike]) expect(await contents({ query })).toEqual([]);
  });

  it("returns the nearest, with a fit below 1, if nothing fits and they are asked for", async () => {
    for (let number = 0; number < 50; number += 1) await keep(`walnut number ${number} in the cellar`);
    const query = { query: "which number of walnuts can a squirrel bury before winter?", orNearest: true };
    const found = await recall({ ...query, explain: true });
    expect(found.length).toBeGreaterThan(0);
    for (const { memory, fit } of found) {
      expect(memory.content).toMatch("walnut");
      expect(fit).toBeLessThan(1);
    }
  });

  it("matches typos and prefixes if nothing else fits", async () => {
    await keep("call the plumber about the kitchen");
    expect(await contents({ query: "plumbr" })).toHaveLength(1);
    expect(await contents({ query: "plum" })).toHaveLength(1);
    expect(await contents({ query: "plumbago" })).toEqual([]);
  });

  it("ranks duplicates behind all other results", async () => {
    for (let copy = 0; copy < 10; copy += 1) await keep("asked about the walnut bread recipe");
    await keep("walnut bread needs two hours in the oven, says Ana");
    const [first, second, third] = await contents({ query: "walnut bread recipe" });
    expect([first, second]).toEqual([
      "asked about the walnut bread recipe",
      "walnut bread needs two hours in the oven, says Ana",
    ]);
    expect(third).toBe("asked about the walnut bread recipe");
  });

  it("omits private types unless they are requested", async () => {
    for (const type of ["inner_dialogue", "reflection", "dream", "observation"] satisfies MemoryType[]) {
      await keep(`walnut ${type}`, { type });
    }
    expect(await contents({ query: "walnut" })).toEqual(["walnut observation"]);
    expect(await contents({ query: "walnut", types: ["dream", "reflection"] })).toHaveLength(2);
  });

  it("respects the filter and the limit", async () => {
    await keep("walnut one", { tags: ["a"], timestamp: "2026-01-01T00:00:00.000Z" });
    await keep("walnut two", { tags: ["a", "b"], timestamp: "2026-02-01T00:00:00.000Z" });
    await keep("walnut three", { tags: ["b"], timestamp: "2026-03-01T00:00:00.000Z" });
    expect(await contents({ query: "walnut", tags: ["a", "b"] })).toEqual(["walnut two"]);
    expect(await contents({ query: "walnut", since: "2026-02-15T00:00:00.000Z" })).toEqual(["walnut three"]);
    expect(await contents({ query: "walnut", until: "2026-01-15T00:00:00.000Z" })).toEqual(["walnut one"]);
    expect(await contents({ query: "walnut", limit: 2 })).toHaveLength(2);
  });

  it("uses keyword search alone if the embedder fails, and reports it", async () => {
    await keep("walnut bread");
    embedder.away = true;
    const [found] = await recall({ query: "walnut bread" });
    expect(found?.parts.map(({ name }) => name)).toEqual(["words", "activation", "importance"]);
    expect(found?.score).toBeGreaterThan(0.85);
    expect(warnings).toHaveLength(1);
  });

  it("skips a memory whose file is missing and fills its rank", async () => {
    const ids = [await keep("walnut bread"), await keep("walnut cake"), await keep("walnut tree")];
    records.delete(ids[0] ?? "");
    const found = await recall({ query: "walnut bread cake", limit: 2 });
    expect(found.map(({ memory: { content }, rank }) => [content, rank])).toEqual([
      ["walnut cake", 1],
      ["walnut tree", 2],
    ]);
  });

  it("stops when aborted", async () => {
    await keep("walnut bread");
    await expect(recall({ query: "walnut" }, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});

it("finds nothing that fits if a newer memory that does not fit supersedes the only one that does", async () => {
  const ids = [await keep("older"), await keep("newer")];
  const [older, newer] = ids.flatMap((id) => entries.get(id) ?? []);
  if (!older || !newer) throw new Error("an entry is missing");
  const options = { calibration: calibrationOf("built-in-test"), collection: 400, withFailures: false };
  const fitsOf = (newest: IndexedEntry): number =>
    fittingCandidates(
      {
        describe: () => [{ ...older, occasion: "reads a.md" }, newest],
        byWords: [
          { item: older.item, score: 20, coverage: 1, matched: [] },
          { item: newer.item, score: 4, coverage: 0.3, matched: [] },
        ],
        byMeaning: [],
      },
      options,
    ).candidates.length;
  const later = { ...newer, timestamp: "2026-05-02T00:00:00.000Z" };
  expect(fitsOf(later)).toBe(2);
  expect(fitsOf({ ...later, occasion: "reads a.md" })).toBe(0);
});
