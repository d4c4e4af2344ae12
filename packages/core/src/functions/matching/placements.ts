import type { Slot } from "./function-concepts.ts";
import { piecesOf } from "../../contract/placeholders.ts";
import { Evidence, type Features, type Weights } from "./evidence.ts";
import { typedSlotsFirst } from "./typed-candidates.ts";
import { spansOf, type Span } from "./value-spans.ts";
import { contradictsVoice, ordersIn } from "./voice.ts";
import { isCapital } from "./value-borders.ts";
import { textOfUnits } from "./request-units.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

/** A value with its position. */
export interface PlacedValue {
  slot: Slot;
  span: Span;
}
/** One placement of all values. */
export interface Placement {
  placed: readonly PlacedValue[];
  /** Features of the values together; each value has its own. */
  features: Features;
  /** The logarithm of its probability, up to a constant. */
  score: number;
}

/** The maximum number of positions for one value, and of their combinations. */
const MAX_SPANS = 8;
const MAX_PLACEMENTS = 300;

/**
 * Subtracted for each quoted text, path or address that only another placement contains: a person writes one to have it used.
 */
const LOST_BY_EXACT = 10;
const EXACT: ReadonlySet<string> = new Set(["quoted", "path", "url", "email"]);

/** A value of these forms fills an optional parameter in any position, unless another parameter takes it. */
const KNOWN_BY_FORM: ReadonlySet<Slot["type"]> = new Set<Slot["type"]>([
  "date",
  "time",
  "number",
  "url",
  "email",
  "path",
]);

export const scoreOf = (features: Features, weights: Weights): number => {
  let sum = 0;
  for (const name in features) sum += (weights[name] ?? 0) * (features[name] ?? 0);
  return sum;
};

export interface PlacementOptions {
  /** The possible positions of a slot's value; a caller that places values repeatedly caches them. */
  spansFor?: (slot: Slot, annotated: AnnotatedRequest) => readonly Span[];
  /** Leaves out the placements that are negligible compared with the likeliest. */
  onlyLikely?: boolean;
}

/** Placements of all values, the likeliest first. */
export function placements(
  annotated: AnnotatedRequest,
  weights: Weights,
  { spansFor = spansOf, onlyLikely = false }: PlacementOptions = {},
): Placement[] {
  const slots = annotated.concepts.slots
    .filter((slot) => !slot.isOptional || KNOWN_BY_FORM.has(slot.type))
    .toSorted((one, other) => Number(one.isOptional) - Number(other.isOptional));
  const exact = exactUnits(annotated);
  const spansOfSlots = new Map<Slot, readonly { span: Span; score: number }[]>();
  for (const slot of typedSlotsFirst(slots)) {
    const scored = spansFor(slot, annotated)
      .map((span) => ({ span, score: span.evidence.scoreBy(weights) }))
      .toSorted((one, other) => other.score - one.score);
    const spans = scored.filter(
      ({ span }, index) => index < MAX_SPANS || (span.to - span.from === 1 && exact.includes(span.from)),
    );
    if (spans.length === 0 && !slot.isOptional) return [];
    spansOfSlots.set(slot, spans);
  }
  const spread = spreadOfCombinations(annotated.concepts.slots.length, weights);
  const leastLikely = (best: number): number =>
    onlyLikely ? best + Math.log(NEGLIGIBLE) - spread : -Infinity;
  const mayStateDefaults = annotated.concepts.slots.some(({ preset }) => preset !== undefined);
  let found: Placing[] = [{ placed: [], score: 0 }];
  for (const [index, slot] of slots.entries()) {
    const spans = spansOfSlots.get(slot) ?? [];
    if (spans.length === 0) continue;
    // Nothing but the features of the combination can be added to these scores.
    const isFinal = index === slots.length - 1 && !slot.isOptional && exact.length === 0 && !mayStateDefaults;
    const least = isFinal ? leastLikely(bestWith(spans, found)) : -Infinity;
    found = found
      .flatMap((before) => {
        const { placed, score } = before;
        const free = spans.filter((one) => score + one.score >= least && isFree(one.span, placed));
        if (free.length === 0 && slot.isOptional) return [before];
        return free.map((one) => ({
          placed: [...placed, { slot, span: one.span }],
          score: score + one.score,
        }));
      })
      .toSorted((one, other) => other.score - one.score)
      .slice(0, MAX_PLACEMENTS);
  }
  if (mayStateDefaults)
    found = found.map((one) => withStatedDefaults(one.placed, one.score, annotated, weights));
  const left = found.map(
    ({ placed }) =>
      exact.filter((at) => placed.every(({ span: { from, to } }) => at < from || to <= at)).length,
  );
  const fewest = Math.min(...left);
  const lostBy = (index: number): number => LOST_BY_EXACT * ((left[index] ?? fewest) - fewest);
  const least = leastLikely(Math.max(...found.map(({ score }, index) => score - lostBy(index))));
  return found
    .flatMap(({ placed, score }, index) => {
      const lost = lostBy(index);
      if (score - lost < least) return [];
      const features = combinationFeatures(placed, annotated);
      return [{ placed, features, score: score + scoreOf(features, weights) - lost }];
    })
    .toSorted((one, other) => other.score - one.score);
}

