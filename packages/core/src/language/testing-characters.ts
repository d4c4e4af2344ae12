import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

/** Any character there is, as `unit: "binary"` has them; that one lists a million of them first. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ffff - SURROGATES.count })
  .map(characterAt, placeOf);

function characterAt(index: number): string {
  return String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count);
}

function placeOf(character: unknown): number {
  const code = typeof character === "string" ? character.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== character) throw new Error("Not one character.");
  return code < SURROGATES.first ? code : code - SURROGATES.count;
}
