import { citedParts } from "@metahuman/core/contract/citation";
import { Lexer, type MarkedOptions, type MarkedToken, type Token } from "marked";
import { type Formula, formulaOf, mathExtensions } from "./math.ts";

/**
 * The Markdown of this page: a closed set of nodes that cannot contain HTML, scripts or external pictures. HTML in a
 * text stays text; only safe addresses become links.
 */
export type Inline =
  | { kind: "text"; text: string }
  | { kind: "strong"; children: Inline[] }
  | { kind: "emphasis"; children: Inline[] }
  | { kind: "deleted"; children: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "link"; href: string; children: Inline[] }
  | { kind: "break" }
  | ({ kind: "math"; raw: string } & Formula)
  /** `[2]`: the number of the step that is cited. */
  | { kind: "citation"; steps: number[] };

export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "heading"; depth: number; children: Inline[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; start: number | undefined; items: ListItem[] }
  | { kind: "table"; header: Inline[][]; rows: Inline[][][] }
  | { kind: "rule" };

export interface ListItem {
  /** Absent if the item has no checkbox. */
  checked: boolean | undefined;
  blocks: Block[];
}

/** Longer texts are shown as plain text, in UTF-16 code units: Markdown of that size is data, not prose. */
export const MAX_MARKDOWN = 400_000;
const MAX_DEPTH = 16;
const FOLLOWABLE = new Set(["http:", "https:", "mailto:"]);

/** Reads `text` as Markdown (GitHub's flavour, line breaks kept, formulas in TeX); never throws. */
export function parseMarkdown(text: string): Block[] {
  const tokens = lex(text, mathExtensions);
  return tokens ? blocksOf(tokens, 0, formatted) : [plainBlock(text)];
}

/**
 * Parses a text that a skill created from data. Tables, lists and fenced text are rendered; text inside them is not
 * interpreted, because what looks like emphasis or a link comes from the data.
 */
export function readData(text: string): Block[] {
  const tokens = lex(text);
  return tokens ? blocksOf(tokens, 0, literal) : [plainBlock(text)];
}

/** How text inside a block is parsed. */
type InlineReader = (token: MarkedToken, depth: number) => Inline[];

