import type { FunctionMemory } from "../../contract/function.ts";
import { type Piece, piecesOf } from "../../contract/placeholders.ts";
import { tokenize } from "../../language/tokens/tokens.ts";
import { capitalize } from "../../text/format.ts";
import { slugify } from "../../text/slug.ts";
import { escapeRegExp } from "../../text/words.ts";
import { leavesOf } from "../learning/leaves.ts";
import type { Matching, RecipeFunction, RecipeMatch } from "./match-types.ts";

/** A request that says texts and paths of a function's steps as a whole. */
export interface RequestWithStepTexts {
  /** The request with the words of such a text in place of its quotation, and without what these words say already. */
  request: string;
  /** The values in the quoted ones, as written. */
  values: ReadonlyMap<string, string>;
  /** True if the texts have one value for each parameter; a parameter that only a path contains has that of a match. */
  agrees: (values: Readonly<Record<string, unknown>>) => boolean;
}

/** A text of a step with constant words and values: `Berth ${berth}, fee ${fee}`. */
interface StepText {
  pieces: readonly Piece[];
  /** The same among the words of a request, if its constant words make it recognizable: "send Olavi Heino the harbour rules". */
  phrase: RegExp | undefined;
  sources: readonly Extract<Piece, { kind: "parameter" }>[];
  /** True if it has a constant word, and not only marks. */
  hasWords: boolean;
}

/** The minimum number of constant words of a text that is recognized without quotation marks. */
const PHRASE_WORDS = 3;
const MAX_PHRASE_VALUES = 2;
const PHRASE_VALUE = String.raw`([^,.;:"\n]{1,60}?)`;

const QUOTATION_OR_PATH = /["“”„«»'‘’`/]/u;

const compiled = new WeakMap<object, readonly StepText[]>();

/**
 * Finds the quotations and paths of a request that are texts of the function's steps: "Berth D4, fee 310" gives berth and fee. Undefined if no
 * quotation has the constant words of a step, and no path has values that the request says otherwise, too.
 */
export function readStepTexts(
  request: string,
  { recipe, parameters }: Pick<FunctionMemory, "recipe" | "parameters">,
): RequestWithStepTexts | undefined {
  if (recipe === undefined || !QUOTATION_OR_PATH.test(request)) return undefined;
  const texts = compiled.get(recipe) ?? stepTextsOf(recipe);
  compiled.set(recipe, texts);
  if (texts.length === 0) return undefined;
  const found = tokenize(request).flatMap(({ kind, start, end, text }) => {
    if (kind !== "quoted" && kind !== "path") return [];
    const isPath = kind === "path";
    const written = isPath ? request.slice(start, end).replace(/^(?:\.\/)?out\//u, "") : text;
    // `recipes/index.md` is not a file of the form `recipes/<name>.md` if the function always adds to it.
    if (parameters.some((one) => one.default === written)) return [];
    const [fitting] = texts.flatMap(({ pieces, sources, hasWords }) => {
      const values = valuesIn(written, pieces);
      const parts = sources.map((source, index): Part => ({ source, text: values?.[index] ?? "" }));
      return values === undefined ? [] : [{ parts, hasWords }];
    });
    return fitting === undefined ? [] : [{ start, end, written, isPath, ...fitting }];
  });
  // "Olavi Heino, D4" and a path may be anything; next to a text with words of the function, or if the request says its values otherwise,
  // they are its own.
  const isOwn = found.some((one) => (one.isPath ? isRepeated(request, one) : one.hasWords));
  if (!isOwn) return undefined;
  const values = new Map<string, string>();
  const words = new Map<number, string>();
  // A path shows its values without the words for them, unless the request says them otherwise.
  for (const one of found.toSorted((left, right) => Number(left.isPath) - Number(right.isPath))) {
    const added = one.parts.filter(({ source: { name, form } }) => form === undefined && !values.has(name));
    if (!one.isPath) for (const { source, text } of added) values.set(source.name, text);
    if (added.length === 0 || (one.isPath && isRepeated(request, one))) continue;
    words.set(one.start, one.isPath ? added.map(({ text }) => text).join(" ") : one.written);
  }
  const phrases = texts.flatMap(({ phrase, sources }) => {
    const match = phrase?.exec(request);
    return match ? sources.map((source, index): Part => ({ source, text: match[index + 1] ?? "" })) : [];
  });
  const allParts = [...found.flatMap(({ parts }) => parts), ...phrases];
  const agrees = (known: Readonly<Record<string, unknown>>): boolean =>
    allParts.every(({ source: { name, form }, text }) => {
      const value = values.get(name) ?? textOf(known[name]);
      return text === (form === "slug" ? slugify(value) : form === "capital" ? capitalize(value) : value);
    });
  const rest = found
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (text, { start, end }) => `${text.slice(0, start)}${words.get(start) ?? ""}${text.slice(end)}`,
      request,
    );
  return { request: rest, values, agrees };
}

/**
 * The values of a text that has the constant pieces in this order, each value as short as possible; undefined if it does not. Takes time in
 * proportion to the text.
 */
function valuesIn(text: string, pieces: readonly Piece[]): string[] | undefined {
  const values: string[] = [];
  let from = 0;
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    if (typeof piece === "string") {
      if (!text.startsWith(piece, from)) return undefined;
      from += piece.length;
      continue;
    }
    if (typeof next === "object") return undefined;
    const isLast = index + 2 >= pieces.length;
    const end =
      next === undefined ? text.length : isLast ? text.length - next.length : text.indexOf(next, from + 1);
    if (end <= from) return undefined;
    values.push(text.slice(from, end));
    from = end;
  }
  return from === text.length ? values : undefined;
}

