import { coarsen } from "../quantise.ts";
import type { ByteRows } from "./byte-rows.ts";

/** The coarse forms of an embedder's vectors, in memory. */
export interface ResidentVectors {
  /** Adds a vector or replaces it; false when there is no memory for it. */
  put(item: number, kind: string, fine: Int16Array): boolean;
  /** An item that is not there is passed over. */
  remove(item: number): void;
  /** The `k` items nearest to a coarse form, nearest first, among those of the kinds, or among the items, if given. */
  nearest(query: Int8Array, k: number, among: Among): number[];
}

export interface Among {
  kinds?: readonly string[] | undefined;
  items?: ReadonlySet<number> | undefined;
}

export function createResidentVectors(rows: ByteRows): ResidentVectors {
  const items: number[] = [];
  const kinds: number[] = [];
  const rowOf = new Map<number, number>();
  const kindNumbers = new Map<string, number>();

  function numberOf(kind: string): number {
    const number = kindNumbers.get(kind) ?? kindNumbers.size;
    kindNumbers.set(kind, number);
    return number;
  }

  function admission({ kinds: wanted, items: chosen }: Among): (row: number) => boolean {
    const numbers = wanted && new Set(wanted.map((kind) => kindNumbers.get(kind)));
    return (row) =>
      (numbers === undefined || numbers.has(kinds[row])) &&
      (chosen === undefined || chosen.has(items[row] ?? NaN));
  }

  return {
    put(item, kind, fine) {
      const row = rowOf.get(item) ?? items.length;
      if (!rows.reserve(row + 1)) return false;
      coarsen(fine, rows.row(row));
      items[row] = item;
      kinds[row] = numberOf(kind);
      rowOf.set(item, row);
      return true;
    },
    remove(item) {
      const row = rowOf.get(item);
      if (row === undefined) return;
      rowOf.delete(item);
      // The last row takes its place, so that there are no gaps.
      const [lastItem, lastKind] = [items.pop(), kinds.pop()];
      if (lastItem === undefined || lastKind === undefined || lastItem === item) return;
      rows.row(row).set(rows.row(items.length));
      items[row] = lastItem;
      kinds[row] = lastKind;
      rowOf.set(lastItem, row);
    },
    nearest(query, k, among) {
      const admits = admission(among);
      let best: { row: number; product: number }[] = [];
      /** What a product has to surpass, known when there are `k` better ones. */
      let floor = -Infinity;
      const cut = (): void => {
        best = best.sort((a, b) => b.product - a.product).slice(0, k);
        floor = best.length === k ? (best.at(-1)?.product ?? floor) : floor;
      };
      let start = 0;
      for (const products of rows.products(query, items.length)) {
        for (let at = 0; at < products.length; at += 1) {
          const product = products[at] ?? 0;
          if (product <= floor || !admits(start + at)) continue;
          best.push({ row: start + at, product });
          if (best.length >= 2 * k) cut();
        }
        start += products.length;
      }
      cut();
      return best.flatMap(({ row }) => items[row] ?? []);
    },
  };
}
