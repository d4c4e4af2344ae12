/**
 * Items and their kinds by row, and the row of each item. Typed arrays, because a map and two lists of a million take about
 * 60 MB more.
 */
export interface RowTable {
  /** The number of rows. */
  size(): number;
  /** The items by row, with space after the last. Valid until the next `put`. */
  items(): Uint32Array;
  /** The numbers of their kinds, likewise. */
  kinds(): Uint16Array;
  rowOf(item: number): number | undefined;
  /** Adds an item as the last row, or sets its kind. Returns its row. */
  put(item: number, kind: number): number;
  /** Removes an item. The last row takes the place of its row. Returns undefined for an unknown item. */
  remove(item: number): { row: number; last: number } | undefined;
}

const FIRST_CAPACITY = 1_024;

export function createRowTable(): RowTable {
  let size = 0;
  let items = new Uint32Array(FIRST_CAPACITY);
  let kinds = new Uint16Array(FIRST_CAPACITY);
  /** By item, its row and 1; 0 for an unknown item. */
  let places = new Uint32Array(FIRST_CAPACITY);

  const rowOf = (item: number): number | undefined => {
    const place = places[item] ?? 0;
    return place === 0 ? undefined : place - 1;
  };

  function setRow(row: number, item: number, kind: number): void {
    items[row] = item;
    kinds[row] = kind;
    places[item] = row + 1;
  }

  return {
    size: () => size,
    items: () => items,
    kinds: () => kinds,
    rowOf,
    put(item, kind) {
      const row = rowOf(item) ?? size;
      if (row >= items.length) {
        items = enlarged(items, new Uint32Array(capacityFor(row)));
        kinds = enlarged(kinds, new Uint16Array(items.length));
      }
      if (item >= places.length) places = enlarged(places, new Uint32Array(capacityFor(item)));
      setRow(row, item, kind);
      size = Math.max(size, row + 1);
      return row;
    },
    remove(item) {
      const row = rowOf(item);
      if (row === undefined) return undefined;
      places[item] = 0;
      size -= 1;
      if (row < size) setRow(row, items[size] ?? 0, kinds[size] ?? 0);
      return { row, last: size };
    },
  };
}

function capacityFor(index: number): number {
  return Math.ceil(1.5 * (index + 1));
}

function enlarged<Numbers extends Uint16Array | Uint32Array>(small: Numbers, large: Numbers): Numbers {
  large.set(small);
  return large;
}
