import type { ValueProvenance } from "../../contract/function.ts";
import { type Piece, placeholder, type Source, sourcesIn } from "../../contract/placeholders.ts";
import { quotationsIn } from "../../language/tokens/tokens.ts";
import { asksToCalculate } from "../../policy/target-words.ts";
import { capitalize } from "../../text/format.ts";
import { escapeRegExp } from "../../text/words.ts";
import { nameOfField } from "./leaves.ts";
import { containsWords, replaceInPieces } from "./text-pieces.ts";
import type { Place, ValueSources } from "./value-sources.ts";

/** A possible source of a part of a text. `source` creates its parameter. */
interface Candidate {
  text: string;
  /** Words of the request in another case: a planner wrote them anew. */
  isRecased?: boolean;
  source: () => Source | undefined;
}

/** The template of a composed text. Every word must have a source. */
export function textTemplate(value: string, place: Place, sources: ValueSources): string {
  if (value === "") {
    sources.note(place, "constant", "empty");
    return value;
  }
  // Text that looks like a placeholder cannot be part of a template.
  if (sourcesIn(value).length > 0) return sources.composed(value, place);
  const isPicked = sources.outputs.before(place.index).some((one) => one.value === value && one.isChosen);
  if (isPicked) return sources.composed(value, place, "chosen from several by the model or by your answer");
  const candidates = candidatesFor(value, place, sources);
  const splitInto = (some: readonly Candidate[]): Piece[] | undefined =>
    sources.attempt(() => splitIntoSources(value, some, sources.run.request));
  // "for Ove Sandell" may be "for" and a name that another value has already.
  const pieces =
    splitInto(candidates) ?? splitInto(candidates.filter(({ text }) => !JOINS_AT_START.test(text)));
  if (pieces === undefined) return sources.composedText(value, place);
  if (pieces.every((piece) => typeof piece === "string")) sources.note(place, "constant", "always the same");
  return pieces.map((piece) => (typeof piece === "string" ? piece : placeholder(piece))).join("");
}

/** True if the request asks to calculate this word, so that its occurrence elsewhere is a coincidence. */
export function mayBeCalculated(
  value: string,
  { index, skill, arg }: Place,
  { run: { request, calls, factsOf } }: ValueSources,
): boolean {
  if (!factsOf(skill)?.textArgs.includes(arg) || /\s/u.test(value.trim()) || !asksToCalculate(request))
    return false;
  const isResult = calls
    .slice(0, index)
    .some((call) => factsOf(call.skill)?.calculates && call.outputs["result"] === value);
  if (isResult) return false;
  const isQuoted = quotationsIn(request).some(({ inner }) => inner === value);
  return !isQuoted && calls.slice(0, index).some((call) => factsOf(call.skill)?.reads === true);
}

/** The possible sources of parts of a text, longest first; of equal length, words of the request first. */
function candidatesFor(value: string, place: Place, sources: ValueSources): Candidate[] {
  const { request, spans, answers, today, table } = sources.run;
  const withNote =
    (source: () => Source | undefined, from: ValueProvenance["from"], detail: string) =>
    (): Source | undefined => {
      const found = source();
      if (found !== undefined) sources.note(place, from, detail);
      return found;
    };
  // The first words state the action, unless they are quoted or a name: with other words it would be another request.
  const mentioned = spans.filter(({ start, kind }) => start > 0 || kind === "named");
  const candidates = mentioned.flatMap(({ value: words }): Candidate[] => {
    const text = String(words);
    const written = [text, capitalize(text)].find((one) => containsWords(value, one));
    if (written === undefined) return [];
    const field = { ...place, name: labelBefore(written, value, request) ?? place.name };
    const source = (): Source | undefined => sources.verbatim(text, field) ?? sources.whole(words, field);
    const found = written === text ? source : () => sources.withCapital(written, field);
    const isRecased = written !== text;
    return [{ text: written, isRecased, source: withNote(found, "request", "from your request") }];
  });
  const answered = answers.flatMap((answer): Candidate[] => {
    // The person may answer differently next time, so the question is asked again.
    const source = (): Source => ({ kind: "parameter", name: table.addAnswered(place.name, answer) });
    return [{ text: answer, source: withNote(source, "answer", "as you answered") }];
  });
  const found = sources.outputs.before(place.index).flatMap((one): Candidate[] => {
    if (typeof one.value !== "string" || one.value.trim() === "") return [];
    const trimmed = one.value.trimEnd();
    if (!value.includes(trimmed)) return [];
    const text = value.includes(one.value) ? one.value : trimmed;
    return [
      {
        text,
        source: () => {
          const known = sources.outputs.sourceOf(text, place.index);
          if (!known) return undefined;
          sources.fromOutput(known, place);
          return known.source;
        },
      },
    ];
  });
  const day: Candidate = {
    text: today,
    source: withNote(() => ({ kind: "today" }), "constant", "the day of the run"),
  };
  return [...candidates, ...answered, ...found, day].toSorted(
    (one, other) => other.text.length - one.text.length,
  );
}

