import { describe, expect, it } from "vitest";
import { toCoarse, toFine } from "../quantize.ts";
import { dot, normalizeVector } from "../vector-math.ts";
import { openVectorRows, type VectorRows, type VectorRowsOptions } from "./vector-rows.ts";

const DIMENSIONS = 300;
const COUNT = 500;

/** A fifth of the numbers of every third vector are not 0. */
function vectorOf(seed: number): Float32Array {
  const numbers = Float32Array.from({ length: DIMENSIONS }, (_, at) =>
    seed % 3 === 0 && (at + seed) % 5 > 0 ? 0 : Math.sin((seed + 1) * (at + 3) * 1.7),
  );
  return normalizeVector(numbers);
}

function open(options: VectorRowsOptions, dimensions = DIMENSIONS): VectorRows {
  const rows = openVectorRows(dimensions, options);
  if (!rows) throw new Error("this machine has no SIMD");
  return rows;
}

const everyRow = Uint32Array.from({ length: COUNT }, (_, row) => row);

/** The root of the mean square by which compared cosines deviate from those of the vectors. */
function deviationOf(options: VectorRowsOptions): number {
  const rows = open(options);
  rows.reserve(COUNT);
  const vectors = Array.from(everyRow, vectorOf);
  for (const [row, vector] of vectors.entries()) rows.put(row, toFine(vector));
  let squares = 0;
  for (const query of vectors.slice(0, 10)) {
    const cosines = rows.compare(query, everyRow);
    for (const [row, vector] of vectors.entries())
      squares += ((cosines[row] ?? NaN) - dot(query, vector)) ** 2;
  }
  return Math.sqrt(squares / (10 * COUNT));
}

describe("compared rows", () => {
  it("deviate by little in bytes, and by a tenth of the root of their numbers in half bytes", () => {
    expect(deviationOf({})).toBeLessThan(0.002);
    expect(deviationOf({ isPacked: true })).toBeLessThan(0.13 / Math.sqrt(DIMENSIONS));
  });

  it("in half bytes are the same after they are copied, with their signs", () => {
    const rows = open({ isPacked: true });
    rows.reserve(50);
    rows.putCoarse(3, toCoarse(vectorOf(1)));
    rows.putCoarse(40, toCoarse(vectorOf(2)));
    rows.copy(3, 40);
    rows.putCoarse(4, toCoarse(vectorOf(2)));
    const query = vectorOf(7);
    const estimates = new Map<number, number>();
    rows.estimate(query, 50).forEach(
      () => -Infinity,
      (row, estimate) => estimates.set(row, estimate),
    );
    const [source, copy, other] = rows.compare(query, Uint32Array.of(3, 40, 4));
    expect([copy, estimates.get(40)]).toEqual([source, estimates.get(3)]);
    expect([other === source, estimates.get(4) === estimates.get(3)]).toEqual([false, false]);
  });

  it("have the cosine 0 in half bytes if all numbers are 0", () => {
    const rows = open({ isPacked: true });
    rows.reserve(1);
    rows.put(0, new Int16Array(DIMENSIONS));
    expect(rows.compare(vectorOf(1), Uint32Array.of(0))[0]).toBeCloseTo(0, 9);
  });

  it("fit into memory in half bytes where they do not in bytes", () => {
    const many = 1_200_000;
    expect(open({}, 1_024).reserve(many)).toBe(false);
    expect(open({ isPacked: true }, 1_024).reserve(many)).toBe(true);
  });
});
