/** Returns a text on one line: all white space, line breaks included, becomes single spaces. */
export function oneLine(text: string): string {
  // A single space stays; replacing each by itself takes many times as long.
  return text.replaceAll(/[^\S ]\s*|\s{2,}/gu, " ").trim();
}

/** Returns the first line of a text that is not blank, without surrounding white space; "" if all are. */
export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0]?.trimEnd() ?? "";
}

/** A value as text: a string as it is, any other value as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

let segmenter: Intl.Segmenter | undefined;
/** The code units beyond the cut in which a character (grapheme cluster) may continue. */
const CLUSTER_LENGTH = 64;

/**
 * Returns at most `length` UTF-16 code units of a text. A shortened text ends with an ellipsis, which counts; no character
 * that readers see as one (grapheme cluster) is split.
 */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const end = Math.max(0, length - 1);
  const cut = segmenter.segment(text.slice(0, end + CLUSTER_LENGTH)).containing(end)?.index ?? 0;
  return `${text.slice(0, cut).toWellFormed().trimEnd()}…`;
}

/** `truncate` of a text on one line. */
export function truncateLine(text: string, length: number): string {
  return truncate(oneLine(text), length);
}

/** A text on one line that still shows its line breaks and tabs, as `\\n` and `\\t`, so that it can be repeated exactly. */
export function escapedLine(text: string): string {
  return text.replaceAll(/\r?\n/gu, "\\n").replaceAll("\t", "\\t");
}

/** "water the rose" → "Water the rose". */
export function capitalize(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/** "Water the rose" → "water the rose". */
export function uncapitalize(text: string): string {
  const [first = ""] = text;
  return first.toLowerCase() + text.slice(first.length);
}

/** Returns the regular plural of an English noun: "task" → "tasks", "memory" → "memories". */
export function pluralOf(noun: string): string {
  return /[^aeiou]y$/u.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

let numbers: Intl.NumberFormat | undefined;

export function formatNumber(number: number): string {
  // A slow phone takes milliseconds to make the formatter, and most counts are small.
  if (Number.isInteger(number) && Math.abs(number) < 1_000) return String(number);
  numbers ??= new Intl.NumberFormat("en");
  return numbers.format(number);
}

/** "1 byte", "12,345 bytes", "2 memories". `plural` is for irregular nouns. */
export function formatCount(count: number, noun: string, plural = pluralOf(noun)): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** "0 bytes", "1.2 kB", "3.4 MB"; decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return formatCount(bytes, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1_000;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size < 9.95 ? size.toFixed(1) : String(Math.round(size))} ${units[unit] ?? ""}`;
}
