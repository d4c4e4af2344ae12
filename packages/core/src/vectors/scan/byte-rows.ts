import { readFileSync } from "node:fs";

/** Vectors of bytes in one WebAssembly memory, by row, and their inner products with another. */
export interface ByteRows {
  /** Makes room for so many rows in all; false when there is no memory for them. */
  reserve(rows: number): boolean;
  /** The bytes of a row there is room for, to be read or written before the next `reserve`. */
  row(at: number): Int8Array;
  /** The products of the first `count` rows, in their order, some thousands at a time, each lot good until the next. */
  products(query: Int8Array, count: number): Iterable<Int32Array>;
}

const PAGE = 65_536;
/** Beyond this a process would be felt by everything else on its machine. */
const MOST_BYTES = 2 ** 30;
/** Rows whose products are made at once. */
const LOT = 4_096;
/** Bytes that are compared at once; rows end at a multiple of it. */
const WIDTH = 16;

const compiled = readFileSync(new URL("./scan.wasm", import.meta.url));

/** Undefined where WebAssembly has no SIMD, or its memory may not be used. */
export function openByteRows(
  dimensions: number,
  code: Uint8Array<ArrayBuffer> = compiled,
): ByteRows | undefined {
  if (!WebAssembly.validate(code)) return undefined;
  const stride = Math.ceil(dimensions / WIDTH) * WIDTH;
  const products = stride * Int16Array.BYTES_PER_ELEMENT;
  const first = products + LOT * Int32Array.BYTES_PER_ELEMENT;
  const memory = newMemory(Math.ceil(first / PAGE));
  if (!memory) return undefined;
  const { scan } = new WebAssembly.Instance(new WebAssembly.Module(code), { scan: { memory } }).exports;
  if (typeof scan !== "function")
    throw new TypeError("the compiled scan is another than the one that is asked for");

  return {
    reserve(rows) {
      // Whole lots: the scan reads up to three rows further than it is asked.
      const bytes = first + Math.ceil(rows / LOT) * LOT * stride;
      const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
      return missing <= 0 || grow(memory, missing);
    },
    row: (at) => new Int8Array(memory.buffer, first + at * stride, dimensions),
    *products(query, count) {
      for (let start = 0; start < count; start += LOT) {
        const rows = Math.min(LOT, count - start);
        // Written for each lot: somebody may have asked for the products of another vector in between.
        new Int16Array(memory.buffer, 0, stride).set(query);
        scan(0, stride, first + start * stride, Math.ceil(rows / 4), products);
        yield new Int32Array(memory.buffer, products, rows);
      }
    },
  };
}

function newMemory(initial: number): WebAssembly.Memory | undefined {
  try {
    return new WebAssembly.Memory({ initial, maximum: MOST_BYTES / PAGE });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function grow(memory: WebAssembly.Memory, pages: number): boolean {
  try {
    memory.grow(pages);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
