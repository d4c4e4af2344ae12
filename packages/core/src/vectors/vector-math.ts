import { InvalidArgsError } from "../errors/request-errors.ts";
/** The dot product; for vectors of length 1, the cosine similarity. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

/** Normalizes a vector to length 1 in place. A zero vector stays zero. */
export function normalizeVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  if (length === 0) return vector;
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}

/** Throws `InvalidArgsError` if a vector does not have the dimensions of the index. */
export function checkDimensions(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) {
    throw new InvalidArgsError(
      `This index stores vectors with ${dimensions} dimensions, not ${vector.length}.`,
    );
  }
}
