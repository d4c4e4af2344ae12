import { z } from "zod";

/** The kinds of file that are taken in, by the ends of their names. */
export const DocumentKind = z.enum(["txt", "md", "json", "csv", "html"]);
export type DocumentKind = z.infer<typeof DocumentKind>;

/** What a file says, in pieces of which each can stand for itself; or why it cannot be taken in. */
export const ReadDocument = z.union([
  z.strictObject({ chunks: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ refused: z.string() }),
]);
export type ReadDocument = z.infer<typeof ReadDocument>;

const ENDS: Readonly<Record<string, DocumentKind>> = {
  txt: "txt",
  text: "txt",
  md: "md",
  markdown: "md",
  json: "json",
  csv: "csv",
  html: "html",
  htm: "html",
};

/** Undefined for a file that is of none of them. */
export function documentKind(name: string): DocumentKind | undefined {
  return ENDS[/\.([a-z]+)$/iu.exec(name)?.[1]?.toLowerCase() ?? ""];
}

/** A text that cannot be taken in; its message is the reason, as part of a sentence. */
export class UnreadableDocument extends Error {
  override readonly name = "UnreadableDocument";
}
