import { isDeepStrictEqual } from "node:util";
import type { FunctionMemory } from "../../contract/function.ts";
import type { Clock } from "../../language/dates/clock.ts";
import type { Interpretation } from "../../language/grammar/plan.ts";
import { inReadingOrder, readRequest } from "../../language/read-request.ts";
import { tokenize, type Token } from "../../language/tokens/tokens.ts";
import { negatesOrLimits } from "./slot-shape.ts";
import { mayMatch, promptTemplates, type PromptTemplate } from "./prompt-template.ts";

/** A request that matches one of a function's templates. */
export interface Bound {
  values: Record<string, unknown>;
  /** The number of content words that the template explains, and of words that only fill its slots. */
  literals: number;
  /** A sentence for the inspector. */
  reason: string;
}

export type RecipeContent = Pick<FunctionMemory, "parameters" | "recipe" | "examples">;

/** A request with its tokens, as written and as normalized for the grammar. */
export interface TokenizedRequest {
  request: string;
  tokens: readonly Token[];
  inOrder: readonly Token[];
  /** The texts in quotation marks. */
  quotations: ReadonlySet<string>;
}

export function tokenizeRequest(request: string): TokenizedRequest {
  const tokens = tokenize(request);
  const quotations = new Set(tokens.flatMap(({ kind, text }) => (kind === "quoted" ? [text] : [])));
  return { request, tokens, inOrder: tokenize(inReadingOrder(request)), quotations };
}

/**
 * Matches a request with the function's templates, which must explain every word. The most specific match comes first.
 */
export function bindByTemplate(
  { request, tokens, inOrder }: TokenizedRequest,
  content: RecipeContent,
  clock: Clock,
): Bound | undefined {
  const bound = promptTemplates(content).flatMap((template): Bound[] => {
    if (!mayMatch(template, inOrder) || hasOtherNumber(tokens, template)) return [];
    const values = valuesOf(readRequest(request, template.skillGrammars, clock), template);
    // "… but not Paris" is read as separate words, and still excludes something.
    const valueWords = new Set(
      Object.values(values ?? {}).flatMap((value) => tokenize(String(value)).map(({ text }) => text)),
    );
    if (
      tokens.some(
        (token) => negatesOrLimits(token) && !template.words.has(token.text) && !valueWords.has(token.text),
      )
    )
      return [];
    return values
      ? [
          {
            values,
            literals: template.literals,
            reason: "The request matches one of the function's templates.",
          },
        ]
      : [];
  });
  return bound.toSorted((one, other) => other.literals - one.literals)[0];
}

/**
 * True if a word differs in number from the template's: "standups" is not "standup", although the grammar accepts both.
 */
function hasOtherNumber(tokens: readonly Token[], { words }: PromptTemplate): boolean {
  return tokens.some(
    ({ kind, text }) =>
      kind === "word" && !words.has(text) && (words.has(`${text}s`) || words.has(text.replace(/s$/, ""))),
  );
}

function valuesOf(
  reading: Interpretation,
  { fixed, repeated }: PromptTemplate,
): Record<string, unknown> | undefined {
  if (reading.kind !== "plan" || reading.calls.length !== 1) return undefined;
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(reading.calls[0]?.args ?? {})) {
    if (value.from !== "request") return undefined;
    if (fixed[name] === undefined) values[name] = canonical(value.value);
    else if (value.value !== fixed[name]) return undefined;
  }
  for (const [again, name] of Object.entries(repeated))
    if (!isDeepStrictEqual(values[again], values[name])) return undefined;
  return Object.fromEntries(Object.entries(values).filter(([name]) => repeated[name] === undefined));
}

/** Removes punctuation at the end of a request from a value. */
function canonical(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/(?<=[\p{L}\p{N}])[.!]+$/u, "") : value;
}
