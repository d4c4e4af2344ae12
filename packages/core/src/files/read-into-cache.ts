import { type FileHandle, open } from "node:fs/promises";
import { systemCode } from "../errors/node-error.ts";

/** The bytes that are read at once. */
const CHUNK_BYTES = 2 ** 20;
/** The share of the available memory that a file may take. */
const MAX_SHARE = 0.5;

export interface ReadIntoCacheOptions {
  signal: AbortSignal;
  /** A smaller file is not read. */
  minBytes?: number;
  /** A larger file is not read; half of the available memory by default. */
  maxBytes?: number;
}

/**
 * Reads a file once from beginning to end, so that the operating system keeps it in memory: reading a disk in order takes a
 * fraction of the time of reading the same pages one by one, as a database needs them. Returns the number of bytes read: fewer
 * than the file has when aborted, 0 if there is no file.
 */
export async function readIntoCache(
  path: string,
  { signal, minBytes = 0, maxBytes = MAX_SHARE * process.availableMemory() }: ReadIntoCacheOptions,
): Promise<number> {
  const file = await openIfPresent(path);
  if (!file) return 0;
  try {
    const { size } = await file.stat();
    if (size < minBytes || size > maxBytes) return 0;
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, Math.max(1, size)));
    let total = 0;
    while (!signal.aborted) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, total);
      if (bytesRead === 0) break;
      total += bytesRead;
    }
    return total;
  } finally {
    await file.close();
  }
}

async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
