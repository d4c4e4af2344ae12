/** A span of quoted text: the positions of its marks and the text between them. */
export interface Quotation {
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
export class QuotationFinder {
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
