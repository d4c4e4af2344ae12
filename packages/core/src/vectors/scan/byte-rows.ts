import { readFileSync } from "node:fs";

/** Byte vectors in one WebAssembly memory, by row, and their dot products with a query. */
export interface ByteRows {
  /** Reserves memory for `rows` rows in total. Returns false if there is not enough. */
  reserve(rows: number): boolean;
  /** The bytes of a reserved row. Valid until the next `reserve`. */
  row(at: number): Int8Array;
  /** The dot products of the first `count` rows, in order, in batches. Each batch is valid until the next. */
  products(query: Int8Array, count: number): Iterable<Int32Array>;
}

const PAGE = 65_536;
/** The maximum size of the memory in bytes. */
const MAX_BYTES = 2 ** 30;
/** Rows per batch. */
const BATCH = 4_096;
/** The SIMD width in bytes; rows are padded to a multiple of it. */
const SIMD_BYTES = 16;

const compiled = readFileSync(new URL("./scan.wasm", import.meta.url));

/** Returns undefined if WebAssembly lacks SIMD or memory. */
export function openByteRows(
  dimensions: number,
  code: Uint8Array<ArrayBuffer> = compiled,
): ByteRows | undefined {
  if (!WebAssembly.validate(code)) return undefined;
  const stride = Math.ceil(dimensions / SIMD_BYTES) * SIMD_BYTES;
  const products = stride * Int16Array.BYTES_PER_ELEMENT;
  const first = products + BATCH * Int32Array.BYTES_PER_ELEMENT;
  const memory = newMemory(Math.ceil(first / PAGE));
  if (!memory) return undefined;
  const { scan } = new WebAssembly.Instance(new WebAssembly.Module(code), { scan: { memory } }).exports;
  if (typeof scan !== "function") throw new TypeError("the compiled module does not export scan");

  return {
    reserve(rows) {
      // Whole batches, because the scan reads up to three rows beyond `count`.
      const bytes = first + Math.ceil(rows / BATCH) * BATCH * stride;
      const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
      return missing <= 0 || grow(memory, missing);
    },
    row: (at) => new Int8Array(memory.buffer, first + at * stride, dimensions),
    *products(query, count) {
      for (let start = 0; start < count; start += BATCH) {
        const rows = Math.min(BATCH, count - start);
        // Written for each batch, because another query may run in between.
        new Int16Array(memory.buffer, 0, stride).set(query);
        scan(0, stride, first + start * stride, Math.ceil(rows / 4), products);
        yield new Int32Array(memory.buffer, products, rows);
      }
    },
  };
}

function newMemory(initial: number): WebAssembly.Memory | undefined {
  try {
    return new WebAssembly.Memory({ initial, maximum: MAX_BYTES / PAGE });
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
