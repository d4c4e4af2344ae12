import { COARSE_SCALE, toCoarse } from "../quantize.ts";
import { type Kernel, openKernel } from "./kernel.ts";

/** The SIMD width in bytes. */
const SIMD_BYTES = 16;
/** What the kernel reads side by side (`tools/wasm/scan-source.ts`). */
const ROW_STREAMS = 24;
const COMPARED_AT_ONCE = 170 * ROW_STREAMS;
const LIST_BYTES = COMPARED_AT_ONCE * Uint32Array.BYTES_PER_ELEMENT;

/** The coarse forms of vectors: a byte for each number. */
export function openByteRows(dimensions: number, module: WebAssembly.Module) {
  const stride = roundUp(dimensions, SIMD_BYTES);
  const opened = openRows(module, { stride, queryBytes: stride * Int16Array.BYTES_PER_ELEMENT });
  if (!opened) return undefined;
  const { memory, first, bytesFor, usedBytes, reserve, products } = opened;

  return {
    bytesFor,
    usedBytes,
    reserve,
    row: (index: number): Int8Array => new Int8Array(memory.buffer, first + index * stride, dimensions),
    compare(vector: Float32Array, rows: Uint32Array): Float32Array {
      new Int16Array(memory.buffer, 0, stride).set(toCoarse(vector));
      const cosines = products("multiply", rows);
      for (let index = 0; index < cosines.length; index += 1)
        cosines[index] = (cosines[index] ?? 0) / (COARSE_SCALE * COARSE_SCALE);
      return cosines;
    },
  };
}

/** The half bytes of a packed row: a number of standard deviation 1 is in one of 16 steps, 8 of them on each side of 0. */
const STEPS = 16;
const MIDDLE = (STEPS - 1) / 2;
const HALF_BYTE_BITS = 4;
const HALF_BYTE = 2 ** HALF_BYTE_BITS - 1;
/** The width of a step with the least error for 16 steps of normally distributed numbers, in standard deviations (Max 1960). */
const STEP_WIDTH = 0.335;
/** The largest number of a query. */
const QUERY_MAX = 127;

/**
 * Vectors in half a byte for each number. They have to be rotated first, which distributes their size over all numbers. As in
 * RaBitQ (Gao & Long 2024), a product is divided by that of the vector and its own packed form, so a cosine deviates by about
 * 0.11 / √dimensions × √(1 − cosine²), to both sides alike.
 */
export function openPackedRows(dimensions: number, module: WebAssembly.Module) {
  const stride = Math.ceil(dimensions / 2);
  const halfBytes = roundUp(stride, SIMD_BYTES);
  const opened = openRows(module, { stride, queryBytes: 2 * halfBytes });
  if (!opened) return undefined;
  const { memory, first, bytesFor, usedBytes, reserve, products } = opened;
  /** By row, what the product of its half bytes and a vector is multiplied by to be a cosine. */
  let factors = new Float32Array(1_024);

  const row = (index: number): Uint8Array => new Uint8Array(memory.buffer, first + index * stride, stride);

  /** Writes the query in the order in which the kernel reads it. Returns its scale and the sum of its numbers. */
  function setQuery(rotated: Float32Array): { scale: number; sum: number } {
    let largest = 0;
    for (const number of rotated) largest = Math.max(largest, Math.abs(number));
    const scale = QUERY_MAX / (largest || 1);
    const query = new Int8Array(memory.buffer, 0, 2 * halfBytes).fill(0);
    let sum = 0;
    for (let index = 0; index < dimensions; index += 1) {
      const number = Math.round((rotated[index] ?? 0) * scale);
      const place = index % stride;
      const block = 2 * (place - (place % SIMD_BYTES)) + (index < stride ? 0 : SIMD_BYTES);
      query[block + (place % SIMD_BYTES)] = number;
      sum += number;
    }
    return { scale, sum };
  }

  return {
    bytesFor,
    usedBytes,
    reserve(rows: number): boolean {
      if (!reserve(rows)) return false;
      if (rows > factors.length) {
        const before = factors;
        factors = new Float32Array(Math.max(rows, Math.ceil(1.5 * before.length)));
        factors.set(before);
      }
      return true;
    },
    /** Sets a reserved row from a coarse form that was rotated. */
    put(index: number, rotated: Float32Array): void {
      const packed = row(index);
      let squares = 0;
      for (let place = 0; place < dimensions; place += 1) squares += (rotated[place] ?? 0) ** 2;
      const steps = 1 / (STEP_WIDTH * Math.sqrt(squares / dimensions) || Infinity);
      let product = 0;
      for (let place = 0; place < stride; place += 1) {
        const low = rotated[place] ?? 0;
        const high = rotated[place + stride] ?? 0;
        const lowStep = stepOf(low * steps);
        const highStep = stepOf(high * steps);
        product += low * (lowStep - MIDDLE) + high * (highStep - MIDDLE);
        packed[place] = lowStep | (highStep << HALF_BYTE_BITS);
      }
      factors[index] = product > 0 ? squares / product / COARSE_SCALE : 0;
    },
    copy(from: number, to: number): void {
      row(to).set(row(from));
      factors[to] = factors[from] ?? 0;
    },
    compare(rotated: Float32Array, rows: Uint32Array): Float32Array {
      const { scale, sum } = setQuery(rotated);
      const cosines = products("multiplyPacked", rows);
      for (let index = 0; index < cosines.length; index += 1)
        cosines[index] = (((cosines[index] ?? 0) - MIDDLE * sum) * (factors[rows[index] ?? 0] ?? 0)) / scale;
      return cosines;
    },
  };
}

