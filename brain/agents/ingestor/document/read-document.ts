import { type DocumentKind, type ReadDocument, UnreadableDocument } from "./document.ts";
import { readCsv, readJson } from "./read-data.ts";
import { readHtml } from "./read-html.ts";
import { readMarkdown, readText } from "./read-text.ts";

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
export function readDocument(kind: DocumentKind, text: string): ReadDocument {
  try {
    const chunks = readers[kind](text.toWellFormed());
    if (chunks.length === 0) return { refused: "there is no text in it" };
    if (chunks.length > MAX_CHUNKS)
      return { refused: `it would become ${chunks.length} memories; the limit is ${MAX_CHUNKS}` };
    return { chunks };
  } catch (error) {
    if (error instanceof UnreadableDocument) return { refused: error.message };
    throw error;
  }
}
