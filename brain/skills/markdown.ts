import { oneLine, truncate, asText } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";

/** Formats output values as Markdown. Their content is escaped and never interpreted as markup. */

const PREVIEW = 200;

/**
 * Returns plain text on one line: line breaks become spaces, Markdown characters are escaped. An underscore within a word is not markup, so
 * that names such as IMG_2026.jpg stay as models must repeat them.
 */
export function escapeInline(text: string): string {
  return oneLine(text).replace(/[\\`*[\]<>|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
}

function scalar(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return escapeInline(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.map(scalar).join(", ");
  return escapeInline(JSON.stringify(value));
}

/** Returns a Markdown table; a missing value is an empty cell. */
export function table(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map((row) => line(row.map(scalar)))].join(
    "\n",
  );
}

/** Returns a code block; its fence is longer than every run of backticks in the text. */
export function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Returns a bullet per field; lists of records become tables below. */
export function structureOf(outputs: Record<string, unknown>): string {
  const bullets: string[] = [];
  const tables: string[] = [];
  for (const [name, value] of Object.entries(outputs)) {
    if (value === undefined) continue;
    if (Array.isArray(value) && value.length > 0 && value.every(isRecord)) {
      const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
      tables.push(
        `${name}:\n\n${table(
          columns,
          value.map((row) => columns.map((column) => row[column])),
        )}`,
      );
    } else {
      bullets.push(`- ${name}: ${scalar(value)}`);
    }
  }
  return [bullets.join("\n"), ...tables].filter((part) => part !== "").join("\n\n");
}

/** Returns the arguments of a call as facts for a preview; long values are clipped with their length. */
export function argumentFacts(args: Record<string, unknown>): { label: string; value: string }[] {
  return Object.entries(args)
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => {
      const text = asText(value);
      return {
        label,
        value: text.length > PREVIEW ? `${truncate(text, PREVIEW)} (${text.length} characters)` : text,
      };
    });
}
