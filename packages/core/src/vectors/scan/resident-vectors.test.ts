import { describe, expect, it } from "vitest";
import { fineSimilarity, toCoarse, toFine } from "../quantize.ts";
import { dot, normalizeVector } from "../vector-math.ts";
import { createResidentVectors } from "./resident-vectors.ts";
import { openVectorRows } from "./vector-rows.ts";

const DIMENSIONS = 100;
const COUNT = 6_000;

/** Random directions; half of the numbers of every third vector are 0. */
function vectorOf(seed: number): Float32Array {
  let state = Math.imul(seed, 0x9e3779b1);
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 - 0.5;
  };
  const isSparse = seed % 3 === 0;
  return normalizeVector(
    Float32Array.from({ length: DIMENSIONS }, () => (isSparse && random() < 0 ? 0 : random())),
  );
}

function open(minEstimated: number, options: { isPacked?: boolean } = {}) {
  const rows = openVectorRows(DIMENSIONS, options);
  if (!rows) throw new Error("this machine has no SIMD");
  let encodings = 0;
  let estimates = 0;
  const counting: typeof rows = {
    ...rows,
    encode: (row) => {
      encodings += 1;
      return rows.encode(row);
    },
    estimate: (vector, count) => {
      estimates += 1;
      return rows.estimate(vector, count);
    },
  };
  const vectors = createResidentVectors(counting, { minEstimated });
  return { vectors, encodings: () => encodings, estimates: () => estimates };
}

function exactly(items: readonly number[], query: Float32Array, limit: number): number[] {
  return items
    .map((item) => ({ item, similarity: dot(vectorOf(item), query) }))
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, limit)
    .map(({ item }) => item);
}

describe("exact similarities", () => {
  const openFew = (maxFine: number) => {
    const rows = openVectorRows(DIMENSIONS);
    if (!rows) throw new Error("this machine has no SIMD");
    return createResidentVectors(rows, { maxFine });
  };
  const query = vectorOf(100_000);
  const similarityTo = (seed: number): number => fineSimilarity(query, toFine(vectorOf(seed)));

  it("are those of the current vectors after replacements and removals", () => {
    const vectors = openFew(100);
    for (let item = 0; item < 100; item += 1) vectors.put(item, "first", toFine(vectorOf(item)));
    vectors.put(7, "second", toFine(vectorOf(1_007)));
    for (const item of [3, 50, 99]) vectors.remove(item);
    vectors.put(200, "first", toFine(vectorOf(200)));
    expect([...(vectors.similarities(query, [7, 98, 97, 0, 200]) ?? [])]).toEqual(
      [1_007, 98, 97, 0, 200].map(similarityTo),
    );
  });

  it("are unknown if there are more vectors than fit in this form", () => {
    const vectors = openFew(10);
    for (let item = 0; item < 10; item += 1) vectors.put(item, "first", toFine(vectorOf(item)));
    expect(vectors.similarities(query, [9])).toEqual(Float64Array.of(similarityTo(9)));
    vectors.put(10, "first", toFine(vectorOf(10)));
    expect(vectors.similarities(query, [9])).toBeUndefined();
  });
});

