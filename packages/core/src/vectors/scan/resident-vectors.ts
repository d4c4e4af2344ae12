import { coarsen } from "../quantize.ts";
import type { ByteRows } from "./byte-rows.ts";

/** The coarse forms of an embedder's vectors in memory. */
export interface ResidentVectors {
  /** Adds or replaces a vector. Returns false if there is not enough memory. */
  put(item: number, kind: string, fine: Int16Array): boolean;
  /** Ignores an unknown item. */
  remove(item: number): void;
  /** The `k` items nearest to a coarse form, nearest first, limited to the kinds or items in `scope`. */
  nearest(query: Int8Array, k: number, scope: ScanScope): number[];
}

export interface ScanScope {
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

  function scopeFilter({ kinds: wanted, items: chosen }: ScanScope): (row: number) => boolean {
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
      // The last row fills the gap.
      const [lastItem, lastKind] = [items.pop(), kinds.pop()];
      if (lastItem === undefined || lastKind === undefined || lastItem === item) return;
      rows.row(row).set(rows.row(items.length));
      items[row] = lastItem;
      kinds[row] = lastKind;
      rowOf.set(lastItem, row);
    },
    nearest(query, k, scope) {
      const isInScope = scopeFilter(scope);
      let best: { row: number; product: number }[] = [];
      /** The product to exceed once there are `k` results. */
      let threshold = -Infinity;
      const truncate = (): void => {
        best = best.sort((a, b) => b.product - a.product).slice(0, k);
        threshold = best.length === k ? (best.at(-1)?.product ?? threshold) : threshold;
      };
      let start = 0;
      for (const products of rows.products(query, items.length)) {
        for (let at = 0; at < products.length; at += 1) {
          const product = products[at] ?? 0;
          if (product <= threshold || !isInScope(start + at)) continue;
          best.push({ row: start + at, product });
          if (best.length >= 2 * k) truncate();
        }
        start += products.length;
      }
      truncate();
      return best.flatMap(({ row }) => items[row] ?? []);
    },
  };
}
