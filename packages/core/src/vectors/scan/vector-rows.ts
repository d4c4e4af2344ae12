import { readFileSync } from "node:fs";
import { coarsen, COARSE_SCALE, toCoarse } from "../quantize.ts";
import { MAX_BYTES, openKernel } from "./kernel.ts";
import { placeRotation } from "./rotation.ts";

/**
 * Vectors in WebAssembly memory, by row, in two forms: a bit per number for estimates, and a byte per number for the
 * comparison of those that the estimates leave.
 */
export interface VectorRows {
  /** Reserves memory for the bytes of `rows` rows in total. Returns false if there is not enough. */
  reserve(rows: number): boolean;
  /** Sets the bytes of a reserved row from its fine or coarse form. */
  put(row: number, fine: Int16Array): void;
  putCoarse(row: number, coarse: Int8Array): void;
  /** Copies the bytes of a row over those of another one. */
  copy(from: number, to: number): void;
  /** Sets the bits of a row from its bytes. Returns false if there is not enough memory. */
  encode(row: number): boolean;
  /** Estimates the cosines of the first `count` rows, which have bits. Valid until the next call. */
  estimate(vector: Float32Array, count: number): Estimates;
  /** The cosines of some rows by their bytes, in their order. Valid until the next call. */
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

/** The SIMD width in bytes; rows of bytes are padded to a multiple of it. */
const SIMD_BYTES = 16;
/** What the kernels read side by side (`tools/wasm/scan-source.ts`). */
const SIGN_STREAMS = 8;
const ROW_STREAMS = 24;
const GROUPS_AT_ONCE = 4;
/** Numbers whose signs share a half byte, and their combinations. */
const GROUP = 4;
const COMBINATIONS = 16;
/** Rows of a block of signs, and rows of one call of the kernel. */
const BLOCK = 32;
const SUMMED_AT_ONCE = 16_384;
const COMPARED_AT_ONCE = 170 * ROW_STREAMS;
/** The largest value of a table: the values of four groups fit into a byte, and all of them into 16 bits. */
const MAX_VALUE = 63;
const MAX_SUM = 2 ** 16 - 1;
/** √(1 − f²) / f for f = √(2/π), the mean cosine between a rotated vector and its signs. */
const SIGN_DEVIATION = Math.sqrt(Math.PI / 2 - 1);

const compiled = readFileSync(new URL("./scan.wasm", import.meta.url));

/** Returns undefined if WebAssembly lacks SIMD or memory, or for vectors of fewer than four numbers. */
export function openVectorRows(
  dimensions: number,
  code: Uint8Array<ArrayBuffer> = compiled,
): VectorRows | undefined {
  if (dimensions < GROUP || !WebAssembly.validate(code)) return undefined;
  const module = new WebAssembly.Module(code);
  const signs = openSigns(dimensions, module);
  const bytes = openBytes(dimensions, module);
  if (!signs || !bytes) return undefined;

  return {
    reserve: (rows) => bytes.bytesFor(rows) + signs.usedBytes() <= MAX_BYTES && bytes.reserve(rows),
    put: (row, fine) => coarsen(fine, bytes.row(row)),
    putCoarse: (row, coarse) => bytes.row(row).set(coarse),
    copy: (from, to) => bytes.row(to).set(bytes.row(from)),
    encode(row) {
      if (signs.bytesFor(row + 1) + bytes.usedBytes() > MAX_BYTES || !signs.reserve(row + 1)) return false;
      signs.put(row, bytes.row(row));
      return true;
    },
    estimate: (vector, count) => signs.estimate(vector, count),
    compare: (vector, rows) => bytes.compare(toCoarse(vector), rows),
  };
}

/** The signs of rotated vectors, and the sum of their numbers without signs, which scales the estimates. */
function openSigns(dimensions: number, module: WebAssembly.Module) {
  const groups = roundUp(Math.ceil(dimensions / GROUP), GROUPS_AT_ONCE);
  const blockBytes = groups * SIMD_BYTES;
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
  /** By row, 1 / Σ|number|; 0 for a vector of zeros. */
  let inverses = new Float32Array(BLOCK);
  let sums = new Uint16Array(BLOCK);
  /** The least Σ|number| of a row so far. */
  let least = Infinity;
  const bytesFor = (rows: number): number =>
    // Whole calls, because the kernel reads blocks beyond the last.
    first + (Math.ceil(rows / SUMMED_AT_ONCE) * SUMMED_AT_ONCE * blockBytes) / BLOCK;

  /** Sets the half byte of each group in the block of a row. */
  function setCodes(row: number, codes: Uint8Array): void {
    const place = row % BLOCK;
    const shift = place < SIMD_BYTES ? 0 : GROUP;
    const block = new Uint8Array(memory.buffer, first + Math.floor(row / BLOCK) * blockBytes, blockBytes);
    for (let group = 0; group < groups; group += 1) {
      const at = group * SIMD_BYTES + (place % SIMD_BYTES);
      block[at] = ((block[at] ?? 0) & (0xf0 >> shift)) | ((codes[group] ?? 0) << shift);
    }
  }

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
    put(row: number, coarse: Int8Array): void {
      const rotated = rotation.apply(kernel, coarse);
      functions.encode(rotated.byteOffset, rotated.byteOffset + rotated.byteLength, codesAt);
      const sum = (rotated[0] ?? 0) / COARSE_SCALE;
      if (sum > 0) least = Math.min(least, sum);
      inverses[row] = sum > 0 ? 1 / sum : 0;
      setCodes(row, new Uint8Array(memory.buffer, codesAt, groups));
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

/** The coarse forms of vectors. */
function openBytes(dimensions: number, module: WebAssembly.Module) {
  const stride = roundUp(dimensions, SIMD_BYTES);
  const listAt = stride * Int16Array.BYTES_PER_ELEMENT;
  const first = listAt + COMPARED_AT_ONCE * Uint32Array.BYTES_PER_ELEMENT;
  const kernel = openKernel(module, first);
  if (!kernel) return undefined;
  const { memory, functions, reserve } = kernel;
  let cosines = new Float32Array(COMPARED_AT_ONCE);
  const bytesFor = (rows: number): number => first + rows * stride;

  return {
    bytesFor,
    usedBytes: () => memory.buffer.byteLength,
    reserve: (rows: number): boolean => reserve(bytesFor(rows)),
    row: (index: number): Int8Array => new Int8Array(memory.buffer, first + index * stride, dimensions),
    compare(query: Int8Array, rows: Uint32Array): Float32Array {
      if (rows.length > cosines.length) cosines = new Float32Array(rows.length);
      new Int16Array(memory.buffer, 0, stride).set(query);
      for (let start = 0; start < rows.length; start += COMPARED_AT_ONCE) {
        const some = rows.subarray(start, start + COMPARED_AT_ONCE);
        const parts = Math.ceil(some.length / ROW_STREAMS);
        const list = new Uint32Array(memory.buffer, listAt, parts * ROW_STREAMS);
        // The kernel takes a row of each part in turn, so that rows that are compared side by side are far from each
        // other; the last list may have gaps, filled with row 0.
        for (let stream = 0, position = 0; stream < ROW_STREAMS; stream += 1)
          for (let index = stream; index < list.length; index += ROW_STREAMS, position += 1)
            list[index] = some[position] ?? 0;
        functions.multiply(0, stride, first, listAt, parts);
        const products = new Int32Array(memory.buffer, listAt, list.length);
        for (let stream = 0, position = 0; stream < ROW_STREAMS; stream += 1)
          for (
            let index = stream;
            index < products.length && position < some.length;
            index += ROW_STREAMS, position += 1
          )
            cosines[start + position] = (products[index] ?? 0) / (COARSE_SCALE * COARSE_SCALE);
      }
      return cosines.subarray(0, rows.length);
    },
  };
}

function roundUp(number: number, multiple: number): number {
  return Math.ceil(number / multiple) * multiple;
}
