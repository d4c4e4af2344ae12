import { InvalidArgsError } from "../errors/request-errors.ts";

/** The maximum number of bytes of an incomplete UTF-8 character. */
const MAX_INCOMPLETE_BYTES = 3;

const notText = (label: string): InvalidArgsError =>
  new InvalidArgsError(`${label} is not a text file in UTF-8.`, { context: { path: label } });

/** The number of bytes at the end that belong to an incomplete character. */
export function incompleteLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(MAX_INCOMPLETE_BYTES, bytes.length); back += 1) {
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
 * Decodes the text of a file, or of its beginning if `clipped`; then it omits an incomplete last character. Removes a byte
 * order mark. Throws `InvalidArgsError` if the bytes are not UTF-8 or contain NUL.
 */
export function decodeText(bytes: Uint8Array, label: string, clipped: boolean): string {
  const whole = clipped ? bytes.subarray(0, bytes.length - incompleteLength(bytes)) : bytes;
  if (whole.includes(0)) throw notText(label);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(whole);
  } catch (error) {
    if (error instanceof TypeError) throw notText(label);
    throw error;
  }
}
