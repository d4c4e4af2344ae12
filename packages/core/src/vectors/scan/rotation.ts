import type { Kernel } from "./kernel.ts";

/** One for the first numbers and one for the last. */
const PASSES = 2;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

/**
 * A fixed rotation that distributes a vector over all its numbers, so that the signs of the result represent the
 * direction of any vector equally well. Keeps angles and lengths. Flips signs by a fixed pattern and applies the fast
 * Walsh–Hadamard transform to the first and to the last numbers, as many as a power of two. Works in the memory of a
 * kernel, from the address `at` to `end`, on `numbers` numbers, of which those beyond `dimensions` are 0.
 */
export function placeRotation(dimensions: number, { at, numbers }: { at: number; numbers: number }) {
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
