import { InvalidArgsError } from "../errors/request-errors.ts";
import { decodeText, incompleteLength } from "./decode-text.ts";
import type { FileText } from "./files.ts";

const isInsideCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Reads text from byte `from`, or from the next character if `from` is inside one. */
export async function readPart(
  file: {
    size: number;
    label: string;
    read: (range: { from: number; length: number }) => Promise<Uint8Array>;
  },
  { from, maxBytes }: { from: number; maxBytes: number },
): Promise<Omit<FileText, "path" | "bytes">> {
  const { size, label } = file;
  if (from > 0 && from >= size)
    throw new InvalidArgsError(`from is beyond the end: ${label} has ${String(size)} bytes.`, {
      context: { path: label },
    });
  const read = await file.read({ from, length: Math.min(maxBytes, size - from) });
  let start = 0;
  while (from > 0 && start < 3 && isInsideCharacter(read[start])) start += 1;
  const bytes = read.subarray(start);
  const isTruncated = from + read.length < size;
  const content = decodeText(bytes, label, isTruncated);
  const next = from + read.length - incompleteLength(bytes);
  return { content, truncated: isTruncated, ...(isTruncated && { next }) };
}
