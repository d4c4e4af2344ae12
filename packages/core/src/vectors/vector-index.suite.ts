import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InvalidArgsError } from "../errors/request-errors.ts";
import type { VectorEntry, VectorIndex } from "./vector-index.ts";
import { dot, normalizeVector } from "./vector-math.ts";

export interface OpenedVectorIndex {
  index: VectorIndex;
  close: () => Promise<void>;
}

/** The contract of every `VectorIndex`. `open` returns an empty one with the given dimensions. */
export function describeVectorIndex(
  name: string,
  open: (dimensions: number) => Promise<OpenedVectorIndex>,
): void {
  describe(`vector index: ${name}`, () => {
    const dimensions = 64;
    let opened: OpenedVectorIndex;
    beforeEach(async () => {
      opened = await open(dimensions);
    });
    afterEach(() => opened.close());

    it("finds nothing if it is empty", async () => {
      expect(await opened.index.nearest(randomVector(1, dimensions), { limit: 5 })).toEqual([]);
      expect(await opened.index.count()).toBe(0);
    });

    it("finds an entry by its own vector first, with the cosine as similarity", async () => {
      const entries = randomEntries(50, dimensions);
      await opened.index.put(entries);
      const [first, second] = await opened.index.nearest(entryAt(entries, 7).vector, { limit: 2 });
      expect(first?.id).toBe(entryAt(entries, 7).id);
      expect(first?.similarity).toBeCloseTo(1, 2);
      const other = entries.find(({ id }) => id === second?.id);
      expect(second?.similarity).toBeCloseTo(other ? dot(other.vector, entryAt(entries, 7).vector) : NaN, 1);
    });

    it("agrees with an exact comparison on at least 99 of 100 nearest entries", async () => {
      const entries = randomEntries(2_000, dimensions);
      await opened.index.put(entries);
      let agreed = 0;
      for (let query = 0; query < 20; query += 1) {
        const vector = randomVector(10_000 + query, dimensions);
        const exact = nearestExactly(entries, vector, 10);
        const found = await opened.index.nearest(vector, { limit: 10 });
        agreed += found.filter(({ id }) => exact.includes(id)).length;
      }
      expect(agreed).toBeGreaterThanOrEqual(198);
    });

    it("orders by similarity and respects the limit", async () => {
      await opened.index.put(randomEntries(100, dimensions));
      const found = await opened.index.nearest(randomVector(5, dimensions), { limit: 30 });
      expect(found).toHaveLength(30);
      expect(found.map(({ similarity }) => similarity)).toEqual(
        found.map(({ similarity }) => similarity).sort((a, b) => b - a),
      );
    });

    it("replaces the vector of a known id", async () => {
      const [first, second] = [randomVector(1, dimensions), randomVector(2, dimensions)];
      await opened.index.put([{ id: "one", facts: facts(0), vector: first }]);
      await opened.index.put([{ id: "one", facts: facts(0), vector: second }]);
      expect(await opened.index.count()).toBe(1);
      expect((await opened.index.nearest(second, { limit: 1 }))[0]?.similarity).toBeCloseTo(1, 2);
    });

    it("removes entries and ignores unknown ids", async () => {
      const entries = randomEntries(10, dimensions);
      await opened.index.put(entries);
      await opened.index.remove([entryAt(entries, 3).id, "nobody"]);
      const found = await opened.index.nearest(entryAt(entries, 3).vector, { limit: 10 });
      expect(found.map(({ id }) => id)).not.toContain(entryAt(entries, 3).id);
      expect(await opened.index.count()).toBe(9);
    });

    it("filters by kinds, times and tags", async () => {
      const entries = randomEntries(300, dimensions);
      await opened.index.put(entries);
      const vector = randomVector(77, dimensions);
      const ids = async (filter: Parameters<VectorIndex["nearest"]>[1]["filter"] & object) =>
        (await opened.index.nearest(vector, { limit: 300, filter })).map(({ id }) => id).sort();
      const expected = (keep: (entry: VectorEntry) => boolean) =>
        entries
          .filter(keep)
          .map(({ id }) => id)
          .sort();

      expect(await ids({ kinds: ["fish", "bird"] })).toEqual(
        expected(({ facts: { kind } }) => kind !== "plant"),
      );
      expect(await ids({ kinds: [] })).toEqual([]);
      expect(await ids({ since: timeOf(100), until: timeOf(110) })).toEqual(
        expected(({ facts: { timestamp } }) => timestamp >= timeOf(100) && timestamp <= timeOf(110)),
      );
      expect(await ids({ tags: ["even", "small"], kinds: ["bird"] })).toEqual(
        expected(
          ({ facts: { kind, tags } }) => kind === "bird" && tags.includes("even") && tags.includes("small"),
        ),
      );
    });

    it("rejects a vector of another dimension and stays unchanged", async () => {
      await opened.index.put(randomEntries(3, dimensions));
      const wrong = { id: "wrong", facts: facts(0), vector: randomVector(1, dimensions + 1) };
      const right = { id: "right", facts: facts(0), vector: randomVector(1, dimensions) };
      await expect(opened.index.put([right, wrong])).rejects.toBeInstanceOf(InvalidArgsError);
      await expect(opened.index.nearest(wrong.vector, { limit: 1 })).rejects.toBeInstanceOf(InvalidArgsError);
      expect(await opened.index.count()).toBe(3);
    });
  });
}

/** A deterministic pseudo-random vector (mulberry32). */
function randomVector(seed: number, dimensions: number): Float32Array {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  const vector = new Float32Array(dimensions);
  for (let index = 0; index < dimensions; index += 1) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    vector[index] = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 - 0.5;
  }
  return normalizeVector(vector);
}

function timeOf(number: number): string {
  return new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
}

function facts(number: number): VectorEntry["facts"] {
  const tags = [number % 2 === 0 ? "even" : "odd", ...(number < 150 ? ["small"] : [])];
  return { kind: ["fish", "bird", "plant"][number % 3] ?? "", timestamp: timeOf(number), tags };
}

function randomEntries(count: number, dimensions: number): VectorEntry[] {
  return Array.from({ length: count }, (_, number) => ({
    id: `entry-${number}`,
    facts: facts(number),
    vector: randomVector(100 + number, dimensions),
  }));
}

function entryAt(entries: readonly VectorEntry[], index: number): VectorEntry {
  const entry = entries[index];
  if (!entry) throw new RangeError(`there is no entry ${index}`);
  return entry;
}

function nearestExactly(entries: readonly VectorEntry[], vector: Float32Array, limit: number): string[] {
  return entries
    .map((entry) => ({ id: entry.id, similarity: dot(entry.vector, vector) }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, limit)
    .map(({ id }) => id);
}