/**
 * "Lee Invoice" of "send lee the invoice": words that the request says apart stand side by side in another case. A planner composed
 * them for this one request.
 */
const isHeadline = (pieces: readonly (string | Label | Candidate)[]): boolean =>
  pieces.some((piece, at) => {
    const [between, next] = [pieces[at + 1], pieces[at + 2]];
    if (typeof piece === "string" || typeof next !== "object" || typeof between !== "string") return false;
    if ("label" in piece || "label" in next) return false;
    return between.trim() === "" && (piece.isRecased === true || next.isRecased === true);
  });

/**
 * True if the words before and after this piece are those of the request with a name in place of its pronoun: "Call Mia" of "put Mia
 * on the list and make a task to call her".
 */
function isNameForPronoun(
  pieces: readonly (string | Label | Candidate)[],
  at: number,
  request: string,
): boolean {
  const [before, between, name] = [pieces[at - 1], pieces[at], pieces[at + 1]];
  if (typeof before !== "object" || typeof name !== "object" || typeof between !== "string") return false;
  if ("label" in before || "label" in name || !/^\s+(?:the\s+)?$/u.test(between)) return false;
  const words = escapeRegExp(before.text);
  const pronoun = new RegExp(String.raw`(?<!\p{L})${words}\s+(?:him|her|it|them)(?!\p{L})`, "iu").exec(
    request,
  );
  return pronoun !== null && containsWords(request.slice(0, pronoun.index), name.text);
}

/** Words that stay the same, such as the name of a field of a form: "Customer" in "- Customer: Ove Sandell". */
interface Label {
  label: string;
}

const LABEL = /^[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?(\p{L}[\p{L}\p{N} ]{0,40}?)(?:\*\*)?:(?=[ \t]\S)/gmu;

const HEADING = /^#{1,6}[ \t]+(\p{L}[\p{L}\p{N} ]{0,40}?)[ \t]*$/gmu;

/**
 * The labels and headings of a form of several lines that the request names without a capital letter: "a job sheet with customer, job and due
 * date". A single line may have a value before its colon: "Oslo: 5 days".
 */
function labelsIn(value: string, request: string): { label: string; start: number }[] {
  const labelsMatching = (pattern: RegExp): { label: string; start: number }[] =>
    [...value.matchAll(pattern)].flatMap(({ 0: line, 1: label = "", index }) =>
      containsWords(request, label.toLowerCase()) ? [{ label, start: index + line.indexOf(label) }] : [],
    );
  const labels = labelsMatching(LABEL);
  if (labels.length < 2) return [];
  return [...labelsMatching(HEADING), ...labels].toSorted((one, other) => one.start - other.start);
}

/** The text with its labels apart. */
function withLabels(value: string, request: string): (string | Label)[] {
  const pieces: (string | Label)[] = [];
  let from = 0;
  for (const { label, start } of labelsIn(value, request)) {
    pieces.push(value.slice(from, start), { label });
    from = start + label.length;
  }
  return [...pieces, value.slice(from)].filter((piece) => piece !== "");
}

/** The label before these words on their line, as the name of a parameter. */
function labelBefore(words: string, value: string, request: string): string | undefined {
  const found = labelsIn(value, request).find(({ label, start }) => {
    const [line = ""] = value.slice(start + label.length).split("\n", 1);
    return containsWords(line, words);
  });
  return found && nameOfField(found.label);
}

/** Words that only join two values: "fix the trailer for Ove". */
const JOINING = "for|of|with|from|by|at|in|on|and|für|von|mit|und|pour|de|et";
const JOINS = new RegExp(`^\\s+(?:${JOINING})\\s+$`, "u");
const JOINS_AT_START = new RegExp(`^(?:${JOINING}|the)\\s`, "u");

/** Splits the text into its sources; undefined if a word has none. */
function splitIntoSources(
  value: string,
  candidates: readonly Candidate[],
  request: string,
): Piece[] | undefined {
  let pieces: (string | Label | Candidate)[] = withLabels(value, request);
  for (const candidate of candidates) pieces = replaceInPieces(pieces, candidate.text, candidate);
  const isUnexplained = pieces.some(
    (piece, at) =>
      typeof piece === "string" &&
      /[\p{L}\p{N}]/u.test(piece) &&
      !(JOINS.test(piece) && typeof pieces[at - 1] === "object" && typeof pieces[at + 1] === "object") &&
      !isNameForPronoun(pieces, at, request),
  );
  if (isUnexplained) return undefined;
  // What is done with the name stays the same: with other words before the pronoun it would be another request.
  pieces = pieces.map((piece, at) =>
    typeof piece === "object" && "text" in piece && isNameForPronoun(pieces, at + 1, request)
      ? { label: piece.text }
      : piece,
  );
  if (isHeadline(pieces)) return undefined;
  const sources: Piece[] = [];
  for (const piece of pieces) {
    const source = typeof piece === "string" ? piece : "label" in piece ? piece.label : piece.source();
    if (source === undefined) return undefined;
    sources.push(source);
  }
  return sources;
}
