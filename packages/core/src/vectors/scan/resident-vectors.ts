import { fineSimilarity } from "../quantize.ts";
import type { Estimates, VectorRows } from "./vector-rows.ts";

/** The vectors of an embedder in memory. */
export interface ResidentVectors {
  /** Adds or replaces a vector. Returns false if there is not enough memory. */
  put(item: number, kind: string, fine: Int16Array): boolean;
  /**
   * Adds or replaces vectors of one kind by their coarse forms, which lie one after the other; places whose item is 0 are
   * empty. Their bits are computed by `encodeSome`, and no fine forms are kept. Returns false if there is not enough memory.
   */
  putCoarse(items: Uint32Array, kind: string, coarse: Int8Array): boolean;
  /** Computes the bits of some vectors that have none, if they are needed. Returns whether more have none. */
  encodeSome(): boolean;
  /** Ignores an unknown item. */
  remove(item: number): void;
  /** The items nearest to a vector by their coarse forms, nearest first. */
  nearest(vector: Float32Array, search: ResidentSearch): number[];
  /** The cosines of a vector and the fine forms of known items; undefined if there are too many to keep in memory. */
  similarities(vector: Float32Array, items: readonly number[]): Float64Array | undefined;
}

export interface ResidentSearch {
  /** The number of results. */
  k: number;
  /** The first `certain` results are those of a comparison with every vector, with hardly an exception; `k` by default. */
  certain?: number;
  kinds?: readonly string[] | undefined;
  items?: ReadonlySet<number> | undefined;
}

/** Up to this many vectors, comparing the bytes of all takes no longer than estimating and comparing the best. */
const MIN_ESTIMATED = 80_000;
/**
 * The vectors with the highest estimates that are compared first: at least this many, and this many for each certain
 * result.
 */
const MIN_COMPARED_FIRST = 400;
const COMPARED_FIRST = 8;
/** An item is compared unless its estimate is lower than the last certain result by this many standard deviations. */
const DEVIATIONS = 2.4;
/**
 * How far estimates and compared bytes deviate by rounding alone. Without it, copies of the query would be ruled out, as
 * nothing else deviates there.
 */
const ROUNDING = 0.004;
/**
 * The maximum number of fine forms in memory: 24 MB for the built-in embedder. Reading those of a search takes a third
 * of a ms.
 */
export const MAX_FINE = 20_000;
/** The number of vectors whose bits are computed at once: a tenth of a ms. */
const ENCODED_AT_ONCE = 32;
/** Given items are compared without estimates if they are at most this share of all. */
const FEW_ITEMS = 1 / 16;

/**
 * Compares all vectors by their bytes while they are few. A search of many has two steps: estimates of all vectors from
 * their signs, and a comparison of those that may be among the nearest by an estimate. The second step is as long as the vectors require: a query with many equally near ones compares more.
 */
