import { readFileSync } from "node:fs";
import { COARSE_SCALE, coarsen } from "../quantize.ts";
import { type Kernel, MAX_BYTES, openKernel } from "./kernel.ts";
import { openByteRows, openPackedRows, roundUp } from "./row-forms.ts";

/**
 * Vectors in WebAssembly memory, by row, in two forms: a bit per number for estimates, and a byte or half a byte per number for
 * the comparison of those that the estimates leave.
 */
export interface VectorRows {
  /** Reserves memory to compare `rows` rows in total. Returns false if there is not enough. */
  reserve(rows: number): boolean;
  /** Sets a reserved row from its fine or coarse form. */
  put(row: number, fine: Int16Array): void;
  putCoarse(row: number, coarse: Int8Array): void;
  /** Copies a row over another one, whose bits have to be set again. */
  copy(from: number, to: number): void;
  /** Sets the bits of a row unless `put` did. Returns false if there is not enough memory. */
  encode(row: number): boolean;
  /** Estimates the cosines of the first `count` rows, which have bits. Valid until the next call. */
  estimate(vector: Float32Array, count: number): Estimates;
  /** The cosines of some rows, in their order. Valid until the next call. */
  compare(vector: Float32Array, rows: Uint32Array): Float32Array;
}

/**
 * Estimated cosines. An estimate deviates by about `deviation` × √(1 − cosine²), as a normal distribution (RaBitQ, Gao &
 * Long 2024).
 */
export interface Estimates {
  deviation: number;
  /** Calls back for the rows whose estimate is at least `least()`, which may rise meanwhile. */
  forEach(least: () => number, found: (row: number, estimate: number) => void): void;
}

/** The SIMD width in bytes. */
const SIMD_BYTES = 16;
/** What the kernels read side by side (`tools/wasm/scan-source.ts`). */
const SIGN_STREAMS = 8;
const GROUPS_AT_ONCE = 4;
/** Numbers whose signs share a half byte, and their combinations. */
const GROUP = 4;
const COMBINATIONS = 16;
/** Rows of a block of signs, and rows of one call of the kernel. */
const BLOCK = 32;
const SUMMED_AT_ONCE = 16_384;
/** The largest value of a table: the values of four groups fit into a byte, and all of them into 16 bits. */
const MAX_VALUE = 63;
const MAX_SUM = 2 ** 16 - 1;
/** √(1 − f²) / f for f = √(2/π), the mean cosine between a rotated vector and its signs. */
const SIGN_DEVIATION = Math.sqrt(Math.PI / 2 - 1);

const compiled = readFileSync(new URL("./scan.wasm", import.meta.url));

export interface VectorRowsOptions {
  /** Whether numbers are compared in half a byte each, which takes half the memory and deviates more; false by default. */
  isPacked?: boolean;
  code?: Uint8Array<ArrayBuffer>;
}

/** Returns undefined if WebAssembly lacks SIMD or memory, or for vectors of fewer than four numbers. */
export function openVectorRows(
  dimensions: number,
  { isPacked = false, code = compiled }: VectorRowsOptions = {},
): VectorRows | undefined {
  if (dimensions < GROUP || !WebAssembly.validate(code)) return undefined;
  const module = new WebAssembly.Module(code);
  return isPacked ? openPacked(dimensions, module) : openBytes(dimensions, module);
}

function openBytes(dimensions: number, module: WebAssembly.Module): VectorRows | undefined {
  const signs = openSigns(dimensions, module);
  const bytes = openByteRows(dimensions, module);
  if (!signs || !bytes) return undefined;
  return {
    reserve: (rows) => bytes.bytesFor(rows) + signs.usedBytes() <= MAX_BYTES && bytes.reserve(rows),
    put: (row, fine) => coarsen(fine, bytes.row(row)),
    putCoarse: (row, coarse) => bytes.row(row).set(coarse),
    copy: (from, to) => bytes.row(to).set(bytes.row(from)),
    encode(row) {
      if (signs.bytesFor(row + 1) + bytes.usedBytes() > MAX_BYTES || !signs.reserve(row + 1)) return false;
      signs.put(row, signs.rotate(bytes.row(row)));
      return true;
    },
    estimate: (vector, count) => signs.estimate(vector, count),
    compare: (vector, rows) => bytes.compare(vector, rows),
  };
}

/** Both forms are set at once, from the same rotated vector. */
function openPacked(dimensions: number, module: WebAssembly.Module): VectorRows | undefined {
  const signs = openSigns(dimensions, module);
  const packed = signs && openPackedRows(dimensions, module);
  if (!signs || !packed) return undefined;
  const coarse = new Int8Array(dimensions);
  const putCoarse = (row: number, numbers: Int8Array): void => {
    const rotated = signs.rotate(numbers);
    packed.put(row, rotated);
    signs.put(row, rotated);
  };
  return {
    reserve: (rows) =>
      packed.bytesFor(rows) + signs.bytesFor(rows) <= MAX_BYTES &&
      packed.reserve(rows) &&
      signs.reserve(rows),
    put(row, fine) {
      coarsen(fine, coarse);
      putCoarse(row, coarse);
    },
    putCoarse,
    copy(from, to) {
      packed.copy(from, to);
      signs.copy(from, to);
    },
    encode: () => true,
    estimate: (vector, count) => signs.estimate(vector, count),
    compare: (vector, rows) => packed.compare(signs.rotate(vector), rows),
  };
}

