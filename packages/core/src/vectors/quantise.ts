/**
 * Two forms of a vector of length 1: coarse ones are scanned, fine ones settle the order of those that came near.
 * Numbers beyond ±0.32 are cut off in the coarse form: in a vector with hundreds of numbers they are rare.
 */
const COARSE_SCALE = 400;
const COARSE_LARGEST = 127;
const FINE_SCALE = 32_767;

/** A byte per number. */
export function toCoarse(vector: Float32Array): Int8Array {
  return Int8Array.from(vector, (value) => clamp(Math.round(value * COARSE_SCALE), COARSE_LARGEST));
}

/** Two bytes per number, off by 0.00002 at most. */
export function toFine(vector: Float32Array): Int16Array {
  return Int16Array.from(vector, (value) => clamp(Math.round(value * FINE_SCALE), FINE_SCALE));
}

/** Writes the coarse form of a vector that is known in its fine form. */
export function coarsen(fine: Int16Array, coarse: Int8Array): void {
  for (let at = 0; at < coarse.length; at += 1) {
    coarse[at] = clamp(Math.round((fine[at] ?? 0) * (COARSE_SCALE / FINE_SCALE)), COARSE_LARGEST);
  }
}

/** The vector a fine form was made from. */
export function fromFine(fine: Int16Array): Float32Array {
  return Float32Array.from(fine, (value) => value / FINE_SCALE);
}

/** The cosine of a vector with one in its fine form. */
export function fineSimilarity(vector: Float32Array, fine: Int16Array): number {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) * (fine[at] ?? 0);
  return sum / FINE_SCALE;
}

/** A fine form as it is kept. */
export function fineOf(blob: Buffer): Int16Array {
  // A copy: the blob need not start at an even address.
  return new Int16Array(blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength));
}

function clamp(value: number, largest: number): number {
  return Math.max(-largest, Math.min(largest, value));
}
