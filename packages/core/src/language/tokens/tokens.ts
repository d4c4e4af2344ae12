import { normalize, stem } from "./words.ts";

/** A span of quoted text: the positions of its marks and the text between them. */
interface Quotation {
  start: number;
  end: number;
  inner: string;
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "”": "”",
  "„": "“”",
  "‘": "’",
  "‚": "‘’",
  "«": "»",
  "»": "«",
  "‹": "›",
  "「": "」",
  "『": "』",
};

/** Marks that also occur inside words (don't, 5"): they open and close only at a word boundary. */
const INNER_MARKS = "'’‘\"`";

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/**
 * Finds quotations in linear time, even if marks are never closed. Three backticks open a block that ends at the next
 * three.
 */
class QuotationFinder {
  readonly #text: string;
  /** Opening marks without a closing mark. */
  readonly #unclosed = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the quotation that opens exactly at `position`, if there is one. */
  at(position: number): Quotation | undefined {
    const text = this.#text;
    if (text.startsWith("```", position)) return this.#fence(position);
    const mark = text[position];
    if (mark === undefined) return undefined;
    const closing = CLOSING[mark];
    if (closing === undefined || this.#unclosed.has(mark)) return undefined;
    if (INNER_MARKS.includes(mark) && isWordCharacter(text[position - 1])) return undefined;
    if (mark === "'" && /\s/.test(text[position + 1] ?? " ")) return undefined;
    for (let depth = 1, index = position + 1; index < text.length; index++) {
      const character = text[index];
      if (character === undefined) break;
      if (character === mark && !closing.includes(mark)) depth++;
      else if (closing.includes(character) && this.#closes(character, index)) depth--;
      if (depth === 0) return { start: position, end: index + 1, inner: text.slice(position + 1, index) };
    }
    this.#unclosed.add(mark);
    return undefined;
  }

  #closes(mark: string, index: number): boolean {
    return !INNER_MARKS.includes(mark) || !isWordCharacter(this.#text[index + 1]);
  }

  #fence(position: number): Quotation | undefined {
    const close = this.#text.indexOf("```", position + 3);
    if (close < 0) return undefined;
    const inner = this.#text.slice(position + 3, close).replace(/^[\w+-]*\r?\n/, "");
    return { start: position, end: close + 3, inner };
  }
}

/** The quotations of a text, in order. */
export function quotationsIn(text: string): Quotation[] {
  const finder = new QuotationFinder(text);
  const found: Quotation[] = [];
  for (let index = 0; index < text.length; index++) {
    const quotation = finder.at(index);
    if (quotation === undefined) continue;
    found.push(quotation);
    index = quotation.end - 1;
  }
  return found;
}

/**
 * - `word`: letters and digits, with inner hyphens and apostrophes
 * - `path`: a path or file name, with a slash or an extension
 * - `quoted`: text between quotation marks, never interpreted
 * - `mark`: punctuation
 * - `symbol`: other characters, such as an emoji
 * - `rest`: everything after the first `MAX_TOKENS` tokens
 */
type TokenKind = "word" | "path" | "quoted" | "mark" | "symbol" | "rest";

export interface Token {
  kind: TokenKind;
  /** Offsets into the request, in UTF-16 code units. */
  start: number;
  end: number;
  /** The normalized text for comparisons; for `quoted`, the text between the marks as written. */
  text: string;
  stem: string;
  /** True if a line break precedes this token. */
  onNewLine: boolean;
  /** True if white space or nothing precedes this token. */
  spaced: boolean;
}

/** Maximum number of tokens; the rest of the request becomes one `rest` token. */
export const MAX_TOKENS = 200;

/** Maximum length of a path; limits how often text without spaces is scanned. */
const CHUNK = /[^\s"“”„«»‹›「」『』]{1,1024}/uy;
const SPACE = /\s+/uy;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:['’ʼ.-][\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*/uy;
/** An option of a program: "-a", "--all". A dash without a space before a longer word is a bullet. */
const OPTION = /-(?:-[A-Za-z][\w-]*|[A-Za-z]{1,3})(?![\p{L}\p{N}_-])/uy;
const OPENING_BRACKETS = /^[([{<]+/u;
/** Emphasis in Markdown. The marks are part of the name unless the same ones follow it. */
const EMPHASIS = /^([*_~]+)(?=[\p{L}\p{N}#@]).+?\1[.,;:!?…)\]}>]*$/u;
const TRAILING_MARKS = /[.,;:!?…)\]}>]+$/u;
const EXTENSION = /[\p{L}\p{N})_*-]\.(?:[A-Za-z][A-Za-z0-9]{0,9}|7z)$/u;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const NOT_A_FILE = new RegExp(
  [
    String.raw`^(?:[\p{L}]\.)+[\p{L}]\.?$|^(?:https?|ftp|mailto|file|data):`,
    String.raw`^\d+([.,:/-]\d+)*(st|nd|rd|th|am|pm|h|%)?$|^and\/or$|^[wn]\/[ao]$`,
  ].join("|"),
  "iu",
);

/** Removes brackets, emphasis and punctuation from a name: "(_a.md_)," is `a.md`, and `_a.md` stays unchanged. */
function nameIn(chunk: string): { opening: string; name: string } {
  const brackets = OPENING_BRACKETS.exec(chunk)?.[0] ?? "";
  const marks = EMPHASIS.exec(chunk.slice(brackets.length))?.[1] ?? "";
  const opening = brackets + marks;
  const name = chunk.slice(opening.length).replace(TRAILING_MARKS, "");
  return { opening, name: marks === "" ? name : name.slice(0, -marks.length) };
}

/** "what's" is "what is" and "don't" is "do not"; each half has its own position in the request. */
const CONTRACTIONS: Readonly<Record<string, readonly [string, string, number]>> = {
  ...Object.fromEntries(
    ["what", "where", "who", "when", "which", "how", "that", "it", "there", "here"].flatMap((word) => [
      [`${word}'s`, [word, "is", word.length]],
      [`${word}'re`, [word, "are", word.length]],
    ]),
  ),
  ...Object.fromEntries(
    ["do", "does", "did", "is", "are", "was", "were", "have", "has", "would", "could", "should"].flatMap(
      (word) => [
        [`${word}n't`, [word, "not", word.length]],
        [`${word}nt`, [word, "not", word.length]],
      ],
    ),
  ),
  "can't": ["can", "not", 3],
  cant: ["can", "not", 3],
  cannot: ["can", "not", 3],
  "won't": ["will", "not", 2],
  wont: ["will", "not", 2],
  ...Object.fromEntries(
    ["what", "where", "who", "when", "how", "there", "that"].map((word) => [
      `${word}s`,
      [word, "is", word.length],
    ]),
  ),
  ...Object.fromEntries(["wats", "wots", "wat's", "wot's"].map((word) => [word, ["what", "is", 3]])),
  gimme: ["give", "me", 3],
  lemme: ["let", "me", 3],
  im: ["i", "am", 1],
  ive: ["i", "have", 1],
  "let's": ["let", "us", 3],
  lets: ["let", "us", 3],
  "i'd": ["i", "would", 1],
  "i'll": ["i", "will", 1],
  "i'm": ["i", "am", 1],
  "i've": ["i", "have", 1],
  "you're": ["you", "are", 3],
  "we're": ["we", "are", 2],
};

/** Ways to write a word that are not words themselves. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "to-do": "todo",
  "to-dos": "todos",
  teh: "the",
  adn: "and",
  u: "you",
  gti: "git",
  wich: "which",
  ur: "your",
  wat: "what",
  wot: "what",
  waht: "what",
  wen: "when",
  wher: "where",
  dis: "this",
  dat: "that",
  wid: "with",
  abt: "about",
  cuz: "because",
  coz: "because",
  bc: "because",
  hav: "have",
  hv: "have",
  payed: "paid",
  cud: "could",
  wud: "would",
  shud: "should",
  smth: "something",
  sth: "something",
};

function looksLikePath(chunk: string): boolean {
  if (NOT_A_FILE.test(chunk)) return false;
  return EXTENSION.test(chunk) || /^\.[A-Za-z][\w.-]*$/.test(chunk) || /[/\\]/.test(chunk);
}

/** Splits a request into tokens. Linear in its length and deterministic. */
export function tokenize(request: string): Token[] {
  const tokens: Token[] = [];
  const quotations = new QuotationFinder(request);
  let position = 0;
  let onNewLine = false;
  let spaced = true;
  /** No path begins before this position: if a run of characters is not a path, no part of it is. */
  let noPathBefore = 0;

  const push = (
    kind: TokenKind,
    start: number,
    end: number,
    text = normalize(request.slice(start, end)),
  ): void => {
    tokens.push({ kind, start, end, text, stem: kind === "word" ? stem(text) : text, onNewLine, spaced });
    onNewLine = false;
    spaced = false;
  };
  const pushWord = (start: number, end: number): void => {
    const text = normalize(request.slice(start, end));
    // "Id" alone is a noun, "id like" is "I would like".
    const isWish = text === "id" && /^\s+(?:like|love|prefer)\b/iu.test(request.slice(end));
    if (
      text === "ad" &&
      tokens.length === 0 &&
      /^\s+(?:an?|the|another|new|one|two|three)\s/iu.test(request.slice(end))
    )
      return push("word", start, end, "add");
    const contraction = isWish ? "i'd" : text;
    const halves = Object.hasOwn(CONTRACTIONS, contraction) ? CONTRACTIONS[contraction] : undefined;
    if (halves === undefined)
      return push("word", start, end, Object.hasOwn(SPELLINGS, text) ? SPELLINGS[text] : text);
    push("word", start, start + halves[2], halves[0]);
    push("word", start + halves[2], end, halves[1]);
  };

  while (position < request.length) {
    SPACE.lastIndex = position;
    const space = SPACE.exec(request)?.[0];
    if (space !== undefined) {
      position += space.length;
      onNewLine ||= space.includes("\n");
      spaced = true;
      continue;
    }
    if (tokens.length >= MAX_TOKENS) {
      const rest = request.slice(position).trimEnd();
      if (rest.length > 0) push("rest", position, position + rest.length, rest);
      return tokens;
    }
    const quotation = quotations.at(position);
    if (quotation !== undefined) {
      push("quoted", quotation.start, quotation.end, quotation.inner);
      position = quotation.end;
      continue;
    }
    CHUNK.lastIndex = position;
    const chunk = position < noPathBefore ? undefined : CHUNK.exec(request)?.[0];
    if (chunk !== undefined) {
      noPathBefore = position + chunk.length;
      const { opening, name } = nameIn(chunk);
      const isAddress = ADDRESS.test(name);
      if (name.length > 0 && (isAddress || looksLikePath(name))) {
        if (opening.length > 0) push("mark", position, position + opening.length);
        position += opening.length;
        // A web address is one word, not a file.
        push(isAddress ? "word" : "path", position, position + name.length, name);
        position += name.length;
        continue;
      }
    }
    WORD.lastIndex = position;
    const word = WORD.exec(request)?.[0];
    if (word !== undefined) {
      pushWord(position, position + word.length);
      position += word.length;
      continue;
    }
    OPTION.lastIndex = position;
    const isAfterSpace = (tokens.at(-1)?.end ?? position) < position;
    const option = isAfterSpace && !onNewLine ? OPTION.exec(request)?.[0] : undefined;
    if (option !== undefined) {
      push("word", position, position + option.length);
      position += option.length;
      continue;
    }
    const character = String.fromCodePoint(request.codePointAt(position) ?? 0);
    push(/\p{P}|[$+=|^`<>~]/u.test(character) ? "mark" : "symbol", position, position + character.length);
    position += character.length;
  }
  return tokens;
}