export function createResidentVectors(
  rows: VectorRows,
  { minEstimated = MIN_ESTIMATED, maxFine = MAX_FINE }: { minEstimated?: number; maxFine?: number } = {},
): ResidentVectors {
  const table = createRowTable();
  const kindNumbers = createKindNumbers();
  let chosen = new Uint32Array(1_024);
  /** The first rows that have bits. */
  let encoded = 0;
  const fineForms = createFineForms(maxFine);

  /** The rows to compare; if there are many, in ascending order. */
  function candidates(vector: Float32Array, search: ResidentSearch): Uint32Array {
    const isInScope = scopeFilter(search, table, kindNumbers);
    const size = table.size();
    const { items: given, k, certain = k, kinds: wanted } = search;
    if (given && given.size <= size * FEW_ITEMS)
      return Uint32Array.from([...given].flatMap((item) => table.rowOf(item) ?? [])).filter(isInScope);
    let count = 0;
    const choose = (row: number): void => {
      if (!isInScope(row)) return;
      chosen[count] = row;
      count += 1;
    };
    if (size <= minEstimated || encoded < size) {
      if (!given) return rowsOfKinds(table, kindNumbers.flags(wanted), chosen);
      for (let row = 0; row < size; row += 1) choose(row);
    } else {
      const estimates = rows.estimate(vector, size);
      const least = leastEstimate(estimates, rows, { vector, isInScope, certain });
      estimates.forEach(() => least, choose);
    }
    return chosen.subarray(0, count);
  }

  /** Keeps the bits up to date with the bytes of a row. Two more rows get theirs, so that all have them in time. */
  function encode(changed: number): void {
    if (changed < encoded) rows.encode(changed);
    encodeFurther(2);
  }

  /** Computes the bits of at most `most` further rows. Returns whether more have none. */
  function encodeFurther(most: number): boolean {
    const size = table.size();
    if (size <= minEstimated / 2) return false;
    for (let added = 0; added < most && encoded < size; added += 1) {
      if (!rows.encode(encoded)) return false;
      encoded += 1;
    }
    return encoded < size;
  }

  return {
    put(item, kind, fine) {
      const row = table.rowOf(item) ?? table.size();
      if (!rows.reserve(row + 1)) return false;
      if (row >= chosen.length) chosen = new Uint32Array(2 * chosen.length);
      rows.put(row, fine);
      fineForms.put(row, fine);
      table.put(item, kindNumbers.of(kind));
      encode(row);
      return true;
    },
    putCoarse(items, kind, coarse) {
      if (!rows.reserve(table.size() + items.length)) return false;
      fineForms.drop();
      const dimensions = coarse.length / items.length;
      const kindNumber = kindNumbers.of(kind);
      for (let place = 0; place < items.length; place += 1) {
        const item = items[place] ?? 0;
        if (item === 0) continue;
        const row = table.put(item, kindNumber);
        rows.putCoarse(row, coarse.subarray(place * dimensions, (place + 1) * dimensions));
        if (row < encoded) rows.encode(row);
      }
      if (table.size() > chosen.length) chosen = new Uint32Array(2 * table.size());
      return true;
    },
    encodeSome: () => encodeFurther(ENCODED_AT_ONCE),
    remove(item) {
      const removed = table.remove(item);
      if (!removed) return;
      const { row, last } = removed;
      encoded = Math.min(encoded, last);
      if (row === last) return;
      rows.copy(last, row);
      fineForms.copy(last, row);
      encode(row);
    },
    nearest(vector, search) {
      const compared = candidates(vector, search);
      const cosines = rows.compare(vector, compared);
      const best = createBest(search.k);
      for (let index = 0; index < cosines.length; index += 1) {
        const cosine = cosines[index] ?? 0;
        if (cosine > best.threshold()) best.add(compared[index] ?? 0, cosine);
      }
      const items = table.items();
      return [...best.rows()].flatMap((row) => items[row] ?? []);
    },
    similarities: (vector, wanted) => fineForms.similarities(vector, wanted, table.rowOf),
  };
}

/** The estimate below which no vector is among the `certain` nearest, but for rare exceptions. */
function leastEstimate(
  estimates: Estimates,
  rows: Pick<VectorRows, "compare">,
  {
    vector,
    isInScope,
    certain,
  }: { vector: Float32Array; isInScope: (row: number) => boolean; certain: number },
): number {
  const best = createBest(Math.max(MIN_COMPARED_FIRST, COMPARED_FIRST * certain));
  estimates.forEach(
    () => best.threshold(),
    (row, estimate) => {
      if (isInScope(row)) best.add(row, estimate);
    },
  );
  const cosines = rows.compare(vector, best.rows());
  const last = cosines.toSorted().at(-certain);
  if (last === undefined) return -Infinity;
  const deviation = estimates.deviation * Math.sqrt(Math.max(0, 1 - last * last));
  return last - DEVIATIONS * Math.hypot(deviation, ROUNDING);
}

function scopeFilter(
  { kinds: wanted, items: given }: ResidentSearch,
  table: RowTable,
  kindNumbers: Pick<ReturnType<typeof createKindNumbers>, "flags">,
): (row: number) => boolean {
  const isWanted = wanted && kindNumbers.flags(wanted);
  const [items, kinds] = [table.items(), table.kinds()];
  return (row) =>
    (isWanted === undefined || isWanted[kinds[row] ?? 0] === 1) &&
    (given === undefined || given.has(items[row] ?? NaN));
}

/** A number for each kind. */
function createKindNumbers() {
  const numbers = new Map<string, number>();

  return {
    of(kind: string): number {
      const number = numbers.get(kind) ?? numbers.size;
      numbers.set(kind, number);
      return number;
    },
    /** By the number of each kind, 1 if it is wanted; all are by default. */
    flags(wanted: Iterable<string> = numbers.keys()): Uint8Array {
      const flags = new Uint8Array(numbers.size);
      for (const kind of wanted) {
        const number = numbers.get(kind);
        if (number !== undefined) flags[number] = 1;
      }
      return flags;
    },
  };
}

