import { describe, expect, it } from "vitest";
import { createRowTable } from "./resident-vectors.ts";

describe("a row table", () => {
  it("knows the row and the kind of each item after many are added, set again and removed", () => {
    const table = createRowTable();
    const expected = new Map<number, number>();
    for (let item = 0; item < 5_000; item += 1) {
      table.put(3 * item, item % 7);
      expected.set(3 * item, item % 7);
    }
    for (let item = 0; item < 5_000; item += 10) {
      table.put(3 * item, 9);
      expected.set(3 * item, 9);
    }
    for (let item = 0; item < 5_000; item += 4) {
      table.remove(3 * item);
      expected.delete(3 * item);
    }
    expect(table.size()).toBe(expected.size);
    for (const [item, kind] of expected) {
      const row = table.rowOf(item) ?? NaN;
      expect([table.items()[row], table.kinds()[row]]).toEqual([item, kind]);
      expect(row).toBeLessThan(table.size());
    }
  });

  it("fills the row of a removed item with the last one, and ignores unknown items", () => {
    const table = createRowTable();
    for (const item of [10, 20, 30]) table.put(item, 0);
    expect(table.remove(40)).toBeUndefined();
    expect(table.remove(10)).toEqual({ row: 0, last: 2 });
    expect(table.rowOf(30)).toBe(0);
    expect(table.rowOf(10)).toBeUndefined();
    expect(table.remove(20)).toEqual({ row: 1, last: 1 });
    expect(table.size()).toBe(1);
  });
});
