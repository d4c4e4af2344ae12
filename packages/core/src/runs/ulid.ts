import { randomBytes } from "node:crypto";

// Crockford's base 32, in lower case: no i, l, o, u.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_BITS = 80n;

function encode(value: bigint, length: number): string {
  let text = "";
  for (let place = 0; place < length; place += 1) {
    text = ALPHABET.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return text;
}

/**
 * Makes ULIDs (26 characters, lower case; github.com/ulid/spec): 48 bits of milliseconds, then 80 random bits. Within
 * one maker each id sorts after the one before, also within a millisecond and when the clock goes backwards.
 */
export function createUlids(now: () => number = Date.now): () => string {
  let lastTime = 0;
  let random = 0n;
  return () => {
    const time = Math.max(now(), lastTime);
    if (time > lastTime) {
      // The top bit stays clear, so that counting up within a millisecond cannot overflow.
      random = BigInt(`0x${randomBytes(10).toString("hex")}`) >> 1n;
      lastTime = time;
    } else {
      random = (random + 1n) & ((1n << RANDOM_BITS) - 1n);
    }
    return encode(BigInt(lastTime), 10) + encode(random, 16);
  };
}

/** The process's own maker. */
export const ulid = createUlids();
