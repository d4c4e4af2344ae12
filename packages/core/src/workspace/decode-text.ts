import { InvalidArgsError } from "../errors/request-errors.ts";

/** The longest sequence of UTF-8 that can be cut short at its end. */
const LONGEST_TAIL = 3;

const notText = (label: string): InvalidArgsError =>
  new InvalidArgsError(`${label} is not a text file in UTF-8.`, { context: { path: label } });

/** How many bytes at the end begin a character that is not complete. */
export function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(LONGEST_TAIL, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/**
 * The text of a file, or of its beginning when `clipped`: then a character cut in two is left out. A byte order mark
 * is dropped. Throws `InvalidArgsError` for anything but UTF-8, and for text with NUL bytes in it.
 */
export function decodeText(bytes: Uint8Array, label: string, clipped: boolean): string {
  const whole = clipped ? bytes.subarray(0, bytes.length - unfinished(bytes)) : bytes;
  if (whole.includes(0)) throw notText(label);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(whole);
  } catch (error) {
    if (error instanceof TypeError) throw notText(label);
    throw error;
  }
}
