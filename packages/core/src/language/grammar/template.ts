import { ARTICLES, normalize, stem, synonymsOf } from "../tokens/words.ts";

type Literal =
  /** An article: shown in examples, optional in requests. */
  | { kind: "article"; word: string }
  /** One of `accepts` or an inflected form (`stems`); punctuation matches itself. */
  | { kind: "word"; word: string; accepts: ReadonlySet<string>; stems: ReadonlySet<string> };

/** The compiled form of a template. */
export type Pattern =
  | Literal
  | { kind: "slot"; name: string }
  | { kind: "sequence"; parts: readonly Pattern[] }
  | { kind: "choice"; options: readonly Pattern[] }
  | { kind: "optional"; part: Pattern }
  /** Any of the options, each at most once, in any order. */
  | { kind: "details"; options: readonly Pattern[] };

/** A template that cannot be compiled: an error in a skill's phrases. The message contains the position. */
export class TemplateError extends Error {
  readonly template: string;
  constructor(template: string, problem: string) {
    super(`phrase "${template}": ${problem}`);
    this.name = "TemplateError";
    this.template = template;
  }
}

const PIECES = /\{[^{}]*\}|[()[\]|<>]|[^\s()[\]|<>{}]+|\s+|./gy;
/** Punctuation in a template, and what a request may have in its place. */
const MARKS: Readonly<Record<string, ReadonlySet<string>>> = {
  ":": new Set([":", "-", "–", "—"]),
  "=": new Set(["="]),
  ".": new Set([".", "?", "!", ";", ",", "…"]),
};
const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "<": ">" };

/** Limit of the shared words, so that learned functions do not fill the memory for as long as the server runs. */
const MAX_LITERALS = 5_000;
/** The compiled words of templates, by their text: the phrases have 15,000 words, of which a few hundred differ. */
const literals = new Map<string, Literal>();

/** Compiles one word or mark. Returns undefined if the text is neither. */
function literalOf(piece: string): Literal | undefined {
  const marks = MARKS[piece];
  if (marks !== undefined) return { kind: "word", word: piece, accepts: marks, stems: new Set() };
  if (!/^=?[\p{L}\p{N}'-]+$/u.test(piece)) return undefined;
  const word = normalize(piece.replace("=", ""));
  if (ARTICLES.has(piece)) return { kind: "article", word };
  const isExact = piece.startsWith("=");
  const accepts = new Set(isExact ? [word] : synonymsOf(word));
  return { kind: "word", word, accepts, stems: new Set(isExact ? [] : [...accepts].map(stem)) };
}

/** Compiles one template. Throws `TemplateError`. */
export function compileTemplate(template: string): Pattern {
  const pieces = [...template.matchAll(PIECES)]
    .map((match) => match[0])
    .filter((piece) => piece.trim().length > 0);
  let position = 0;

  const options = (closer: string | undefined): Pattern[] => {
    const found: Pattern[] = [];
    let parts: Pattern[] = [];
    const close = (): void => {
      const only = parts.length === 1 ? parts[0] : undefined;
      if (parts.length === 0) throw new TemplateError(template, "an alternative is empty");
      found.push(only ?? { kind: "sequence", parts });
      parts = [];
    };
    for (;;) {
      const piece = pieces[position++];
      if (piece === closer) {
        close();
        return found;
      }
      if (piece === undefined) throw new TemplateError(template, `"${closer ?? ""}" is missing`);
      if (piece === "|") close();
      else parts.push(element(piece));
    }
  };

  const element = (piece: string): Pattern => {
    const closer = CLOSER[piece];
    if (closer !== undefined) {
      const inside = options(closer);
      const choice: Pattern =
        inside.length === 1 && inside[0] !== undefined ? inside[0] : { kind: "choice", options: inside };
      if (piece === "[") return { kind: "optional", part: choice };
      return piece === "<" ? { kind: "details", options: inside } : choice;
    }
    const slot = /^\{([a-zA-Z]\w*)\}$/.exec(piece)?.[1];
    if (slot !== undefined) return { kind: "slot", name: slot };
    const literal = literals.get(piece) ?? literalOf(piece);
    if (literal === undefined) throw new TemplateError(template, `"${piece}" is neither a word nor a slot`);
    if (literals.size >= MAX_LITERALS) literals.clear();
    literals.set(piece, literal);
    return literal;
  };

  const choices = options(undefined);
  return choices.length === 1 && choices[0] !== undefined ? choices[0] : { kind: "choice", options: choices };
}

/** Returns the direct children of a pattern. */
function partsOf(pattern: Pattern): readonly Pattern[] {
  switch (pattern.kind) {
    case "word":
    case "article":
    case "slot":
      return [];
    case "sequence":
      return pattern.parts;
    case "choice":
    case "details":
      return pattern.options;
    case "optional":
      return [pattern.part];
    default:
      return pattern satisfies never;
  }
}

/** Returns every literal word of a pattern, including synonyms. */
export function literalWords(pattern: Pattern): string[] {
  return pattern.kind === "word" ? [...pattern.accepts] : partsOf(pattern).flatMap(literalWords);
}

/** Returns the name of every slot in a pattern. */
export function slotsIn(pattern: Pattern): string[] {
  return pattern.kind === "slot" ? [pattern.name] : partsOf(pattern).flatMap(slotsIn);
}

/** Returns the words a pattern can begin with, and whether the pattern can be empty. */
export function firstWords(pattern: Pattern): { words: string[]; slots: string[]; skippable: boolean } {
  switch (pattern.kind) {
    case "word":
      return { words: [...pattern.accepts], slots: [], skippable: false };
    case "slot":
      return { words: [], slots: [pattern.name], skippable: false };
    case "article":
      return { words: [], slots: [], skippable: true };
    case "optional":
      return { ...firstWords(pattern.part), skippable: true };
    case "choice": {
      const all = pattern.options.map(firstWords);
      return {
        words: all.flatMap((first) => first.words),
        slots: all.flatMap((first) => first.slots),
        skippable: all.some((first) => first.skippable),
      };
    }
    case "details": {
      const all = pattern.options.map(firstWords);
      return {
        words: all.flatMap((first) => first.words),
        slots: all.flatMap((first) => first.slots),
        skippable: true,
      };
    }
    case "sequence": {
      const words: string[] = [];
      const slots: string[] = [];
      for (const part of pattern.parts) {
        const first = firstWords(part);
        words.push(...first.words);
        slots.push(...first.slots);
        if (!first.skippable) return { words, slots, skippable: false };
      }
      return { words, slots, skippable: true };
    }
    default:
      return pattern satisfies never;
  }
}
