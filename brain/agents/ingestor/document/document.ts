import { z } from "zod";

/** The supported kinds of files, by file extension. */
export const DocumentKind = z.enum(["txt", "md", "json", "csv", "html"]);
export type DocumentKind = z.infer<typeof DocumentKind>;

/** The text of a file in self-contained chunks, or the reason why it cannot be ingested. */
export const DocumentChunks = z.union([
  z.strictObject({ chunks: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ refused: z.string() }),
]);
export type DocumentChunks = z.infer<typeof DocumentChunks>;

const KIND_BY_EXTENSION: Readonly<Record<string, DocumentKind>> = {
  txt: "txt",
  text: "txt",
  md: "md",
  markdown: "md",
  json: "json",
  csv: "csv",
  html: "html",
  htm: "html",
};

/** Returns the kind of a file; undefined if it is not supported. */
export function documentKind(name: string): DocumentKind | undefined {
  return KIND_BY_EXTENSION[/\.([a-z]+)$/iu.exec(name)?.[1]?.toLowerCase() ?? ""];
}

/** A text that cannot be ingested. The message is the reason, as part of a sentence. */
export class UnreadableDocumentError extends Error {
  override readonly name = "UnreadableDocumentError";
}
