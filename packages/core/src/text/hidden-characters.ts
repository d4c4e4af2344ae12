import { isRecord } from "./is-record.ts";

/**
 * Control characters, those that reorder the text around them, and those that nobody sees. Not line breaks, the joiners and
 * marks that scripts and emoji need, and the tags of a flag.
 */
const HIDDEN =
  /(?![\n\t]|\r\n)[\p{Cc}\u{00AD}\u{180E}\u{200B}\u{202A}-\u{202E}\u{2060}-\u{2064}\u{2066}-\u{206F}\u{FEFF}]|(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]*)[\u{E0000}-\u{E007F}]/gu;

/** Replaces hidden characters with their code points, so that a text reads as it is, and a terminal cannot interpret them. */
export function showHiddenCharacters(text: string): string {
  return text.replace(
    HIDDEN,
    (character) => `<${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

/** `showHiddenCharacters` of every text in a value: what a person decides on must read as it is. */
export function showHidden<Value>(value: Value): Value;
export function showHidden(value: unknown): unknown {
  if (typeof value === "string") return showHiddenCharacters(value);
  if (Array.isArray(value)) return value.map((item: unknown) => showHidden(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, showHidden(item)]));
}
