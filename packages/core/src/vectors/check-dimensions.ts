import { InvalidArgsError } from "../errors/request-errors.ts";

/** Throws `InvalidArgsError` for a vector that cannot be compared with those of the index. */
export function checkDimensions(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) {
    throw new InvalidArgsError(`This index holds vectors of ${dimensions} numbers, not ${vector.length}.`);
  }
}
