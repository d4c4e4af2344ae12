import type { Block, Inline } from "./markdown.ts";

type Table = Extract<Block, { kind: "table" }>;

/** The text of formatted Markdown without markup and citations. */
export function plainText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      switch (inline.kind) {
        case "text":
        case "code":
          return inline.text;
        case "break":
          return "\n";
        case "math":
          return inline.raw;
        case "citation":
          return "";
        default:
          return plainText(inline.children);
      }
    })
    .join("");
}

/** A table as comma-separated values (RFC 4180). */
export function tableAsCsv({ header, rows }: Table): string {
  return [header, ...rows]
    .map((row) => row.map((cell) => quoteCell(plainText(cell).trim())).join(","))
    .join("\r\n");
}

const quoteCell = (cell: string): string =>
  /[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