/** The tokens of `text`; undefined if it is too large or nested too deeply for Markdown. */
function lex(text: string, extensions: MarkedOptions["extensions"] = null): Token[] | undefined {
  if (text.length > MAX_MARKDOWN || text.split(/\n[^\S\n]*\n/u).some(hasTooManyOpenMarks)) return undefined;
  try {
    return new Lexer({ gfm: true, breaks: true, extensions }).lex(text);
  } catch (error) {
    // The lexer recurses with the nesting of its input.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Marks of emphasis before a word, and after one. */
const OPENING = /(?<![\p{L}\p{N}])[*_~]+(?=[\p{L}\p{N}])/gu;
const CLOSING = /(?<=[\p{L}\p{N}])[*_~]+(?![\p{L}\p{N}])/gu;
/** The maximum number of characters that the lexer may read to find the ends of emphasis in one paragraph. */
const MAX_SEARCHED = 10_000_000;

/** True if so many marks in a paragraph begin emphasis that never ends that the lexer, which reads on for each, would take seconds. */
function hasTooManyOpenMarks(paragraph: string): boolean {
  if (paragraph.length ** 2 <= MAX_SEARCHED) return false;
  const open = (paragraph.match(OPENING)?.length ?? 0) - (paragraph.match(CLOSING)?.length ?? 0);
  return open * paragraph.length > MAX_SEARCHED;
}

function plainBlock(text: string): Block {
  return { kind: "code", language: "", text };
}

function blocksOf(tokens: readonly Token[], depth: number, read: InlineReader): Block[] {
  return tokens.flatMap((token) => {
    if (isKnown(token)) return blockOf(token, depth, read);
    const children = inlinesOf([token], depth, read);
    return [token.type === "math" ? { kind: "paragraph", children } : plainBlock(token.raw)];
  });
}

// marked's own union is open to extensions; this page uses none.
const KNOWN = new Set<string>([
  ...[
    "blockquote",
    "br",
    "checkbox",
    "code",
    "codespan",
    "def",
    "del",
    "em",
    "escape",
    "heading",
    "hr",
    "html",
  ],
  ...["image", "link", "list", "list_item", "paragraph", "space", "strong", "table", "text"],
]);

function isKnown(token: Token): token is MarkedToken {
  return KNOWN.has(token.type);
}

function blockOf(token: MarkedToken, depth: number, read: InlineReader): Block[] {
  if (depth > MAX_DEPTH) return [plainBlock(token.raw)];
  switch (token.type) {
    case "space":
    case "checkbox":
      return [];
    case "def":
      return read === literal ? [{ kind: "paragraph", children: [{ kind: "text", text: token.raw }] }] : [];
    case "hr":
      return [{ kind: "rule" }];
    case "heading":
      return [{ kind: "heading", depth: token.depth, children: inlinesOf(token.tokens, depth, read) }];
    case "code":
      return [{ kind: "code", language: token.lang?.split(/\s/, 1)[0] ?? "", text: token.text }];
    case "blockquote":
      return [{ kind: "quote", blocks: blocksOf(token.tokens, depth + 1, read) }];
    case "list":
      return [
        {
          kind: "list",
          start: token.ordered ? Number(token.start) : undefined,
          items: token.items.map((item) => ({
            checked: item.task ? item.checked === true : undefined,
            blocks: blocksOf(item.tokens, depth + 1, read),
          })),
        },
      ];
    case "table":
      return [
        {
          kind: "table",
          header: token.header.map((cell) => inlinesOf(cell.tokens, depth, read)),
          rows: token.rows.map((row) => row.map((cell) => inlinesOf(cell.tokens, depth, read))),
        },
      ];
    case "paragraph":
      return [{ kind: "paragraph", children: inlinesOf(token.tokens, depth, read) }];
    case "text":
      return [
        {
          kind: "paragraph",
          children: token.tokens ? inlinesOf(token.tokens, depth, read) : read(token, depth),
        },
      ];
    case "html":
      return [{ kind: "paragraph", children: [{ kind: "text", text: token.raw.trimEnd() }] }];
    default:
      return [{ kind: "paragraph", children: read(token, depth) }];
  }
}

function inlinesOf(tokens: readonly Token[], depth: number, read: InlineReader): Inline[] {
  return tokens.flatMap((token) => {
    if (isKnown(token)) return read(token, depth + 1);
    const formula = formulaOf(token);
    return [formula ? { kind: "math", raw: token.raw, ...formula } : { kind: "text", text: token.raw }];
  });
}

function formatted(token: MarkedToken, depth: number): Inline[] {
  if (depth > MAX_DEPTH) return [{ kind: "text", text: token.raw }];
  switch (token.type) {
    case "strong":
      return [{ kind: "strong", children: inlinesOf(token.tokens, depth, formatted) }];
    case "em":
      return [{ kind: "emphasis", children: inlinesOf(token.tokens, depth, formatted) }];
    case "del":
      return [{ kind: "deleted", children: inlinesOf(token.tokens, depth, formatted) }];
    case "codespan":
      return [{ kind: "code", text: token.text }];
    case "br":
      return [{ kind: "break" }];
    case "link": {
      const children = inlinesOf(token.tokens, depth, formatted);
      const href = followable(token.href);
      if (href === undefined) return [{ kind: "text", text: token.raw }];
      return bareLink(token.raw, token.text) ?? [{ kind: "link", href, children }];
    }
    case "image": {
      // Pictures are never fetched: the request would tell their server who reads what, and when.
      const href = followable(token.href);
      const label: Inline = { kind: "text", text: `[picture: ${token.text || token.href}]` };
      return [href === undefined ? label : { kind: "link", href, children: [label] }];
    }
    case "escape":
      return [{ kind: "text", text: withCharacters(token.text) }];
    case "text":
      return citedParts(withCharacters(token.text)).map((part) =>
        "steps" in part ? { kind: "citation", steps: part.steps } : { kind: "text", text: part.text },
      );
    case "html":
      return [{ kind: "text", text: token.raw }];
    default:
      return [{ kind: "text", text: "raw" in token ? token.raw : "" }];
  }
}

/** A bare address, without the quotation marks that close around it. */
function bareLink(raw: string, text: string): Inline[] | undefined {
  const [closing] = /[”’»]+$/u.exec(raw) ?? [];
  if (raw !== text || closing === undefined) return undefined;
  const address = raw.slice(0, -closing.length);
  const href = followable(address);
  const children: Inline[] = [{ kind: "text", text: address }];
  return href === undefined
    ? undefined
    : [
        { kind: "link", href, children },
        { kind: "text", text: closing },
      ];
}

function literal(token: MarkedToken): Inline[] {
  if (token.type === "br") return [{ kind: "break" }];
  // A skill escapes signs with a backslash.
  return [{ kind: "text", text: token.type === "escape" ? token.text : token.raw }];
}

/** The normalized address if it is absolute and safe to follow; else undefined. */
export function followable(href: string): string | undefined {
  const url = URL.parse(href);
  return url && FOLLOWABLE.has(url.protocol) ? url.href : undefined;
}

const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};

/** Replaces character references (`&amp;`, `&#39;`) with their characters; an unknown one stays unchanged. */
function withCharacters(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, decimal, hexadecimal, name) => {
      if (typeof name === "string") return NAMED[name] ?? whole;
      const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hexadecimal), 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
    },
  );
}

/**
 * Parses a streamed text incrementally: finished blocks are cached, and only the tail is parsed again. The complete
 * text is parsed once more as a whole.
 */
export class GrowingMarkdown {
  #settledText = "";
  #settled: Block[] = [];

  read(text: string): Block[] {
    if (!text.startsWith(this.#settledText)) {
      this.#settledText = "";
      this.#settled = [];
    }
    const tail = text.slice(this.#settledText.length);
    const tokens = lex(tail, mathExtensions);
    if (!tokens) return [...this.#settled, plainBlock(tail)];
    // The last two blocks may still change: a paragraph into a heading, a line into a table, and a list
    // continues after an empty line.
    const blocks = tokens.flatMap(({ type }, index) => (type === "space" ? [] : index));
    const done = tokens.slice(0, blocks.at(-2) ?? 0);
    if (done.length > 0) {
      this.#settledText += done.map((token) => token.raw).join("");
      this.#settled = [...this.#settled, ...blocksOf(done, 0, formatted)];
    }
    return [...this.#settled, ...blocksOf(tokens.slice(done.length), 0, formatted)];
  }
}

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
