import { withoutTrailing } from "@metahuman/core/text/words";
import { chunkTexts } from "./pack.ts";

/** Splits a text at empty lines. */
export function readText(text: string): string[] {
  return chunkTexts(text.replaceAll(/\r\n?/g, "\n").split(/\n\s*\n/));
}

/** The words of a heading without the marks that may close it: "Rules ##". */
function withoutClosingMarks(words: string): string {
  const open = withoutTrailing(words, /#/);
  return /\s$/.test(open) ? open.trimEnd() : words;
}

/** Splits Markdown by its headings; each chunk starts with the headings above it. */
export function readMarkdown(text: string): string[] {
  const chunks: string[] = [];
  const headings: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;

  const closeSection = (): void => {
    const under = headings.filter((heading) => heading !== "").join(" › ");
    const body = readText(lines.join("\n"));
    chunks.push(...body.map((chunk) => (under === "" ? chunk : `${under}\n${chunk}`)));
    lines = [];
  };
  for (const line of text.replaceAll(/\r\n?/g, "\n").split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, 3);
    if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined;
    const heading = fence === undefined ? /^ {0,3}(#{1,6})\s+(.*)$/.exec(line) : null;
    if (!heading) {
      lines.push(line);
      continue;
    }
    closeSection();
    const [, marks = "#", words = ""] = heading;
    headings.length = Math.min(headings.length, marks.length - 1);
    while (headings.length < marks.length - 1) headings.push("");
    headings.push(withoutClosingMarks(words.trim()));
  }
  closeSection();
  return chunks;
}