/** The signs of rotated vectors, and the sum of their numbers without signs, which scales the estimates. */
function openSigns(dimensions: number, module: WebAssembly.Module) {
  const groups = roundUp(Math.ceil(dimensions / GROUP), GROUPS_AT_ONCE);
  const blockBytes = bytesOfBlock(groups);
  const codesAt = groups * COMBINATIONS;
  const rotation = placeRotation(dimensions, { at: codesAt + groups, numbers: groups * GROUP });
  const sumsAt = rotation.end;
  const listAt = sumsAt + SUMMED_AT_ONCE * Uint16Array.BYTES_PER_ELEMENT;
  // Its number of places, then the places, up to the next multiple of the width.
  const first = listAt + SIMD_BYTES + SUMMED_AT_ONCE * Uint32Array.BYTES_PER_ELEMENT;
  const kernel = openKernel(module, first);
  if (!kernel) return undefined;
  const { memory, functions, reserve } = kernel;
  rotation.setFactors(memory);
  const { setCodes, codesOf } = placeCodes(memory, { first, groups });
  /** By row, 1 / Σ|number|; 0 for a vector of zeros. */
  let inverses = new Float32Array(BLOCK);
  let sums = new Uint16Array(BLOCK);
  /** The least Σ|number| of a row so far. */
  let least = Infinity;
  const bytesFor = (rows: number): number =>
    // Whole calls, because the kernel reads blocks beyond the last.
    first + (Math.ceil(rows / SUMMED_AT_ONCE) * SUMMED_AT_ONCE * blockBytes) / BLOCK;

  /** Fills the tables of a query. Returns how a sum becomes Σ sign × number: (sum / scale) + offset. */
  function setTables(rotated: Float32Array): { scale: number; offset: number } {
    const heights = Float64Array.from({ length: groups }, (_, group) =>
      rotated.subarray(group * GROUP, (group + 1) * GROUP).reduce((sum, number) => sum + Math.abs(number), 0),
    );
    const maxValue = Math.min(MAX_VALUE, Math.floor(MAX_SUM / groups));
    const scale = maxValue / (2 * Math.max(...heights) || 1);
    const tables = new Uint8Array(memory.buffer, 0, codesAt);
    for (let group = 0; group < groups; group += 1)
      for (let code = 0; code < COMBINATIONS; code += 1) {
        let value = heights[group] ?? 0;
        for (let bit = 0; bit < GROUP; bit += 1)
          value += (rotated[group * GROUP + bit] ?? 0) * ((code >> bit) & 1 ? 1 : -1);
        tables[group * COMBINATIONS + code] = Math.round(value * scale);
      }
    return { scale, offset: -heights.reduce((sum, height) => sum + height, 0) };
  }

  return {
    bytesFor,
    usedBytes: () => memory.buffer.byteLength,
    /** Valid until the next call. */
    rotate: (vector: Float32Array | Int8Array): Float32Array => rotation.apply(kernel, vector),
    reserve(rows: number): boolean {
      if (!reserve(bytesFor(rows))) return false;
      if (rows > inverses.length) {
        const capacity = roundUp(Math.max(rows, Math.ceil(1.5 * inverses.length)), BLOCK);
        const before = inverses;
        inverses = new Float32Array(capacity);
        inverses.set(before);
        sums = new Uint16Array(capacity);
      }
      return true;
    },
    /** Sets the signs of a row from a coarse form that was just rotated, and overwrites that. */
    put(row: number, rotated: Float32Array): void {
      functions.encode(rotated.byteOffset, rotated.byteOffset + rotated.byteLength, codesAt);
      const sum = (rotated[0] ?? 0) / COARSE_SCALE;
      if (sum > 0) least = Math.min(least, sum);
      inverses[row] = sum > 0 ? 1 / sum : 0;
      setCodes(row, new Uint8Array(memory.buffer, codesAt, groups));
    },
    copy(from: number, to: number): void {
      inverses[to] = inverses[from] ?? 0;
      setCodes(to, codesOf(from));
    },
    estimate(vector: Float32Array, count: number): Estimates {
      const { scale, offset } = setTables(rotation.apply(kernel, vector));
      for (let start = 0; start < count; start += SUMMED_AT_ONCE) {
        const rows = Math.min(SUMMED_AT_ONCE, count - start);
        const share = Math.ceil(rows / BLOCK / SIGN_STREAMS);
        functions.sumSigns(0, groups, first + (start / BLOCK) * blockBytes, share, sumsAt);
        sums.set(new Uint16Array(memory.buffer, sumsAt, rows), start);
      }
      /** No row with a smaller sum has an estimate of at least `cosine`. */
      const leastSum = (cosine: number): number =>
        cosine > 0 ? Math.ceil((cosine * least - offset) * scale) : 0;
      /** The places of the sums of a call that are at least `limit`, in ascending order. Valid until the next call. */
      function select(start: number, rows: number, limit: number): Uint32Array {
        if (limit > MAX_SUM) return new Uint32Array();
        new Uint16Array(memory.buffer, sumsAt, rows).set(sums.subarray(start, start + rows));
        const end = sumsAt + roundUp(rows * Uint16Array.BYTES_PER_ELEMENT, SIMD_BYTES);
        functions.select(sumsAt, end, limit, listAt);
        const [found = 0] = new Uint32Array(memory.buffer, listAt, 1);
        return new Uint32Array(memory.buffer, listAt + Uint32Array.BYTES_PER_ELEMENT, found);
      }
      return {
        deviation: SIGN_DEVIATION / Math.sqrt(dimensions),
        forEach(leastEstimate, found) {
          let limit = leastEstimate();
          for (let start = 0; start < count; start += SUMMED_AT_ONCE) {
            const rows = Math.min(SUMMED_AT_ONCE, count - start);
            const places = select(start, rows, leastSum(limit));
            for (let index = 0; index < places.length; index += 1) {
              const place = places[index] ?? 0;
              // The last eight may include some that are not rows.
              if (place >= rows) break;
              const row = start + place;
              const estimate = ((sums[row] ?? 0) / scale + offset) * (inverses[row] ?? 0);
              if (estimate < limit) continue;
              found(row, estimate);
              limit = leastEstimate();
            }
          }
        },
      };
    },
  };
}

