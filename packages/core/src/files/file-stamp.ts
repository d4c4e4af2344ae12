import { statSync } from "node:fs";
import { systemCode } from "../errors/node-error.ts";

/**
 * A stamp that changes whenever the file is written, replaced, removed or made inaccessible, from one `stat` call. Two
 * writes of equal size within one tick of the file system's clock (some milliseconds) can have the same stamp.
 */
export function fileStamp(path: string): string {
  try {
    const state = statSync(path, { bigint: true });
    return `${state.ino}:${state.size}:${state.mtimeNs}:${state.ctimeNs}`;
  } catch (error) {
    return systemCode(error) ?? "unknown";
  }
}
