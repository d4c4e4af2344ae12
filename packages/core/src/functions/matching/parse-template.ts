import { type Token, tokenize } from "../../language/tokens/tokens.ts";
import { FUNCTION_WORDS, normalize } from "../../language/tokens/words.ts";
import { isSingular } from "../word-senses/word-senses.ts";
import { DETERMINERS, familyOf, hasFamily, kindsOfVerb, NEUTRAL, plainOf } from "./families.ts";

/** A slot of a template: `{name}` or `${name}`. */
export const SLOT = /\$?\{\s*([A-Za-z]\w*)\s*\}/gu;
/** A value in quotation marks: the marks do not belong to the words around it. */
export const QUOTED_SLOT = /["“”„«»]\s*(\$?\{\s*[A-Za-z]\w*\s*\})\s*["“”„«»]/gu;
/** A quoted text with values: its words are words of the template. */
const QUOTED_TEXT = /["“„«]([^"“”„«»{}]*\{[A-Za-z]\w*\}[^"“”„«»]*)["“”»]/gu;
const SLOT_TOKEN = /^zqslot(\d+)$/u;

/** The tokens of a template, and the parameter of each token that is a slot. */
export function tokensOfTemplate(text: string): {
  tokens: Token[];
  parameterOf: (token: Pick<Token, "text"> | undefined) => string | undefined;
} {
  const names: string[] = [];
  const marked = text
    .replaceAll(QUOTED_SLOT, "$1")
    .replaceAll(QUOTED_TEXT, "$1")
    .replaceAll(SLOT, (_, name: string) => ` zqslot${String(names.push(name) - 1)} `);
  return {
    tokens: tokenize(marked),
    parameterOf: (token) => names[Number(SLOT_TOKEN.exec(token?.text ?? "")?.[1] ?? -1)],
  };
}

/** One part of a template: "and add a follow-up task". A request must mention each. */
export interface Conjunct {
  /** Literal verbs and their possible meanings. */
  verbs: ReadonlySet<string>;
  nouns: ReadonlySet<string>;
}

/** The words of one template around its slots. */
export interface ParsedTemplate {
  conjuncts: Conjunct[];
  literals: Set<string>;
  /** The words directly before and after each slot. */
  around: { name: string; before: string[]; after: string[] }[];
}

/** Reads one template. */
export function parseTemplate(text: string): ParsedTemplate {
  const { tokens, parameterOf } = tokensOfTemplate(text);
  const conjuncts: { verbs: Set<string>; nouns: Set<string> }[] = [{ verbs: new Set(), nouns: new Set() }];
  const literals = new Set<string>();
  const around: ParsedTemplate["around"] = [];
  for (const [index, token] of tokens.entries()) {
    const name = parameterOf(token);
    if (name !== undefined) {
      const wordsNear = (from: number, step: 1 | -1): string[] => {
        const found: string[] = [];
        for (let next = from; found.length < 2; next += step) {
          const one = tokens[next];
          if (!one || SLOT_TOKEN.test(one.text)) break;
          if (one.kind === "word" || (one.kind === "mark" && /[:,\-–=]/u.test(one.text)))
            found.push(one.text);
          if (one.kind === "word" && !DETERMINER.test(one.text)) break;
        }
        return found;
      };
      around.push({ name, before: wordsNear(index - 1, -1), after: wordsNear(index + 1, 1) });
      continue;
    }
    if (token.kind === "path" || token.kind === "quoted") literals.add(normalize(token.text));
    if (token.kind !== "word" || token.text === "s") continue;
    literals.add(token.text);
    const current = conjuncts.at(-1);
    const isStart = index === 0 || /^(?:and|then|please|[,;.:])$/u.test(tokens[index - 1]?.text ?? "");
    const kinds = kindsOfVerb(token.text);
    if (
      token.text === "and" &&
      tokens[index + 1]?.kind === "word" &&
      !SLOT_TOKEN.test(tokens[index + 1]?.text ?? "")
    ) {
      conjuncts.push({ verbs: new Set(), nouns: new Set() });
      continue;
    }
    const going = index > 0 && tokens[index - 1]?.text === "am" ? plainOf(token.text) : undefined;
    if (going !== undefined) {
      current?.verbs.add(going);
      continue;
    }
    const next = tokens[index + 1]?.text ?? "";
    // An order starts with its verb, even one that no list contains: "roll over the scratchpad".
    // "Homework in {subject}": a noun, and what it is in.
    const isNounBeforePlace =
      /^(?:in|on)$/u.test(next) && SLOT_TOKEN.test(tokens[index + 2]?.text ?? "") && isSingular(token.text);
    const isVerb =
      isStart &&
      (kinds.size > 0 || (PARTICLES.has(next) && !isNounBeforePlace) || DETERMINERS.has(next)) &&
      !NEUTRAL.has(token.text);
    if (isVerb || (isStart && kinds.size > 0)) current?.verbs.add(token.text);
    else if (hasFamily(token.text) || (!FUNCTION_WORDS.has(token.text) && !NEUTRAL.has(token.text)))
      current?.nouns.add(familyOf(token.text));
    // "hold" in "on hold", "note" in "note called x".
    const isThing = hasFamily(token.text) || VERBS_OF_THINGS.has(token.text);
    if (isStart && kinds.size > 0 && isThing && isNounToo(tokens[index + 1]?.text))
      current?.nouns.add(familyOf(token.text));
  }
  return { conjuncts: conjuncts.filter(({ verbs, nouns }) => verbs.size + nouns.size > 0), literals, around };
}

const PARTICLES = new Set("up down off over away out back in on".split(" "));
const DETERMINER = /^(?:a|an|the|my|our)$/u;
/** Verbs that are also the nouns of what they create. */
const VERBS_OF_THINGS = new Set(
  "log order record draft plan copy call check report track mail book".split(" "),
);
/** "Note called x" starts with a noun, "note that x" with a verb. */
const isNounToo = (next: string | undefined): boolean =>
  next !== undefined && /^(?:called|named|titled|for|about|:)$/u.test(next);