function stepOf(steps: number): number {
  return Math.max(0, Math.min(HALF_BYTE, Math.floor(steps) + STEPS / 2));
}

/** Rows of `stride` bytes in the memory of a kernel, after a query of `queryBytes` bytes and a list of rows. */
function openRows(
  module: WebAssembly.Module,
  { stride, queryBytes }: { stride: number; queryBytes: number },
) {
  const first = queryBytes + LIST_BYTES;
  // The kernel reads up to a width beyond the last row.
  const bytesFor = (rows: number): number => first + rows * stride + SIMD_BYTES;
  const kernel = openKernel(module, bytesFor(0));
  if (!kernel) return undefined;
  const { memory, functions, reserve } = kernel;
  let found = new Float32Array(COMPARED_AT_ONCE);

  return {
    memory,
    first,
    bytesFor,
    usedBytes: () => memory.buffer.byteLength,
    reserve: (rows: number): boolean => reserve(bytesFor(rows)),
    /** The products of the query and some rows, in their order. Valid until the next call. */
    products(multiply: keyof Pick<Kernel["functions"], "multiply" | "multiplyPacked">, rows: Uint32Array) {
      if (rows.length > found.length) found = new Float32Array(rows.length);
      for (let start = 0; start < rows.length; start += COMPARED_AT_ONCE) {
        const some = rows.subarray(start, start + COMPARED_AT_ONCE);
        const parts = Math.ceil(some.length / ROW_STREAMS);
        const list = new Uint32Array(memory.buffer, queryBytes, parts * ROW_STREAMS);
        // The kernel takes a row of each part in turn, so that rows that are compared side by side are far from each
        // other; the last list may have gaps, filled with row 0.
        for (let stream = 0, position = 0; stream < ROW_STREAMS; stream += 1)
          for (let index = stream; index < list.length; index += ROW_STREAMS, position += 1)
            list[index] = some[position] ?? 0;
        functions[multiply](0, stride, first, queryBytes, parts);
        const products = new Int32Array(memory.buffer, queryBytes, list.length);
        for (let stream = 0, position = 0; stream < ROW_STREAMS; stream += 1)
          for (
            let index = stream;
            index < products.length && position < some.length;
            index += ROW_STREAMS, position += 1
          )
            found[start + position] = products[index] ?? 0;
      }
      return found.subarray(0, rows.length);
    },
  };
}

export function roundUp(number: number, multiple: number): number {
  return Math.ceil(number / multiple) * multiple;
}
