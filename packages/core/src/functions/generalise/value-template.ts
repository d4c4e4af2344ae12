import type { Recipe } from "../../contract/function.ts";
import { FUNCTION_WORDS } from "../../language/words.ts";
import {
  piecesOf,
  placeholder,
  slugOf,
  sourcesIn,
  type Piece,
  type Source,
} from "../../contract/placeholders.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, MadeCall } from "./learnable-run.ts";
import type { ParameterTable } from "./parameter-table.ts";
import type { PromptSpan } from "./prompt-spans.ts";
import { isComposed } from "./trim.ts";

interface Templating {
  calls: readonly MadeCall[];
  spans: readonly PromptSpan[];
  /** What the person said when the run asked. */
  answers: readonly string[];
  today: string;
  table: ParameterTable;
  factsOf: FactsOf;
}

/** Where a value stands. */
interface Place {
  skill: string;
  arg: string;
  index: number;
  isPath: boolean;
}

/** Shorter texts of an earlier call occur in others by chance. */
const SHORTEST_WITHIN = 8;
const SHORTEST_WHOLE = 3;
/** Words that are looked for inside of longer text. */
const MOST_WORDS_WITHIN = 4;

/** Turns the arguments of calls into templates, one run at a time. */
export function createTemplater({ calls, spans, answers, today, table, factsOf }: Templating) {
  const texts = calls.flatMap(({ args }) =>
    leavesOf(args).flatMap(({ value }) => (typeof value === "string" ? [value] : [])),
  );
  const findable = spans.filter(
    ({ value, type }) =>
      typeof value === "string" &&
      value.length > 1 &&
      value.split(/\s+/).length <= MOST_WORDS_WITHIN &&
      type !== "date",
  );
  const times = ({ value }: PromptSpan): number => texts.filter((text) => holds(text, String(value))).length;
  const named = findable.filter((span) => span.kind === "named" && times(span) > 0);
  /**
   * Words that may be found inside of longer text: names, or, where the run has none, what is said of several things. Of
   * "the Blue team" the name is what may be another one.
   */
  const within = named.length > 0 ? named : findable.filter((span) => times(span) > 1);

  const placeOf = (call: MadeCall, arg: string, index: number): Place => ({
    skill: call.skill,
    arg,
    index,
    isPath: factsOf(call.skill)?.pathArgs.includes(arg) ?? false,
  });

  /** Values that are, as a whole, words of the request: they come first, so that no part of them is taken for less. */
  function findWholes(): void {
    for (const [index, call] of calls.entries())
      for (const [arg, value] of Object.entries(call.args)) {
        if (factsOf(call.skill)?.fixedArgs.includes(arg)) continue;
        for (const leaf of leavesOf(value)) wholeSpan(leaf.value, placeOf(call, arg, index));
      }
  }

  function templatesOf(call: MadeCall, index: number): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(call.args).map(([arg, value]) => {
        const isFixed = factsOf(call.skill)?.fixedArgs.includes(arg) ?? false;
        return [arg, isFixed ? value : templateOf(value, placeOf(call, arg, index))];
      }),
    );
  }

  function templateOf(value: unknown, place: Place): unknown {
    if (Array.isArray(value)) return value.map((part) => templateOf(part, place));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, templateOf(part, place)]));
    const whole = reference(value, place) ?? wholeSpan(value, place);
    if (whole !== undefined) return placeholder(whole);
    return typeof value === "string" ? textTemplate(value, place) : value;
  }

  /** The output of an earlier call that this value is. Of the request's own words only places are taken from there. */
  function reference(value: unknown, { index }: Place): Source | undefined {
    if (typeof value !== "string" || value.length < SHORTEST_WHOLE) return undefined;
    const isSaid = spans.some((span) => span.value === value);
    for (let step = index; step >= 1; step--) {
      const leaf = leavesOf(calls[step - 1]?.outputs).find((one) => one.value === value);
      if (leaf && (!isSaid || /(?:^|\.)(?:path|id|to|from)$/.test(leaf.place)))
        return { kind: "step", step, field: leaf.place };
    }
    return undefined;
  }

  function wholeSpan(value: unknown, { arg, skill, isPath }: Place): Source | undefined {
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const bare = isPath && typeof value === "string" ? value.replace(/^out\//, "") : value;
    const same = (span: PromptSpan): boolean =>
      span.value === value || (span.type === "path" && span.value === bare);
    const fitting = spans.filter(same);
    const span = fitting.find(({ kind }) => kind === "named") ?? fitting[0];
    if (span === undefined || (span.type === "number" && typeof value !== "number")) return undefined;
    const name = table.forSpan(span, arg, `The ${arg} for ${skill}.`);
    return name === undefined ? undefined : { kind: "parameter", name };
  }

  function textTemplate(value: string, place: Place): string {
    let pieces: Piece[] = [value];
    for (let step = place.index; step >= 1; step--)
      for (const leaf of leavesOf(calls[step - 1]?.outputs))
        if (typeof leaf.value === "string" && leaf.value.length >= SHORTEST_WITHIN)
          pieces = replaced(pieces, leaf.value, { kind: "step", step, field: leaf.place });
    const own = pieces.filter((piece) => typeof piece === "string").join("");
    // Text that would itself read as a placeholder cannot stand in a template.
    if (isComposed(own) || sourcesIn(value).length > 0)
      return placeholder({ kind: "parameter", name: table.composed(place.arg) });
    for (const answer of answers) {
      if (answer.length < SHORTEST_WHOLE || !holds(value, answer)) continue;
      const name = table.withDefault(
        place.arg === "path" ? "place" : place.arg,
        "string",
        answer,
        "As the person answered.",
      );
      pieces = replaced(pieces, answer, { kind: "parameter", name });
    }
    pieces = withSpans(pieces, place);
    pieces = replaced(pieces, today, { kind: "today" });
    const template = pieces.map((piece) => (typeof piece === "string" ? piece : placeholder(piece))).join("");
    if (!place.isPath || (pieces.length === 1 && typeof pieces[0] !== "string")) return template;
    if (pieces.some((piece) => typeof piece !== "string" && piece.kind === "step")) return template;
    const description = `Where ${place.skill} finds or puts it, when the request does not say.`;
    return placeholder({
      kind: "parameter",
      name: table.withDefault(place.arg, "path", template, description),
    });
  }

  function withSpans(pieces: Piece[], place: Place): Piece[] {
    const stem = place.isPath ? stemOf(pieces) : undefined;
    const candidates =
      stem === undefined ? within : [...within, ...spans.filter((span) => isStem(span, stem))];
    return candidates.reduce((current, span) => {
      const text = String(span.value);
      const slug = slugOf(text);
      const asIs = current.some((piece) => typeof piece === "string" && holds(piece, text));
      const asSlug =
        place.isPath && !asIs && current.some((piece) => typeof piece === "string" && holds(piece, slug));
      if (!asIs && !asSlug) return current;
      const name = table.forSpan(span, "name", "What it is about.");
      if (name === undefined) return current;
      return replaced(current, asIs ? text : slug, {
        kind: "parameter",
        name,
        ...(asSlug && { slug: true }),
      });
    }, pieces);
  }

  return { findWholes, templatesOf };
}

