import { Parser } from "htmlparser2";
import { parse } from "csv-parse/sync";
import { withoutTrailing } from "@metahuman/core/text/words";
import { type DocumentKind, type DocumentChunks, UnreadableDocumentError } from "./document.ts";
import { asText } from "@metahuman/core/text/format";

/** The maximum number of chunks of one file. */
const MAX_CHUNKS = 5_000;

const readers: Readonly<Record<DocumentKind, (text: string) => string[]>> = {
  txt: readText,
  md: readMarkdown,
  json: readJson,
  csv: readCsv,
  html: readHtml,
};

/** Splits a text according to its kind. Pure but slow; process large files in a worker. */
export function readDocument(kind: DocumentKind, text: string): DocumentChunks {
  try {
    const chunks = readers[kind](text.toWellFormed());
    if (chunks.length === 0) return { refused: "there is no text in it" };
    if (chunks.length > MAX_CHUNKS)
      return { refused: `it would become ${chunks.length} memories; the limit is ${MAX_CHUNKS}` };
    return { chunks };
  } catch (error) {
    if (error instanceof UnreadableDocumentError) return { refused: error.message };
    throw error;
  }
}

/** Splits a text at empty lines. */
function readText(text: string): string[] {
  return chunkTexts(text.replaceAll(/\r\n?/g, "\n").split(/\n\s*\n/));
}

/** The words of a heading without the marks that may close it: "Rules ##". */
function withoutClosingMarks(words: string): string {
  const open = withoutTrailing(words, /#/);
  return /\s$/.test(open) ? open.trimEnd() : words;
}

/** Splits Markdown by its headings; each chunk starts with the headings above it. */
function readMarkdown(text: string): string[] {
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

/** Elements whose content is not displayed. */
const HIDDEN_ELEMENTS = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "svg",
  "math",
  "iframe",
  "object",
  "head",
]);
/** Elements that start on a new line. */
const BLOCKS = new Set(
  "address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul".split(
    " ",
  ),
);

/** Returns the visible text of a page, title first. Executes and fetches nothing. */
function readHtml(html: string): string[] {
  let title = "";
  let text = "";
  let hiddenDepth = 0;
  let isInTitle = false;
  const parser = new Parser(
    {
      onopentag(name) {
        if (HIDDEN_ELEMENTS.has(name)) hiddenDepth += 1;
        if (name === "title") isInTitle = true;
        if (BLOCKS.has(name)) text += "\n\n";
      },
      ontext(words) {
        if (isInTitle) title += words;
        else if (hiddenDepth === 0) text += words.replaceAll(/\s+/gu, " ");
      },
      onclosetag(name) {
        if (HIDDEN_ELEMENTS.has(name)) hiddenDepth = Math.max(0, hiddenDepth - 1);
        if (name === "title") isInTitle = false;
        if (BLOCKS.has(name)) text += "\n\n";
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/ +/g, " ").trim());
  return readText([title.trim(), ...paragraphs].filter((words) => words !== "").join("\n\n"));
}

/** The maximum nesting depth. */
const MAX_DEPTH = 32;

/** Converts JSON to lines of `path: value`. The lines of one element or one top-level key stay together. */
function readJson(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UnreadableDocumentError(`it is not JSON: ${error.message}`);
  }
  const entries = isCollection(value) ? Object.entries(value) : [["", value] as const];
  const isList = Array.isArray(value);
  return chunkTexts(entries.map(([key, part]) => linesOf(isList ? "" : key, part, 1).join("\n")));
}

function linesOf(path: string, value: unknown, depth: number): string[] {
  if (depth > MAX_DEPTH) throw new UnreadableDocumentError("it is nested too deeply");
  if (isCollection(value)) {
    return Object.entries(value).flatMap(([key, part]) =>
      linesOf(path === "" ? key : `${path}.${key}`, part, depth + 1),
    );
  }
  if (value === null || value === "") return [];
  const valueText = asText(value);
  return [path === "" ? valueText : `${path}: ${valueText}`];
}

function isCollection(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Converts a table with column names in the first row; each row becomes `column: value; …`. */
function readCsv(text: string): string[] {
  let rows: string[][];
  try {
    rows = parse(text, {
      delimiter: [",", ";", "\t"],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UnreadableDocumentError(`it is not a table of comma-separated values: ${error.message}`);
  }
  const [names = [], ...records] = rows;
  const lines = records.map((record) =>
    record
      .map((value, column) => (names[column] ? `${names[column]}: ${value}` : value))
      .filter((_, column) => record[column] !== "")
      .join("; "),
  );
  return chunkTexts(lines.length > 0 ? lines : [names.join("; ")], "\n");
}

/** The target length of a chunk in UTF-16 code units: one to three paragraphs, enough to be understood alone. */
export const CHUNK_LENGTH = 1_500;

/** Joins short texts and splits long ones into chunks of about `CHUNK_LENGTH`. Drops empty ones. */
function chunkTexts(texts: readonly string[], separator = "\n\n"): string[] {
  const chunks: string[] = [];
  let current = "";
  for (const text of texts.flatMap(splitLongText)) {
    if (current !== "" && current.length + separator.length + text.length > CHUNK_LENGTH) {
      chunks.push(current);
      current = "";
    }
    current = current === "" ? text : current + separator + text;
  }
  return current === "" ? chunks : [...chunks, current];
}

/** Splits a text that is longer than a chunk: after a sentence, else after a word, else anywhere but inside a character. */
function splitLongText(text: string): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > CHUNK_LENGTH) {
    const head = rest.slice(0, CHUNK_LENGTH);
    const end = lastEnd(head, /[.!?…。！？]["'”’)]*\s/gu) ?? lastEnd(head, /\s/gu) ?? characterBoundary(head);
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return [...parts, rest].filter((part) => part !== "");
}

/** Returns the end of the last match if the chunk before it is long enough. */
function lastEnd(text: string, pattern: RegExp): number | undefined {
  let end: number | undefined;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end !== undefined && end > CHUNK_LENGTH / 2 ? end : undefined;
}

function characterBoundary(text: string): number {
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}
