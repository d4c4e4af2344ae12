import type { Recipe, ValueProvenance } from "../../contract/function.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import {
  piecesOf,
  placeholder,
  slugOf,
  sourcesIn,
  type Piece,
  type Source,
} from "../../contract/placeholders.ts";
import { asksToWorkOut } from "../../policy/target-words.ts";
import { capitalize } from "../../text/format.ts";
import type { ComposedValue } from "./compose-steps.ts";
import { knownOutputs } from "./known-outputs.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, MadeCall } from "./learnable-run.ts";
import type { ParameterTable } from "./parameter-table.ts";
import type { PromptSpan } from "./prompt-spans.ts";

interface Templating {
  request: string;
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
  /** True for a value inside of an argument: a list's element, an object's field. */
  isInside: boolean;
}

/** Something that a part of a text may be, named only once it is. */
interface Candidate {
  text: string;
  source: () => Source | undefined;
}

/** Words that are looked for inside of longer text. */
const MOST_WORDS_WITHIN = 4;

/**
 * Turns the arguments of calls into templates, one run at a time, and notes where each value comes from: the request, an
 * answer of the person, what an earlier call found, or nowhere; then it was composed, however short it is.
 */
export function createTemplater({ request, calls, spans, answers, today, table, factsOf }: Templating) {
  const outputs = knownOutputs(calls, { request, answers });
  const provenance: ValueProvenance[] = [];
  /** Outputs that were taken as the only element of a list, by the number of their step. */
  const onlyOnes: { step: number; list: string }[] = [];
  /** Whole texts that a model made up, of no other source. */
  const composedTexts: ComposedValue[] = [];
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
   * Words that may be found inside of a path: names, or, where the run has none, what is said of several things. Of
   * "the Blue team" the name is what may be another one.
   */
  const within = named.length > 0 ? named : findable.filter((span) => times(span) > 1);

  const placeOf = (call: MadeCall, arg: string, index: number): Place => ({
    skill: call.skill,
    arg,
    index,
    isPath: factsOf(call.skill)?.pathArgs.includes(arg) ?? false,
    isInside: false,
  });

  /** Values that are, as a whole, words of the request: they come first, so that no part of them is taken for less. */
  function findWholes(): void {
    for (const [index, call] of calls.entries())
      for (const [arg, value] of Object.entries(call.args)) {
        if (factsOf(call.skill)?.fixedArgs.includes(arg)) continue;
        for (const leaf of leavesOf(value)) saidAsAWhole(leaf.value, placeOf(call, arg, index));
      }
  }

  function templatesOf(call: MadeCall, index: number): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(call.args).map(([arg, value]) => {
        const place = placeOf(call, arg, index);
        if (!factsOf(call.skill)?.fixedArgs.includes(arg)) return [arg, templateOf(value, place)];
        note(place, "constant", "one of a few values");
        return [arg, value];
      }),
    );
  }

  function templateOf(value: unknown, place: Place): unknown {
    if (Array.isArray(value)) return value.map((part) => templateOf(part, { ...place, isInside: true }));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, part]) => [key, templateOf(part, { ...place, isInside: true })]),
      );
    if (typeof value === "number") return numberTemplate(value, place);
    if (typeof value !== "string") {
      note(place, "constant", "always the same");
      return value;
    }
    if (mayBeWorkedOut(value, place)) return composedText(value, place);
    const said = wordsAsTheyAre(value, place);
    if (said !== undefined) return fromRequest(said, place);
    const found = outputs.sourceOf(value, place.index);
    if (found) return fromOutput(found, place);
    const almost = saidAsAWhole(value, place) ?? saidWithCapital(value, place);
    if (almost !== undefined) return fromRequest(almost, place);
    return place.isPath ? pathTemplate(value, place) : textTemplate(value, place);
  }

  function note(
    { index, arg }: Pick<Place, "index" | "arg">,
    from: ValueProvenance["from"],
    detail: string,
  ): void {
    const step = index + 1;
    const known = provenance.some(
      (one) => one.step === step && one.argument === arg && one.from === from && one.detail === detail,
    );
    if (!known) provenance.push({ step, argument: arg, from, detail });
  }

  function fromRequest(source: Source, place: Place): string {
    note(place, "request", "from your request");
    return placeholder(source);
  }

  function fromOutput(found: ReturnType<typeof outputs.before>[number], place: Place): string {
    const { source, onlyOneOf } = found;
    if (onlyOneOf !== undefined) onlyOnes.push({ step: source.step, list: onlyOneOf });
    note(place, "output", `what step ${String(source.step)} found (${source.field})`);
    return placeholder(source);
  }

  function composed(place: Place, type: "string" | "number", why = "composed by the model"): string {
    note(place, "composed", why);
    return placeholder({ kind: "parameter", name: table.composed(place.arg, type) });
  }

  function composedText(value: string, place: Place): string {
    note(place, "composed", "composed by the model");
    const name = table.composed(place.arg);
    if (!place.isInside) composedTexts.push({ index: place.index, arg: place.arg, name, value });
    return placeholder({ kind: "parameter", name });
  }

  /** A setting such as a limit is nobody's output, even where one is as large. */
  function numberTemplate(value: number, place: Place): unknown {
    const said = saidAsAWhole(value, place);
    if (said !== undefined) return fromRequest(said, place);
    const found = outputs.sourceOfNumber(value, place.index);
    if (found && (place.isInside || /(?:^|\.)next$/.test(found.source.field)))
      return fromOutput(found, place);
    return composed(place, "number");
  }

  /** The words of the request that are exactly this value. */
  function wordsAsTheyAre(value: string, place: Place): Source | undefined {
    return parameterFor(
      spans.filter((span) => span.value === value),
      place,
    );
  }

  function saidAsAWhole(value: unknown, place: Place): Source | undefined {
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const bare = place.isPath && typeof value === "string" ? value.replace(/^out\//, "") : value;
    return parameterFor(
      spans.filter((span) =>
        typeof value === "number"
          ? span.value === value
          : span.value === value || (span.type === "path" && span.value === bare),
      ),
      place,
    );
  }

  /** "Water the rose", where the request says "water the rose". */
  function saidWithCapital(value: string, place: Place): Source | undefined {
    if (place.isPath) return undefined;
    const source = parameterFor(
      spans.filter((span) => typeof span.value === "string" && capitalize(span.value) === value),
      place,
    );
    return source?.kind === "parameter" ? { ...source, capital: true } : undefined;
  }

  function parameterFor(
    fitting: readonly PromptSpan[],
    { arg, skill }: Pick<Place, "arg" | "skill">,
  ): Source | undefined {
    const span = fitting.find(({ kind }) => kind === "named") ?? fitting[0];
    if (span === undefined) return undefined;
    const name = table.forSpan(span, arg, `The ${arg} for ${skill}.`);
    return name === undefined ? undefined : { kind: "parameter", name };
  }

  /** A text that is put together: every word of it must come from somewhere. */
  function textTemplate(value: string, place: Place): string {
    if (value === "") {
      note(place, "constant", "empty");
      return value;
    }
    // Text that would itself read as a placeholder cannot stand in a template.
    if (sourcesIn(value).length > 0) return composed(place, "string");
    const isPicked = outputs.before(place.index).some((one) => one.value === value && one.isChosen);
    if (isPicked) return composed(place, "string", "chosen from several by the model or by your answer");
    const pieces = covered(value, candidatesFor(value, place));
    if (pieces === undefined) return composedText(value, place);
    return pieces.map((piece) => (typeof piece === "string" ? piece : placeholder(piece))).join("");
  }

  /** Whether the request asks to work this word out from what was read: then its also standing elsewhere is chance. */
  function mayBeWorkedOut(value: string, { index, skill, arg }: Place): boolean {
    if (!factsOf(skill)?.textArgs.includes(arg) || /\s/u.test(value.trim()) || !asksToWorkOut(request))
      return false;
    const isQuoted = ['""', "“”", "''", "‘’"].some(([open, end]) =>
      request.includes(`${open}${value}${end}`),
    );
    return !isQuoted && calls.slice(0, index).some((call) => factsOf(call.skill)?.reads === true);
  }

  /** What parts of a text may be: what was found out and said, the longest first, of the same length what was said. */
  function candidatesFor(value: string, place: Place): Candidate[] {
    // The first words say what to do: with others in their place it would be another request.
    const mentioned = spans.filter(({ start }) => start > 0);
    const said = mentioned.flatMap(({ value: words }): Candidate[] => {
      const text = String(words);
      const written = [text, capitalize(text)].find((one) => holds(value, one));
      if (written === undefined) return [];
      const source = (): Source | undefined => wordsAsTheyAre(text, place) ?? saidAsAWhole(words, place);
      const found = written === text ? source : () => saidWithCapital(written, place);
      return [{ text: written, source: noting(found, place, "request", "from your request") }];
    });
    const answered = answers.flatMap((answer): Candidate[] => [
      {
        text: answer,
        source: noting(() => answerParameter(answer, place), place, "answer", "as you answered"),
      },
    ]);
    const found = outputs.before(place.index).flatMap((one): Candidate[] => {
      if (typeof one.value !== "string" || one.value.trim() === "") return [];
      const trimmed = one.value.trimEnd();
      if (!value.includes(trimmed)) return [];
      const text = value.includes(one.value) ? one.value : trimmed;
      return [
        {
          text,
          source: () => {
            const known = outputs.sourceOf(text, place.index);
            if (!known) return undefined;
            fromOutput(known, place);
            return known.source;
          },
        },
      ];
    });
    const day: Candidate = {
      text: today,
      source: noting(() => ({ kind: "today" }), place, "constant", "the day of the run"),
    };
    return [...said, ...answered, ...found, day].toSorted(
      (one, other) => other.text.length - one.text.length,
    );
  }

  function noting(
    source: () => Source | undefined,
    place: Place,
    from: ValueProvenance["from"],
    detail: string,
  ): () => Source | undefined {
    return () => {
      const found = source();
      if (found !== undefined) note(place, from, detail);
      return found;
    };
  }

  /** What the person answered is another answer another time: it is asked for again. */
  function answerParameter(answer: string, place: Place): Source {
    return { kind: "parameter", name: table.answered(place.arg, answer) };
  }

  /** A place: what is fixed in it is a folder or a file name of its own. */
  function pathTemplate(value: string, place: Place): string {
    if (sourcesIn(value).length > 0) return composed(place, "string");
    let pieces: Piece[] = [value];
    for (const { value: found, source, isChosen } of outputs.before(place.index))
      if (typeof found === "string" && !isChosen && /[/.]/.test(found) && !/\s/.test(found))
        pieces = replaced(pieces, found, source);
    const isFound = pieces.some((piece) => typeof piece !== "string");
    for (const answer of answers) {
      if (!pieces.some((piece) => typeof piece === "string" && holds(piece, answer))) continue;
      const name = table.withDefault("place", "string", answer, "As the person answered.");
      pieces = replaced(pieces, answer, { kind: "parameter", name });
      note(place, "answer", "as you answered");
    }
    pieces = withSpans(pieces, place);
    pieces = replaced(pieces, today, { kind: "today" });
    const own = pieces.filter((piece) => typeof piece === "string");
    if (own.some((text) => /\d/.test(text))) return composed(place, "string", "a number or day by the model");
    if (typeof pieces.at(-1) === "string" && isReadSomewhere(value, place))
      return composed(place, "string", "named in what was read, not by you");
    const sources = pieces.filter((piece) => typeof piece !== "string");
    if (sources.some(({ kind }) => kind === "parameter")) note(place, "request", "partly from your request");
    if (isFound) note(place, "output", "partly what an earlier step found");
    if (sources.length === 0) note(place, "constant", "always this place");
    const template = pieces.map((piece) => (typeof piece === "string" ? piece : placeholder(piece))).join("");
    if (pieces.length === 1 && typeof pieces[0] !== "string") return template;
    if (isFound) return template;
    const description = `Where ${place.skill} finds or puts it, when the request does not say.`;
    return placeholder({
      kind: "parameter",
      name: table.withDefault(place.arg, "path", template, description),
    });
  }

  /** True when the place, or its name alone, stands in something that was read. */
  function isReadSomewhere(path: string, { index }: Place): boolean {
    const bare = path.replace(/^out\//, "");
    return [bare, bare.split("/").at(-1) ?? bare].some(
      (text) => text.length > 1 && outputs.occursIn(text, index),
    );
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

  return { findWholes, templatesOf, provenance, onlyOnes, composedTexts };
}

/** The text as what it is made of; undefined when a word of it comes from nowhere. */
function covered(value: string, candidates: readonly Candidate[]): Piece[] | undefined {
  let pieces: (string | Candidate)[] = [value];
  for (const candidate of candidates) pieces = split(pieces, candidate.text, candidate);
  if (pieces.some((piece) => typeof piece === "string" && /[\p{L}\p{N}]/u.test(piece))) return undefined;
  const sources = pieces.map((piece) => (typeof piece === "string" ? piece : piece.source()));
  return sources.every((piece) => piece !== undefined) ? sources : undefined;
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
  return split(pieces, words, source);
}

/** The pieces with a mark in place of these words, where they stand as words of their own. */
function split<Mark extends object>(
  pieces: readonly (string | Mark)[],
  words: string,
  mark: Mark,
): (string | Mark)[] {
  return pieces.flatMap((piece): (string | Mark)[] => {
    if (typeof piece !== "string") return [piece];
    const parts: (string | Mark)[] = [];
    let from = 0;
    for (let at = indexOfWords(piece, words, 0); at >= 0; at = indexOfWords(piece, words, from)) {
      if (at > from) parts.push(piece.slice(from, at));
      parts.push(mark);
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
