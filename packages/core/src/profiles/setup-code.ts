import { randomInt, timingSafeEqual } from "node:crypto";

/** Without letters and digits that look alike when read off a screen. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** A code to type: twelve characters in groups, 60 random bits. */
export function newSetupCode(): string {
  const group = (): string => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return `${group()}-${group()}-${group()}`;
}

/** Compares in constant time; small letters and missing hyphens are forgiven. */
export function isSetupCode(typed: string, code: string): boolean {
  const bytes = (text: string): Buffer =>
    Buffer.from(
      text
        .toUpperCase()
        .replaceAll(/[^0-9A-Z]/g, "")
        .slice(0, 64)
        .padEnd(64),
    );
  return timingSafeEqual(bytes(typed), bytes(code));
}