/** Values that are placed so far. */
interface Placing {
  placed: PlacedValue[];
  score: number;
}

/** The best score with one more value. */
const bestWith = (spans: readonly { span: Span; score: number }[], found: readonly Placing[]): number =>
  Math.max(
    ...found.map(
      ({ placed, score }) => score + (spans.find(({ span }) => isFree(span, placed))?.score ?? -Infinity),
    ),
  );

/** The maximum by which the features of several values together can change the difference between two placements. */
function spreadOfCombinations(values: number, weights: Weights): number {
  const weightOf = (name: string): number => weights[name] ?? 0;
  const orders = [0, ...ORDERS.map(weightOf)];
  return (
    Math.max(...orders) -
    Math.min(...orders) +
    values * Math.abs(weightOf("unseparated")) +
    Math.abs(weightOf("split-name")) +
    Math.abs(weightOf("other-voice"))
  );
}

const ORDERS = ["in-order", "free-order", "other-order"] as const;

const isFree = ({ from, to }: Pick<Span, "from" | "to">, placed: readonly PlacedValue[]): boolean =>
  placed.every(({ span }) => to <= span.from || span.to <= from);

/** Adds the values of optional texts that a request states although their defaults would give them: "call Ada Berg" beside "Ada Berg". */
function withStatedDefaults(
  placed: PlacedValue[],
  score: number,
  annotated: AnnotatedRequest,
  weights: Weights,
): { placed: PlacedValue[]; score: number } {
  const values = Object.fromEntries(placed.map(({ slot, span }) => [slot.name, span.value]));
  const stated = annotated.concepts.slots.flatMap((slot) => {
    const span = statedDefault(slot, annotated, values);
    return span !== undefined && isFree(span, placed) ? [{ slot, span }] : [];
  });
  const gained = stated.reduce((sum, { span }) => sum + span.evidence.scoreBy(weights), 0);
  return stated.length === 0 ? { placed, score } : { placed: [...placed, ...stated], score: score + gained };
}

/** The maximum number of words of an optional text before the value that its default contains. */
const MAX_WORDS_BEFORE_VALUE = 4;

/**
 * The position of an optional text around another value, as in its default `call ${name}`: "call Olli Kari", and also "ring Olli Kari",
 * after a word that introduces the text in the templates.
 */
function statedDefault(
  { type, preset, before }: Slot,
  annotated: AnnotatedRequest,
  values: Readonly<Record<string, string | number>>,
): Span | undefined {
  if (preset === undefined || type !== "text") return undefined;
  const pieces = piecesOf(preset);
  const sources = pieces.flatMap((piece) =>
    typeof piece === "string" || piece.kind !== "parameter" || piece.form !== undefined ? [] : [piece.name],
  );
  const [name, ...others] = sources;
  const value = name === undefined ? undefined : values[name];
  if (value === undefined || others.length > 0) return undefined;
  const { request, words } = annotated;
  const inside = String(value).toLowerCase();
  const length = inside.split(/\s+/u).length;
  for (const [at, unit] of request.units.entries()) {
    if (unit.kind !== "word" || textOfUnits(request, at, at + length).toLowerCase() !== inside) continue;
    for (let from = at; from > 0 && at - from <= MAX_WORDS_BEFORE_VALUE; from -= 1) {
      if (request.units[from - 1]?.kind !== "word") break;
      if (!before.has(words[from - 1] ?? "")) continue;
      const to = at + length;
      const evidence = Evidence.of({ typed: 1, "t:before:own": 1 });
      return { from, to, value: textOfUnits(request, from, to), evidence };
    }
  }
  return undefined;
}