function bytesOfBlock(groups: number): number {
  return groups * SIMD_BYTES;
}

/** The half bytes of each row with the signs of its groups, in blocks from the address `first` on. */
function placeCodes(memory: WebAssembly.Memory, { first, groups }: { first: number; groups: number }) {
  /** The block of a row, and where in it the half byte of its first group is. */
  function placeOf(row: number): { block: Uint8Array; place: number; shift: number } {
    const place = row % BLOCK;
    const bytes = bytesOfBlock(groups);
    return {
      block: new Uint8Array(memory.buffer, first + Math.floor(row / BLOCK) * bytes, bytes),
      place: place % SIMD_BYTES,
      shift: place < SIMD_BYTES ? 0 : GROUP,
    };
  }

  return {
    /** Sets the half byte of each group of a row. */
    setCodes(row: number, codes: Uint8Array): void {
      const { block, place, shift } = placeOf(row);
      for (let group = 0; group < groups; group += 1) {
        const at = group * SIMD_BYTES + place;
        block[at] = ((block[at] ?? 0) & (0xf0 >> shift)) | ((codes[group] ?? 0) << shift);
      }
    },
    codesOf(row: number): Uint8Array {
      const { block, place, shift } = placeOf(row);
      return Uint8Array.from(
        { length: groups },
        (_, group) => ((block[group * SIMD_BYTES + place] ?? 0) >> shift) & (COMBINATIONS - 1),
      );
    },
  };
}

/** One for the first numbers and one for the last. */
const PASSES = 2;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

/**
 * A fixed rotation that distributes a vector over all its numbers, so that the signs of the result represent the
 * direction of any vector equally well. Keeps angles and lengths. Flips signs by a fixed pattern and applies the fast
 * Walsh–Hadamard transform to the first and to the last numbers, as many as a power of two. Works in the memory of a
 * kernel, from the address `at` to `end`, on `numbers` numbers, of which those beyond `dimensions` are 0.
 */
function placeRotation(dimensions: number, { at, numbers }: { at: number; numbers: number }) {
  const size = 2 ** Math.floor(Math.log2(dimensions));
  const factorsAt = at + numbers * FLOAT_BYTES;

  return {
    end: factorsAt + PASSES * size * FLOAT_BYTES,
    setFactors({ buffer }: Kernel["memory"]): void {
      const random = seededBits(dimensions);
      const factors = new Float32Array(buffer, factorsAt, PASSES * size);
      // A rotation keeps lengths; the transform alone multiplies them by the root of its size.
      for (let index = 0; index < factors.length; index += 1)
        factors[index] = (random() ? 1 : -1) / Math.sqrt(size);
    },
    /** The rotated vector, in the memory of the kernel. Valid until the next call. */
    apply({ memory, functions }: Kernel, vector: Float32Array | Int8Array): Float32Array {
      const rotated = new Float32Array(memory.buffer, at, numbers);
      rotated.set(vector);
      rotated.fill(0, dimensions);
      for (let pass = 0; pass < PASSES; pass += 1) {
        const start = at + (pass % 2 === 0 ? 0 : dimensions - size) * FLOAT_BYTES;
        functions.rotate(start, start + size * FLOAT_BYTES, factorsAt + pass * size * FLOAT_BYTES);
      }
      return rotated;
    },
  };
}

/** Bits that are the same for the same seed (mulberry32). */
function seededBits(seed: number): () => boolean {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) & 1) === 0;
  };
}
