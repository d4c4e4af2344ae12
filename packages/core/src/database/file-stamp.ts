import { statSync } from "node:fs";
import { systemCode } from "../errors/node-error.ts";

/**
 * Changes whenever the file is written, replaced, removed or put out of reach. Costs one look at the disk, reads nothing,
 * and leaves saying why a file cannot be read to whoever reads it. Two writes of equal size within one tick of the file
 * system's clock (some milliseconds) can look the same.
 */
export function fileStamp(path: string): string {
  try {
    const state = statSync(path, { bigint: true });
    return `${state.ino}:${state.size}:${state.mtimeNs}:${state.ctimeNs}`;
  } catch (error) {
    return systemCode(error) ?? "unknown";
  }
}
