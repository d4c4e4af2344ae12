import { oneOf } from "../../text/patterns.ts";
import type { FunctionParameter } from "../../contract/function.ts";
import { dateSpans } from "../../language/dates/dates.ts";
import { tokenize, type Token } from "../../language/tokens/tokens.ts";
import { numberOfWord } from "../matching/number-words.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { capitalize } from "../../text/format.ts";
import { slugify } from "../../text/slug.ts";
import type { LearnableRun } from "./learnable-run.ts";
import { indexOfWords } from "./text-pieces.ts";

/** Words of a request that may be a value. */
export interface PromptSpan {
  /** Offsets into the request, in UTF-16 code units. */
  start: number;
  end: number;
  value: string | number;
  type: FunctionParameter["type"];
  /**
   * `named`: certainly a value, because it is quoted, a path, a number, a day or a capitalized name. `words`: any other
   * words.
   */
  kind: "named" | "words";
}

const MAX_WORDS = 12;
const COMMON_WORDS = oneOf(
  "files?|documents?|folders?|director(?:y|ies)|tasks?|todos?|notes?|lists?|memor(?:y|ies)|called|named",
  "titled|text|contents?|create|make|write|add|append|put|read|show|delete|remove|move|copy|remember",
  "mark|done|find|new",
);
/** Words that are not values: kinds of things and verbs. */
const COMMON = new RegExp(String.raw`^${COMMON_WORDS}$`, "");

/** True for words that are not values: kinds of things, and verbs for creating and changing them. */
export const isCommon = (word: string): boolean => COMMON.test(word);

/** All possible values in a request, longest first. */
export function promptSpans({ request, now, timeZone }: LearnableRun): PromptSpan[] {
  const tokens = tokenize(request);
  const spans: PromptSpan[] = dateSpans(request, tokens, { now, timeZone }).map(({ from, to, value }) => ({
    ...placeOf(tokens, from, to),
    value,
    type: "date",
    kind: "named",
  }));
  for (const [index, token] of tokens.entries()) {
    const { start, end, kind, text } = token;
    if (kind === "quoted") spans.push({ start, end, value: text, type: "string", kind: "named" });
    else if (kind === "path") {
      const value = request.slice(start, end);
      spans.push({ start, end, value, type: "path", kind: "named" });
    } else if (kind === "word") {
      const number = /^\d{1,9}(?:\.\d{1,6})?$/.test(text)
        ? Number(text)
        : text === "one"
          ? undefined
          : numberOfWord(text);
      if (number !== undefined) spans.push({ start, end, value: number, type: "number", kind: "named" });
      if (/^(?:yes|no)$/.test(text) && /^(?:to|as|is|=)$/.test(tokens[index - 1]?.text ?? ""))
        spans.push({ start, end, value: request.slice(start, end), type: "string", kind: "words" });
    }
    spans.push(...wordsFrom(request, tokens, index));
  }
  return spans.toSorted((one, other) => other.end - other.start - (one.end - one.start));
}

/** The sequences of words that begin at a token. */
function wordsFrom(request: string, tokens: readonly Token[], index: number): PromptSpan[] {
  const found: PromptSpan[] = [];
  for (let to = index + 1; to <= tokens.length && to - index <= MAX_WORDS; to++) {
    const last = tokens[to - 1];
    if (last === undefined || last.kind === "quoted" || last.kind === "rest" || last.onNewLine) break;
    const run = tokens.slice(index, to);
    if (last.kind === "mark" || !run.some(isContent)) continue;
    const { start, end } = placeOf(tokens, index, to);
    const value = request.slice(start, end);
    // The first word of a request has a capital letter anyway: "Hamish Reid" is a name, and "Note" is not.
    const isName =
      (index > 0 || run.length > 1) &&
      run.every((token) => /^\p{Lu}/u.test(request.slice(token.start, token.end)));
    found.push({ start, end, value, type: "string", kind: isName ? "named" : "words" });
  }
  return found;
}

function isContent({ kind, text }: Token): boolean {
  return kind === "path" || (kind === "word" && !FUNCTION_WORDS.has(text) && !isCommon(text));
}

function placeOf(tokens: readonly Token[], from: number, to: number): { start: number; end: number } {
  return { start: tokens[from]?.start ?? 0, end: tokens[to - 1]?.end ?? 0 };
}

/** The words of a request that mean a value, by the form in which the value is written. */
export function spansOf(
  value: string | number,
  spans: readonly PromptSpan[],
  { isPath }: { isPath: boolean },
): Record<"whole" | "capital" | "slug", PromptSpan[]> {
  const bare = isPath && typeof value === "string" ? value.replace(/^out\//, "") : value;
  const texts = spans.filter((span) => typeof span.value === "string");
  return {
    whole: spans.filter(
      (span) =>
        span.value === value ||
        (span.type === "path" && (span.value === bare || span.value === `${String(bare)}/`)) ||
        (span.type === "number" && String(span.value) === value),
    ),
    capital: isPath ? [] : texts.filter((span) => capitalize(String(span.value)) === value),
    slug: isPath ? texts.filter((span) => slugify(String(span.value)) === value) : [],
  };
}

/**
 * The request with `{name}` in place of the words of each parameter, also where it repeats a text or a path. `texts` are longer texts with several
 * values, which come first.
 */
export function withSlots(
  request: string,
  slots: readonly { name: string; span: PromptSpan }[],
  {
    written = (name) => `{${name}}`,
    texts = [],
  }: {
    written?: ((name: string) => string) | undefined;
    texts?: readonly { text: string; template: string }[];
  } = {},
): string {
  const places: { start: number; end: number; written: string }[] = [];
  const isFree = (start: number, end: number): boolean =>
    places.every((other) => other.end <= start || end <= other.start);
  const add = (text: string, replacement: string): void => {
    for (let at = indexOfWords(request, text, 0); at >= 0; at = indexOfWords(request, text, at + 1))
      if (isFree(at, at + text.length))
        places.push({ start: at, end: at + text.length, written: replacement });
  };
  for (const { text, template } of texts.toSorted((one, other) => other.text.length - one.text.length))
    add(text, template);
  for (const { name, span } of slots)
    if (isFree(span.start, span.end))
      places.push({ start: span.start, end: span.end, written: written(name) });
  for (const { name, span } of slots)
    // An equal number or day elsewhere in the request may mean something else.
    if (span.type === "string" || span.type === "path")
      add(request.slice(span.start, span.end), written(name));
  return places
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (text, { start, end, written: slot }) => `${text.slice(0, start)}${slot}${text.slice(end)}`,
      request,
    );
}