/** The positions of quoted texts, paths and addresses that are not words of the function; none where one corrects another. */
function exactUnits({ request: { units, isCorrected }, concepts }: AnnotatedRequest): number[] {
  if (isCorrected) return [];
  return units.flatMap(({ kind, text, isHarmless }, index) =>
    EXACT.has(kind) && !isHarmless && !concepts.literals.has(text.toLowerCase()) ? [index] : [],
  );
}

const groupOf = ({ type }: Slot): string => (type === "text" || type === "name" ? "text" : type);

/** Features of several values together: their order, and texts without a separator. */
function combinationFeatures(placed: readonly PlacedValue[], annotated: AnnotatedRequest): Features {
  if (placed.length < 2) return {};
  const order = orderFeature(placed, annotated);
  const unseparated = placed.filter((one) =>
    placed.some((other) => one.span.to === other.span.from && isRunningOn(one, other, annotated)),
  ).length;
  const isTurned = contradictsVoice(
    annotated,
    placed.map(({ slot: { name }, span: { from } }) => ({ name, from })),
  );
  const isSplit = placed.some((one) => placed.some((other) => isOneName(one, other, annotated)));
  return {
    [order]: 1,
    ...(unseparated > 0 && { unseparated }),
    ...(isTurned && { "other-voice": 1 }),
    ...(isSplit && { "split-name": 1 }),
  };
}

/** "Claudia" and "Weiss" of "Claudia Weiss": a first and a last name are one value. */
function isOneName(one: PlacedValue, other: PlacedValue, annotated: AnnotatedRequest): boolean {
  const { units } = annotated.request;
  const { from, to } = other.span;
  return (
    one.span.to === from &&
    one.slot.isProper &&
    other.slot.isProper &&
    one.span.to - one.span.from === 1 &&
    to - from === 1 &&
    !/['’]s$/u.test(units[one.span.from]?.text ?? "") &&
    isCapital(annotated, one.span.from) &&
    isCapital(annotated, from)
  );
}

/** "Sicut Cervus" as two values: only the function shows where one ends. */
function isRunningOn(
  one: PlacedValue,
  other: PlacedValue,
  { request: { units } }: AnnotatedRequest,
): boolean {
  if (groupOf(one.slot) !== "text" || groupOf(other.slot) !== "text") return false;
  if (one.slot.isCode || other.slot.isCode) return false;
  const [last, first] = [units[one.span.to - 1], units[other.span.from]];
  return last?.kind === "word" && first?.kind === "word" && !/['’]s$/u.test(last.text);
}

function orderFeature(placed: readonly PlacedValue[], annotated: AnnotatedRequest): (typeof ORDERS)[number] {
  const orders = ordersIn(annotated);
  const names = placed.toSorted((one, other) => one.span.from - other.span.from).map(({ slot }) => slot.name);
  const isAs = (order: readonly string[]): boolean => {
    const same = order.filter((name) => names.includes(name));
    return names.every((name, index) => same[index] === name);
  };
  if (orders.some(isAs)) return "in-order";
  const groups = placed.map(({ slot }) => groupOf(slot));
  const sameGroup = placed.filter((_, index) => groups.filter((group) => group === groups[index]).length > 1);
  const order = sameGroup
    .toSorted((one, other) => one.span.from - other.span.from)
    .map(({ slot }) => slot.name);
  const isKnownOrder = orders.some((one) =>
    one.filter((name) => order.includes(name)).every((name, index) => order[index] === name),
  );
  return sameGroup.length === 0 || isKnownOrder ? "free-order" : "other-order";
}

/** All placements of this share or less together are less than 1 %. */
const NEGLIGIBLE = 1e-5;

/** The share of the likeliest values among all placements. */
export function certaintyOf(all: readonly Placement[]): number {
  const [best] = all;
  if (best === undefined) return 1;
  const same = valuesKey(best);
  let [own, total] = [0, 0];
  for (const one of all) {
    const share = Math.exp(one.score - best.score);
    // They are in order of probability: the rest together is negligible.
    if (share < NEGLIGIBLE) break;
    total += share;
    if (valuesKey(one) === same) own += share;
  }
  return own / total;
}

const valuesKey = ({ placed }: Placement): string =>
  placed
    .map(
      ({ slot, span }) =>
        `${slot.name}=${String(span.value)
          .toLowerCase()
          .replace(/^(?:the|an?)\s+/u, "")}`,
    )
    .join("\n");
