import type { MarkedOptions, Token } from "marked";

/** A formula in TeX. */
export interface Formula {
  tex: string;
  /** Whether it is a block of its own. */
  display: boolean;
}

/** Longer formulas are shown as text. */
const MAX_TEX = 5_000;

/** A paragraph that is one formula: `$$…$$` or `\[…\]`. It contains no empty line. */
const BLOCK =
  /^ {0,3}(?:\$\$(?:(?!\$\$|\n[ \t]*\n)[^])+\$\$|\\\[(?:(?!\\\]|\n[ \t]*\n)[^])+\\\])[ \t]*(?:\n+|$)/;
/** `$$…$$`, `\[…\]`, `\(…\)` and `$…$` within a line. A single dollar encloses no space at its ends. */
const INLINE =
  /^(?:\$\$[^$\n]+\$\$|\\\[[^\n]+?\\\]|\\\([^\n]+?\\\)|\$(?!\s)(?:\\[^\n]|[^$\\\n])+?(?<!\s)\$(?![\p{L}\p{N}$]))/u;

/** Where a formula may begin. A dollar after a letter or digit ends an amount or a name. */
const START = /(?<![\p{L}\p{N}\\$])\$|\\[[(]/u;

/** A token that contains its formula, so that nothing reads it again. */
interface MathToken extends Formula {
  type: "math";
  raw: string;
}

/** Extends marked's lexer: formulas become tokens of the type `math`, and prices stay text. */
export const mathExtensions: NonNullable<MarkedOptions["extensions"]> = {
  renderers: {},
  childTokens: {},
  startBlock: [startOfBlock],
  block: [(text) => tokenOf(BLOCK, text)],
  startInline: [(text) => START.exec(text)?.index],
  inline: [(text) => tokenOf(INLINE, text)],
};

function startOfBlock(text: string): number | undefined {
  const at = /^ {0,3}(?:\$\$|\\\[)/mu.exec(text)?.index;
  return at !== undefined && tokenOf(BLOCK, text.slice(at)) ? at : undefined;
}

function tokenOf(pattern: RegExp, text: string): MathToken | undefined {
  const raw = pattern.exec(text)?.[0];
  const formula = raw === undefined ? undefined : formulaIn(raw);
  return raw === undefined || !formula ? undefined : { type: "math", raw, ...formula };
}

/** Returns the formula of a token of the type `math`. */
export function formulaOf(token: Token): Formula | undefined {
  return isMath(token) ? { tex: token.tex, display: token.display } : undefined;
}

const isMath = (token: Token): token is Token & MathToken => token.type === "math" && "tex" in token;

function formulaIn(raw: string): Formula | undefined {
  const source = raw.trim();
  const isSingle = source.startsWith("$") && !source.startsWith("$$");
  const tex = (isSingle ? source.slice(1, -1) : source.slice(2, -2)).trim();
  if (tex === "" || tex.length > MAX_TEX || (isSingle && isAmount(tex))) return undefined;
  // Brackets around digits only are an escaped citation.
  if (source.startsWith("\\") && /^[\d\s,]+$/u.test(tex)) return undefined;
  return { tex, display: source.startsWith("$$") || source.startsWith("\\[") };
}

/** Whether the text between two dollars begins with an amount and continues with words, as in “$5 or 6$”. */
const isAmount = (text: string): boolean => /^\d[\d.,]*(?:\s+[\p{L}]{2,}|\s*[-–—]\s*$)/u.test(text);
