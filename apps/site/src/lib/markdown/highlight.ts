import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";

/** A piece of code; `ink` is its color, absent for plain text. */
export interface CodePiece {
  text: string;
  ink?: string;
}

interface Parser {
  parse(text: string): Parameters<typeof highlightTree>[0];
}

/** Longer code is shown without colors. */
const MAX_LENGTH = 50_000;

const javascript = async (dialect: string): Promise<Parser> =>
  (await import("@lezer/javascript")).parser.configure({ dialect });
const json = async (): Promise<Parser> => (await import("@lezer/json")).parser;
const python = async (): Promise<Parser> => (await import("@lezer/python")).parser;

/** The parsers by the language names used after a fence. */
const PARSERS: ReadonlyMap<string, () => Promise<Parser>> = new Map([
  ...["js", "javascript", "mjs", "cjs"].map((name) => [name, () => javascript("")] as const),
  ...["jsx"].map((name) => [name, () => javascript("jsx")] as const),
  ...["ts", "typescript", "mts"].map((name) => [name, () => javascript("ts")] as const),
  ...["tsx"].map((name) => [name, () => javascript("jsx ts")] as const),
  ...["json", "jsonc", "json5"].map((name) => [name, json] as const),
  ...["py", "python", "python3"].map((name) => [name, python] as const),
  ["css", async () => (await import("@lezer/css")).parser],
  ["html", async () => (await import("@lezer/html")).parser],
]);

const inks = tagHighlighter([
  { tag: tags.comment, class: "comment" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.tagName], class: "keyword" },
  { tag: [tags.string, tags.regexp, tags.attributeValue], class: "string" },
  { tag: [tags.number, tags.bool, tags.null, tags.color, tags.unit], class: "number" },
]);

/** Colors code, or resolves to undefined for a language without a parser. */
export async function highlight(language: string, text: string): Promise<CodePiece[] | undefined> {
  const load = PARSERS.get(language.toLowerCase());
  if (!load || text.length > MAX_LENGTH) return undefined;
  const tree = (await load()).parse(text);
  const pieces: CodePiece[] = [];
  let end = 0;
  highlightTree(tree, inks, (from, to, ink) => {
    if (from > end) pieces.push({ text: text.slice(end, from) });
    pieces.push({ text: text.slice(from, to), ink });
    end = to;
  });
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}