/** Writes the rows whose kinds have a flag into `chosen`: faster than a call for each row. */
function rowsOfKinds(table: RowTable, flags: Uint8Array, chosen: Uint32Array): Uint32Array {
  const [size, kinds] = [table.size(), table.kinds()];
  let count = 0;
  for (let row = 0; row < size; row += 1) {
    chosen[count] = row;
    count += flags[kinds[row] ?? 0] ?? 0;
  }
  return chosen.subarray(0, count);
}

/** The fine forms of the rows, until they are too many. */
function createFineForms(most: number) {
  let forms: Int16Array | undefined = new Int16Array();
  let dimensions = 0;

  return {
    put(row: number, fine: Int16Array): void {
      if (row >= most) forms = undefined;
      if (!forms) return;
      const end = (row + 1) * fine.length;
      if (end > forms.length) {
        const larger = new Int16Array(Math.min(most * fine.length, Math.max(end, 2 * forms.length)));
        larger.set(forms);
        forms = larger;
      }
      forms.set(fine, row * fine.length);
      dimensions = fine.length;
    },
    drop(): void {
      forms = undefined;
    },
    copy(from: number, to: number): void {
      forms?.copyWithin(to * dimensions, from * dimensions, (from + 1) * dimensions);
    },
    similarities(
      vector: Float32Array,
      items: readonly number[],
      rowOf: (item: number) => number | undefined,
    ): Float64Array | undefined {
      const known = forms;
      if (!known) return undefined;
      return Float64Array.from(items, (item) => {
        const first = (rowOf(item) ?? 0) * dimensions;
        return fineSimilarity(vector, known.subarray(first, first + dimensions));
      });
    },
  };
}

/** The value that `k - 1` others are not below. Moves the values; takes a third of the time of sorting them (quickselect, Hoare 1961). */
function kthLargest(values: Float32Array, k: number): number {
  const wanted = values.length - k;
  let [first, last] = [0, values.length - 1];
  while (first < last) {
    const pivot = values[(first + last) >>> 1] ?? 0;
    let [low, high] = [first, last];
    while (low <= high) {
      while ((values[low] ?? Infinity) < pivot) low += 1;
      while ((values[high] ?? -Infinity) > pivot) high -= 1;
      if (low > high) break;
      const value = values[low] ?? 0;
      values[low] = values[high] ?? 0;
      values[high] = value;
      low += 1;
      high -= 1;
    }
    if (wanted <= high) last = high;
    else if (wanted >= low) first = low;
    else break;
  }
  return values[wanted] ?? -Infinity;
}

/** Collects the rows with the `k` highest values. */
function createBest(k: number) {
  const rows = new Uint32Array(2 * k + 64);
  const values = new Float32Array(rows.length);
  let count = 0;
  let threshold = -Infinity;

  function truncate(): void {
    if (count <= k) return;
    threshold = kthLargest(values.slice(0, count), k);
    let equal = k;
    for (let index = 0; index < count; index += 1) if ((values[index] ?? 0) > threshold) equal -= 1;
    let next = 0;
    for (let index = 0; index < count; index += 1) {
      const value = values[index] ?? 0;
      if (value < threshold || (value === threshold && (equal -= 1) < 0)) continue;
      rows[next] = rows[index] ?? 0;
      values[next] = value;
      next += 1;
    }
    count = next;
  }

  return {
    /** The value to exceed once there are `k` rows. */
    threshold: () => threshold,
    add(row: number, value: number): void {
      rows[count] = row;
      values[count] = value;
      count += 1;
      if (count === rows.length) truncate();
    },
    /** The rows, the highest first. */
    rows(): Uint32Array {
      truncate();
      const places = Array.from({ length: count }, (_, index) => index);
      return Uint32Array.from(
        places.sort((one, other) => (values[other] ?? 0) - (values[one] ?? 0)),
        (place) => rows[place] ?? 0,
      );
    },
  };
}

/**
 * Items and their kinds by row, and the row of each item. Typed arrays, because a map and two lists of a million take about
 * 60 MB more.
 */
interface RowTable {
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