/** True if the request says the values of a path outside of it, too: "the file shop/tea.md with the text tea". */
function isRepeated(
  request: string,
  { start, end, parts }: { start: number; end: number; parts: readonly Part[] },
): boolean {
  const others = `-${slugify(`${request.slice(0, start)} ${request.slice(end)}`)}-`;
  return parts.every(({ text }) => others.includes(`-${slugify(text)}-`));
}

/** A value within a text of a step, as written there. */
interface Part {
  source: StepText["sources"][number];
  text: string;
}

function stepTextsOf(recipe: NonNullable<FunctionMemory["recipe"]>): StepText[] {
  return recipe.actions
    .flatMap(({ args }) => leavesOf(args))
    .flatMap(({ value }) => (typeof value === "string" ? (stepTextOf(piecesOf(value)) ?? []) : []))
    .toSorted((one, other) => Number(other.hasWords) - Number(one.hasWords));
}

/** The pattern of a template that has constant words or marks next to its values. */
function stepTextOf(pieces: readonly Piece[]): StepText | undefined {
  const sources = pieces.flatMap((piece) =>
    typeof piece === "object" && piece.kind === "parameter" ? [piece] : [],
  );
  const constants = pieces.filter((piece) => typeof piece === "string");
  const isText = sources.length > 0 && sources.length + constants.length === pieces.length;
  const isOfWords = sources.every(({ form }) => form === undefined || form === "slug" || form === "capital");
  if (!isText || !isOfWords || constants.length === 0) return undefined;
  const words = constants.join(" ").match(/\p{L}{3,}/gu) ?? [];
  const isPhrase =
    typeof pieces[0] === "string" &&
    typeof pieces.at(-1) === "string" &&
    words.length >= PHRASE_WORDS &&
    sources.length <= MAX_PHRASE_VALUES;
  const pattern = pieces
    .map((piece) => (typeof piece === "string" ? escapeRegExp(piece) : PHRASE_VALUE))
    .join("");
  return {
    pieces,
    phrase: isPhrase ? new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "u") : undefined,
    sources,
    // A path has no white space.
    hasWords: constants.some((text) => /\p{L}{2}/u.test(text)) && constants.some((text) => /\s/u.test(text)),
  };
}

const OTHER_TEXT = "A text or path of the request has other values than its words.";

/**
 * The matches with the values that the request's texts contain as a whole. They are certain only if the words are read with the same
 * values. Texts that contradict each other are not a match.
 */
export function withStepTexts<Candidate extends RecipeFunction>(
  { match, likely, rejected, ...others }: Matching<Candidate>,
  { agrees, values }: RequestWithStepTexts,
): Matching<Candidate> {
  const isRead = (one: RecipeMatch<Candidate>): boolean =>
    [...values].every(([name, text]) => textOf(one.values[name]) === text);
  const possible = [...(match ? [match] : []), ...likely].filter((one) => agrees(one.values));
  const isCertain = match !== undefined && possible.includes(match) && isRead(match);
  const contradicted = possible.length === 0 ? [...(match ? [match] : []), ...likely] : [];
  return {
    ...others,
    ...(isCertain && { match }),
    likely: isCertain ? [] : possible.map((one) => ({ ...one, values: withTextValues(one, values) })),
    rejected: [...rejected, ...contradicted.map(({ function: { id } }) => ({ id, reason: OTHER_TEXT }))],
  };
}

/** The values of a match, with those that the texts show in place of what was read. */
const withTextValues = (
  { function: { parameters }, values }: RecipeMatch<RecipeFunction>,
  shown: RequestWithStepTexts["values"],
): Record<string, unknown> => ({
  ...values,
  ...Object.fromEntries(
    [...shown].map(([name, text]) => {
      const isNumber = parameters.some((one) => one.name === name && one.type === "number");
      return [name, isNumber && String(Number(text)) === text ? Number(text) : text];
    }),
  ),
});

/** The matches of both. If each has a certain one, the person chooses. */
export function joinMatchings<Candidate extends RecipeFunction>(
  one: Matching<Candidate>,
  other: Matching<Candidate>,
): Matching<Candidate> {
  const certain = [one, other].flatMap(({ match }) => match ?? []);
  const [match] = certain;
  return {
    ...(match && certain.length === 1 && { match }),
    likely: certain.length === 1 ? [] : [...certain, ...other.likely, ...one.likely],
    doubtful: match ? [] : [...one.doubtful, ...other.doubtful],
    open: match ? [] : [...one.open, ...other.open],
    rejected: [...one.rejected, ...other.rejected],
  };
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
