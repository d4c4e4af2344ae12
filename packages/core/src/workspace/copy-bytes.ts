import type { FileHandle } from "node:fs/promises";

const CHUNK = 1 << 20;

/** Copies up to `size` bytes from the start; fewer when the file ends before. `last` is the last byte copied. */
export async function copyBytes(
  from: FileHandle,
  to: FileHandle,
  size: number,
  signal: AbortSignal | undefined,
): Promise<{ copied: number; last: number | undefined }> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, size)));
  let copied = 0;
  let last: number | undefined;
  while (copied < size) {
    signal?.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, size - copied), copied);
    if (bytesRead === 0) break;
    for (let written = 0; written < bytesRead;) {
      written += (await to.write(buffer, written, bytesRead - written)).bytesWritten;
    }
    last = buffer[bytesRead - 1];
    copied += bytesRead;
  }
  return { copied, last };
}