function isStem({ value, type }: PromptSpan, stem: string): boolean {
  return (
    typeof value === "string" && type === "string" && slugOf(value) !== "" && slugOf(value) === slugOf(stem)
  );
}

/** "out/kitchen/pizza.md" → "pizza" */
function stemOf(pieces: readonly Piece[]): string | undefined {
  const last = pieces.at(-1);
  return typeof last === "string"
    ? last
        .split("/")
        .at(-1)
        ?.replace(/\.[^.]*$/, "")
    : undefined;
}

/** True when the words stand in the text as words of their own. */
function holds(text: string, words: string): boolean {
  return indexOfWords(text, words, 0) >= 0;
}

function indexOfWords(text: string, words: string, from: number): number {
  if (words === "") return -1;
  for (let at = text.indexOf(words, from); at >= 0; at = text.indexOf(words, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + words.length);
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)) return at;
  }
  return -1;
}

function replaced(pieces: readonly Piece[], words: string, source: Source): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    if (typeof piece !== "string") return [piece];
    const parts: Piece[] = [];
    let from = 0;
    for (let at = indexOfWords(piece, words, 0); at >= 0; at = indexOfWords(piece, words, from)) {
      if (at > from) parts.push(piece.slice(from, at));
      parts.push(source);
      from = at + words.length;
    }
    if (from < piece.length || parts.length === 0) parts.push(piece.slice(from));
    return parts;
  });
}

/** True when a fixed part of an action holds a word of a value: with another value it would say the wrong thing. */
export function holdsWordsOf(values: Readonly<Record<string, unknown>>, actions: Recipe["actions"]): boolean {
  const words = Object.values(values).flatMap((value) => (typeof value === "string" ? namesIn(value) : []));
  const fixed = actions
    .flatMap(({ args }) => leavesOf(args))
    .flatMap(({ value }) => (typeof value === "string" ? piecesOf(value) : []))
    .flatMap((piece) => (typeof piece === "string" ? namesIn(piece) : []));
  return words.some((word) => fixed.includes(word));
}

/** Words with content; of a path, its last part. */
function namesIn(text: string): string[] {
  const told = /^\S*[/.]\S*$/.test(text) ? (stemOf([text]) ?? "") : text;
  const words = told.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.filter((word) => !FUNCTION_WORDS.has(word));
}
