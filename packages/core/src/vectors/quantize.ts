/**
 * Two quantized forms of a vector of length 1: the scan uses the coarse form, the final order the fine form. The coarse
 * form clips numbers beyond ±0.32, which are rare in vectors with hundreds of dimensions.
 */
export const COARSE_SCALE = 400;
const COARSE_MAX = 127;
const FINE_SCALE = 32_767;

/** The coarse form: a byte per number. */
export function toCoarse(vector: Float32Array): Int8Array {
  return quantize(vector, new Int8Array(vector.length), COARSE_SCALE, COARSE_MAX);
}

/** The fine form: two bytes per number, with an error of at most 0.00002. */
export function toFine(vector: Float32Array): Int16Array {
  return quantize(vector, new Int16Array(vector.length), FINE_SCALE, FINE_SCALE);
}

/** Writes the quantized numbers into `target`, by index: `from` with a function takes ten times as long. */
function quantize<Form extends Int8Array | Int16Array>(
  vector: Float32Array,
  target: Form,
  scale: number,
  limit: number,
): Form {
  for (let index = 0; index < vector.length; index += 1)
    target[index] = clamp(Math.round((vector[index] ?? 0) * scale), limit);
  return target;
}

/**
 * The coarse form of each fine number, from the lowest: looking it up takes a quarter of the time of computing it. Created at
 * the first use, because that takes milliseconds.
 */
let coarseOfFine: Int8Array | undefined;
const MIN_FINE = -(2 ** 15);

/** Converts a fine form into the coarse form, in place. */
export function coarsen(fine: Int16Array, coarse: Int8Array): void {
  coarseOfFine ??= Int8Array.from({ length: 2 ** 16 }, (_, index) =>
    clamp(Math.round((MIN_FINE + index) * (COARSE_SCALE / FINE_SCALE)), COARSE_MAX),
  );
  for (let index = 0; index < coarse.length; index += 1)
    coarse[index] = coarseOfFine[(fine[index] ?? 0) - MIN_FINE] ?? 0;
}

/** Converts a fine form back into a vector. */
export function fromFine(fine: Int16Array): Float32Array {
  return Float32Array.from(fine, (value) => value / FINE_SCALE);
}

/** The cosine of a vector and a fine form. */
export function fineSimilarity(vector: Float32Array, fine: Int16Array): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index += 1) sum += (vector[index] ?? 0) * (fine[index] ?? 0);
  return sum / FINE_SCALE;
}

/** Reads a stored fine form. It may share the memory of the blob. */
export function fineOf(blob: Buffer): Int16Array {
  if (blob.byteOffset % Int16Array.BYTES_PER_ELEMENT === 0)
    return new Int16Array(blob.buffer, blob.byteOffset, blob.byteLength / Int16Array.BYTES_PER_ELEMENT);
  return new Int16Array(blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength));
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