describe("vectors compared by their signs", () => {
  const kindOf = (item: number): string => (item % 5 === 0 ? "fifth" : "other");

  it.each([
    ["bytes", false],
    ["half bytes", true],
  ])(
    "then by %s return the same as an exact comparison, after replacements and removals, with and without a filter",
    (_, isPacked) => {
      const { vectors, estimates } = open(2_000, { isPacked });
      for (let item = 0; item < COUNT; item += 1) vectors.put(item, "first", toFine(vectorOf(COUNT - item)));
      for (let item = 0; item < COUNT; item += 1) vectors.put(item, kindOf(item), toFine(vectorOf(item)));
      for (let item = 0; item < COUNT; item += 7) vectors.remove(item);
      const left = Array.from({ length: COUNT }, (_, item) => item).filter((item) => item % 7 !== 0);
      const half = new Set(left.slice(0, left.length / 2));
      let found = 0;
      let wanted = 0;
      for (let query = 0; query < 20; query += 1) {
        const vector = vectorOf(100_000 + query);
        for (const [scope, items] of [
          [{}, left],
          [{ kinds: ["fifth", "unknown"] }, left.filter((item) => kindOf(item) === "fifth")],
          [{ items: half }, [...half]],
          [{ items: new Set(left.slice(0, 50)) }, left.slice(0, 50)],
        ] as const) {
          const exact = exactly(items, vector, 10);
          const nearest = vectors.nearest(vector, { k: 40, certain: 10, ...scope });
          expect(nearest).toHaveLength(40);
          wanted += exact.length;
          found += exact.filter((item) => nearest.includes(item)).length;
        }
      }
      expect(estimates()).toBe(60);
      expect(found / wanted).toBeGreaterThanOrEqual(0.99);
    },
  );

  it("are found among more than one call of the kernel sums up", () => {
    const { vectors } = open(2_000);
    const count = 40_000;
    for (let item = 0; item < count; item += 1) vectors.put(item, "one", toFine(vectorOf(item)));
    const all = Array.from({ length: count }, (_, item) => item);
    for (const seed of [100_001, 100_002, 100_003]) {
      const query = vectorOf(seed);
      const nearest = vectors.nearest(query, { k: 40, certain: 10 });
      expect(exactly(all, query, 10).filter((item) => nearest.includes(item)).length).toBeGreaterThanOrEqual(
        9,
      );
    }
  });

  it.each([
    ["bytes", false],
    ["half bytes", true],
  ])("then by %s are found by their own copies, whichever of their numbers were rounded", (_, isPacked) => {
    const { vectors } = open(2_000, { isPacked });
    for (let item = 0; item < COUNT; item += 1) vectors.put(item, "one", toFine(vectorOf(item)));
    for (let item = 0; item < COUNT; item += 50)
      expect(vectors.nearest(vectorOf(item), { k: 1 })).toEqual([item]);
  });

  it("compute sign bits from half of the limit on, and search by them above it", () => {
    const { vectors, encodings, estimates } = open(2_000);
    const put = (from: number, to: number): void => {
      for (let item = from; item < to; item += 1) vectors.put(item, "one", toFine(vectorOf(item)));
    };
    put(0, 1_000);
    expect(encodings()).toBe(0);
    put(1_000, 2_000);
    expect(encodings()).toBe(2_000);
    vectors.nearest(vectorOf(1), { k: 1 });
    expect(estimates()).toBe(0);
    put(2_000, 2_001);
    expect(vectors.nearest(vectorOf(1), { k: 1 })).toEqual([1]);
    expect(estimates()).toBe(1);
  });

  it("are found by bits that are computed after all bytes have come at once", () => {
    const { vectors, encodings, estimates } = open(2_000);
    const coarse = new Int8Array(COUNT * DIMENSIONS);
    const items = Uint32Array.from({ length: COUNT }, (_, item) => (item % 50 === 0 ? 0 : item));
    for (const item of items) coarse.set(toCoarse(vectorOf(item)), item * DIMENSIONS);
    expect(vectors.putCoarse(items, "one", coarse)).toBe(true);
    const query = vectorOf(100_000);
    const left = [...items].filter((item) => item > 0);
    const exact = exactly(left, query, 10);
    const foundOf = (): number => {
      const nearest = vectors.nearest(query, { k: 40, certain: 10 });
      return exact.filter((item) => nearest.includes(item)).length;
    };
    expect([foundOf(), estimates(), encodings()]).toEqual([10, 0, 0]);
    while (vectors.encodeSome());
    expect(encodings()).toBe(left.length);
    expect([foundOf() >= 9, estimates()]).toEqual([true, 1]);
    // A row that comes again, and one that is new.
    vectors.putCoarse(
      Uint32Array.of(left[0] ?? 0, 7_000),
      "one",
      new Int8Array([...toCoarse(query), ...toCoarse(vectorOf(7_000))]),
    );
    vectors.encodeSome();
    expect(vectors.nearest(query, { k: 1 })).toEqual([left[0]]);
    expect(vectors.nearest(vectorOf(7_000), { k: 1 })).toEqual([7_000]);
    expect(vectors.similarities(query, [left[0] ?? 0])).toBeUndefined();
  });

  it("are all returned if as many are requested", () => {
    const { vectors } = open(100);
    for (let item = 0; item < 500; item += 1) vectors.put(item, "one", toFine(vectorOf(item)));
    expect(new Set(vectors.nearest(vectorOf(1), { k: 500 })).size).toBe(500);
    expect(vectors.nearest(vectorOf(1), { k: 900 })).toHaveLength(500);
  });
});
