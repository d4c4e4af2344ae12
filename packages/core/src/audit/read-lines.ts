import { open, type FileHandle } from "node:fs/promises";
import { systemCode } from "../errors/node-error.ts";

export interface FileLine {
  /** The text without its newline. */
  text: string;
  /** The offset after the line and its newline, in bytes. */
  end: number;
  /** False for a last line without a newline. */
  complete: boolean;
}

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads the lines of a file from a byte offset in chunks of `CHUNK_BYTES`, so that a large file does not block
 * other work. A missing file has no lines.
 */
export async function* readLines(path: string, from = 0, signal?: AbortSignal): AsyncGenerator<FileLine[]> {
  const handle = await openIfExists(path);
  if (!handle) return;
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let rest = Buffer.alloc(0);
    let position = from;
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const { lines, used } = split(bytes, position - bytes.length);
      rest = bytes.subarray(used);
      if (lines.length > 0) yield lines;
    }
    if (rest.length > 0) yield [{ text: rest.toString("utf8"), end: position, complete: false }];
  } finally {
    await handle.close();
  }
}

function split(bytes: Buffer, offset: number): { lines: FileLine[]; used: number } {
  const lines: FileLine[] = [];
  let used = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, used)) {
    lines.push({ text: bytes.toString("utf8", used, end), end: offset + end + 1, complete: true });
    used = end + 1;
  }
  return { lines, used };
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
