import { normalize } from "../../language/tokens/words.ts";
import {
  DETERMINERS,
  familyOf,
  kindsOfVerb,
  MEASURES,
  namedCurrencies,
  NEUTRAL,
  PREPOSITIONS,
} from "./families.ts";
import type { Clock } from "../../language/dates/clock.ts";
import { conceptsOf, type Slot } from "./function-concepts.ts";
import { isNumberWord, numberOfWord, readUnits, type Unit } from "./request-units.ts";
import {
  hasPlainEdges,
  holdsContent,
  innerProblem,
  isCapital,
  isLedBy,
  isOwn,
  isPhrase,
  isThingNamed,
  LED_BY_CAPITAL,
  leadsToName,
  leftOf,
  mayBeginText,
  mayBeInName,
  mayEndText,
  rightOf,
  withoutPossessive,
  written,
  type AlignedRequest,
} from "./value-borders.ts";

/** Units that may be the value of a slot. */
export interface Candidate {
  from: number;
  to: number;
  value: string | number;
  /** How well the words around it and its form speak for it. */
  score: number;
  /** Its form or the words around it leave no doubt. */
  isSure: boolean;
  /** Families of the words that its place in the path stands for: `notes/visa.md` is a note. */
  speaksOf?: readonly string[];
}

export type Filled = readonly { slot: Slot; candidate: Candidate }[];

/** The likeliest places for one value; more make the number of combinations too large. */
const MOST_CANDIDATES = 8;
const MOST_ASSIGNMENTS = 300;
/** The most words of a name without quotation marks. */
const NAME_WORDS = 4;
/** The least that the words around an unquoted value must say. */
const LEAST_SCORE = 3;

/** What the words of a text stand for as values of a function: days, numbers, options by their names; as text. */
export function normalizedValues(
  text: string,
  content: Parameters<typeof conceptsOf>[0],
  clock: Clock,
): string[] {
  const units = readUnits(text, clock)?.units ?? [];
  const words = units.map((unit) => unit.text);
  const options = conceptsOf(content).slots.flatMap((slot) =>
    namedCurrencies(slot, words).map(({ value }) => value),
  );
  const typed = units.flatMap(
    (unit) => unit.value ?? (isNumberWord(unit) ? numberOfWord(unit.text) : []) ?? [],
  );
  return [...typed, ...options].map(String);
}

/** Every way to fill all slots that must be filled without overlaps, the likeliest candidates first. */
export function assignments(aligned: AlignedRequest): Filled[] {
  let found: Filled[] = [[]];
  for (const slot of aligned.concepts.slots) {
    const candidates = candidatesOf(slot, aligned)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, MOST_CANDIDATES);
    if (candidates.length === 0 && !slot.isOptional) return [];
    found = found
      .flatMap((filled) => [
        ...candidates
          .filter(({ from, to }) =>
            filled.every(({ candidate }) => to <= candidate.from || candidate.to <= from),
          )
          .map((candidate): Filled => [...filled, { slot, candidate }]),
        ...(slot.isOptional ? [filled] : []),
      ])
      .slice(0, MOST_ASSIGNMENTS);
  }
  return found.map((filled) => inOrder(filled, aligned));
}

/** What a value loses whose place is said by nothing but its order, which differs from that of the templates. */
const LOST_OUT_OF_ORDER = { typed: 8, text: 2, led: 2, allLed: 0.5 };
/** What a value loses that stands where the templates have another one of its form. */
const LOST_IN_PLACE_OF_OTHER = 3;

/**
 * Two values of one form are told apart by the words that lead to them, else by the order of the function's own templates.
 * Another order without such words is doubtful, as is a value after words that lead to the other one.
 */
function inOrder(filled: Filled, aligned: AlignedRequest): Filled {
  const { slots } = aligned.concepts;
  return filled.map(({ slot, candidate }) => {
    const isTyped = slot.type !== "text" && slot.type !== "name";
    const twins = filled.filter(({ slot: other }) =>
      isTyped ? other.type === slot.type : other.type === "text" || other.type === "name",
    );
    if (twins.length < 2) return { slot, candidate };
    if (isTyped && isLedToOther(aligned, { slot, candidate }, twins))
      return { slot, candidate: doubtful(candidate, LOST_IN_PLACE_OF_OTHER) };
    const placed = twins.toSorted((one, other) => one.candidate.from - other.candidate.from);
    const declared = slots.filter((one) => twins.some((twin) => twin.slot === one));
    if (placed.every((one, at) => one.slot === declared[at])) return { slot, candidate };
    if (!isTyped)
      return twins.every((one) => one.candidate.isSure)
        ? { slot, candidate: { ...candidate, score: candidate.score - LOST_OUT_OF_ORDER.allLed } }
        : { slot, candidate: doubtful(candidate, LOST_OUT_OF_ORDER.text) };
    const led = twins.filter((one) => isLedTo(aligned, one.candidate.from, one.slot));
    if (led.length === twins.length)
      return { slot, candidate: { ...candidate, score: candidate.score - LOST_OUT_OF_ORDER.allLed } };
    return {
      slot,
      candidate: doubtful(candidate, led.length > 0 ? LOST_OUT_OF_ORDER.led : LOST_OUT_OF_ORDER.typed),
    };
  });
}

const doubtful = (candidate: Candidate, lost: number): Candidate => ({
  ...candidate,
  score: candidate.score - lost,
  isSure: false,
});

/** The word before a value, articles aside. */
function leadOf({ request: { units }, words }: AlignedRequest, from: number): string {
  let at = from - 1;
  while (units[at]?.kind === "word" && DETERMINERS.has(words[at] ?? "")) at -= 1;
  return words[at] ?? "";
}

/** Words that stand before this value in the templates stand before it here. "Of" and "for" lead on to anything. */
function isLedTo(aligned: AlignedRequest, from: number, { before, labels }: Slot): boolean {
  const lead = leadOf(aligned, from);
  const label = /^(?:of|for|at|is|to)$/u.test(lead) ? leadOf(aligned, from - 1) : lead;
  return before.has(lead) || [lead, label].some((word) => before.has(word) || labels.has(familyOf(word)));
}

/** Only another value of the same form is led to by the words before this one. */
function isLedToOther(
  aligned: AlignedRequest,
  { slot, candidate: { from } }: Filled[number],
  twins: Filled,
): boolean {
  return (
    !isLedTo(aligned, from, slot) &&
    twins.some(({ slot: other }) => other !== slot && isLedTo(aligned, from, other))
  );
}

function candidatesOf(slot: Slot, aligned: AlignedRequest): Candidate[] {
  switch (slot.type) {
    case "date":
    case "number":
    case "url":
    case "email":
      return typedCandidates(slot, aligned);
    case "path":
      return [...pathCandidates(slot, aligned), ...(slot.isFolder ? nameCandidates(slot, aligned) : [])];
    case "enum":
      return enumCandidates(slot, aligned);
    case "name":
      return [
        ...framedCandidates(slot, aligned),
        ...(slot.hasExtension ? quotedCandidates(slot, aligned) : nameCandidates(slot, aligned)),
      ];
    case "text":
      return textCandidates(slot, aligned);
    default:
      return slot.type satisfies never;
  }
}

function typedCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  return aligned.request.units.flatMap((unit, at): Candidate[] => {
    const spelled = slot.type === "number" ? spelledNumber(slot, aligned, at) : undefined;
    if ((unit.kind !== slot.type && spelled === undefined) || unit.isHarmless) return [];
    if (isOtherMeasure(slot, aligned, at)) return [];
    const near = leftOf(aligned, at, slot) / 2;
    const after = slot.after.has(aligned.words[at + 1] ?? "") ? 1 : 0;
    return [
      {
        from: at,
        to: at + 1,
        value: spelled ?? unit.value ?? unit.text,
        score: 4 + near + after,
        isSure: unit.isSure,
        // An address is that of a page.
        ...(slot.type === "url" && { speaksOf: WEB_WORDS }),
      },
    ];
  });
}

const WEB_WORDS = ["page", "site", "website", "address", "link", "url"].map(familyOf);

/** "Nineteen degrees", "for bed three": a word that stands where the function has a number; elsewhere it counts things. */
function spelledNumber(
  { after, before }: Slot,
  { request: { units }, words, concepts }: AlignedRequest,
  at: number,
) {
  const unit = units[at];
  if (unit === undefined || !isNumberWord(unit)) return undefined;
  const [previous, next] = [words[at - 1] ?? "", words[at + 1] ?? ""];
  const isLed = before.has(previous) && concepts.nouns.has(familyOf(previous));
  return after.has(next) || isLed ? numberOfWord(unit.text) : undefined;
}

/**
 * "157 lb" is no number of kilograms, and "pulse 82" no temperature: a thing that the function does not know says what the
 * number is where the templates have a thing of its own.
 */
function isOtherMeasure({ type, before, labels }: Slot, aligned: AlignedRequest, at: number): boolean {
  if (type !== "number") return false;
  const {
    request: { units },
    words,
    families,
    concepts,
  } = aligned;
  const isKnown = (place: number): boolean =>
    concepts.literals.has(words[place] ?? "") || concepts.known.has(families[place] ?? "");
  if (MEASURES.has(words[at + 1] ?? "") && !isKnown(at + 1)) return true;
  const previous = words[at - 1] ?? "";
  // "By 2" says how much more or less.
  if (previous === "by" && !before.has("by")) return true;
  const isNamedByThing = [...before].some((word) => concepts.nouns.has(familyOf(word)));
  const isOtherThing =
    units[at - 1]?.kind === "word" &&
    !isKnown(at - 1) &&
    !labels.has(families[at - 1] ?? "") &&
    !NEUTRAL.has(previous) &&
    !PREPOSITIONS.has(previous) &&
    kindsOfVerb(previous).size === 0 &&
    !/^(?:no|nr|number|num|to|for|at|and|then|now)$/u.test(previous);
  return isNamedByThing && isOtherThing;
}

function pathCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  const { units, text } = aligned.request;
  return units.flatMap((unit, at): Candidate[] => {
    if (unit.kind !== "path" && unit.kind !== "quoted") return [];
    const value = unit.kind === "quoted" ? unit.text : written(text, unit);
    const looksRight = unit.kind === "path" || /[./]/u.test(value) || slot.isFolder;
    // A pattern or a folder is more than the one file that the function takes.
    const isMore = /[*?]/u.test(value) || (!slot.isFolder && value.endsWith("/"));
    return looksRight && !isMore
      ? [{ from: at, to: at + 1, value, score: 4 + leftOf(aligned, at, slot) / 2, isSure: true }]
      : [];
  });
}

function enumCandidates(
  slot: Slot,
  { request: { units }, words, families, concepts }: AlignedRequest,
): Candidate[] {
  const found = units.flatMap((unit, at) => {
    const said = unit.kind === "word" && !unit.isHarmless ? normalize(unit.text) : "";
    const value = slot.options.find((option) => normalize(option) === said);
    return value === undefined ? [] : [{ at, value }];
  });
  const named = found.length > 0 ? [] : namedCurrencies(slot, words);
  return [...found.map(({ at, value }) => ({ at, to: at + 1, value })), ...named].map(
    ({ at, to, value }): Candidate => {
      const isNamed = [at - 2, at - 1, at + 1].some((near) => slot.labels.has(families[near] ?? ""));
      // The only option that is said, led to as in the templates or beside what the function is about.
      const isLed = slot.before.has(words[at - 1] ?? "") || concepts.nouns.has(families[at + 1] ?? "");
      const isSure = isNamed || (isLed && found.length === 1);
      return { from: at, to, value, score: isNamed ? 6 : 3, isSure };
    },
  );
}

/** A path where only its variable part is wanted: `notes/visa.md` for `notes/${name}.md`. */
function framedCandidates(slot: Slot, { request: { units, text } }: AlignedRequest): Candidate[] {
  return units.flatMap((unit, at): Candidate[] => {
    if (unit.kind !== "path" && !isQuotedPath(unit)) return [];
    const path = unit.kind === "path" ? written(text, unit) : unit.text;
    const whole = { from: at, to: at + 1, score: 6, isSure: true };
    if (slot.hasExtension) {
      const name = path.split("/").at(-1) ?? "";
      const folder = path.slice(0, path.length - name.length);
      const fits = folder === "" || slot.frames.some(({ prefix }) => rootless(prefix) === rootless(folder));
      return fits ? [{ ...whole, value: name }] : [];
    }
    for (const { prefix, suffix } of slot.frames) {
      const inner = insideFrame(path, prefix, suffix);
      if (inner !== undefined) return [{ ...whole, value: inner, speaksOf: wordsOf(prefix).map(familyOf) }];
    }
    return [];
  });
}

/** A quotation with folders in it: a part of a path only where it fits in there. */
const isQuotedPath = ({ kind, text }: Unit): boolean => kind === "quoted" && /^\S+\/\S/u.test(text);

const rootless = (path: string): string => path.replace(/^out\//u, "");
const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

function insideFrame(path: string, prefix: string, suffix: string): string | undefined {
  const [whole, start] = [rootless(path), rootless(prefix)];
  const isWithin =
    start !== "" &&
    whole.startsWith(start) &&
    whole.endsWith(suffix) &&
    whole.length > start.length + suffix.length;
  const inner = isWithin ? whole.slice(start.length, whole.length - suffix.length) : "";
  return inner === "" || inner.includes("/") ? undefined : inner;
}

function quotedCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  // Where another value is the quoted one, a quotation is that value.
  const isOthers = !slot.isQuoted && aligned.concepts.slots.some(({ isQuoted }) => isQuoted);
  const form = slot.isQuoted ? 7 : isOthers ? 2 : 5;
  return aligned.request.units.flatMap((unit, at): Candidate[] =>
    unit.kind === "quoted" && !(slot.frames.length > 0 && isQuotedPath(unit))
      ? [
          {
            from: at,
            to: at + 1,
            value: unit.text,
            score: form + leftOf(aligned, at, slot) / 2,
            isSure: !isOthers,
          },
        ]
      : [],
  );
}

function nameCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  const { units, text } = aligned.request;
  const found = quotedCandidates(slot, aligned);
  if (!isThingNamed(slot, aligned)) return found;
  for (const [from, first] of units.entries()) {
    if (!mayBeInName(first, aligned.words[from] ?? "", true, slot.isFolder)) continue;
    const isOwnFirst = isOwn(aligned, from);
    if (isOwnFirst && leftOf(aligned, from, slot) < 3.5) continue;
    const left = leftOf(aligned, from, slot);
    const isVerb = from === 0 && kindsOfVerb(aligned.words[from] ?? "").size > 0;
    if (left <= 0 || isVerb) continue;
    for (let to = from + 1; to <= Math.min(units.length, from + NAME_WORDS); to += 1) {
      const last = units[to - 1];
      if (
        last === undefined ||
        !mayBeInName(last, aligned.words[to - 1] ?? "", to - 1 === from, slot.isFolder)
      )
        break;
      if (to - from > 1 && isOwn(aligned, to - 1)) break;
      const right = rightOf(aligned, to, slot);
      const value = withoutPossessive(written(text, first, last), aligned, to);
      if (!holdsContent(aligned, from, to)) continue;
      if (right <= 0 || value === "" || isPhrase(aligned, from, to) || (isOwnFirst && to === from + 1))
        continue;
      const words = to - from;
      const score = left + right - 0.5 * (words - 1) - (last.isHarmless ? 2 : 0);
      if (score < LEAST_SCORE) continue;
      found.push({
        from,
        to,
        value,
        score,
        isSure:
          left >= 2 &&
          right >= 1.5 &&
          left + right >= 4.5 &&
          words <= 3 &&
          hasPlainEdges(aligned, from, to) &&
          mayEndText(aligned, from, to),
      });
    }
  }
  return found;
}

/** "Lena Fischer moved in": more than the proper name that the function takes. */
const isNameAndMore = (
  { isProper }: Slot,
  aligned: AlignedRequest,
  { from, to }: { from: number; to: number },
): boolean =>
  isProper &&
  isCapital(aligned, from) &&
  aligned.request.units[to - 1]?.kind === "word" &&
  !isCapital(aligned, to - 1);

/** The templates have the article before the value: "for the {plant}". */
const hasOwnArticle = ({ before }: Slot): boolean => [...before].some((word) => DETERMINERS.has(word));

function textCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  const { units, text } = aligned.request;
  const found = quotedCandidates(slot, aligned);
  if (!isThingNamed(slot, aligned)) return found;
  for (const [from, first] of units.entries()) {
    const left = leftOf(aligned, from, slot);
    if (left <= 0 || !mayBeginText(slot, aligned, { from, left })) continue;
    if (slot.isProper && leadsToName(aligned, from)) continue;
    for (let to = from + 1; to <= units.length; to += 1) {
      const last = units[to - 1];
      if (left === LED_BY_CAPITAL && !isCapital(aligned, to - 1)) break;
      if (last === undefined || (last.kind === "mark" && !/^[)%€$!?]$/u.test(last.text))) continue;
      const right = rightOf(aligned, to, slot);
      if (right <= 0 || (!(left >= 3 && right >= 2.8) && !mayEndText(aligned, from, to))) continue;
      const problem = innerProblem(slot, aligned, { from, to, left });
      if (problem === "impossible" || isPhrase(aligned, from, to) || !holdsContent(aligned, from, to))
        continue;
      const value = withoutPossessive(written(text, first, last), aligned, to).replace(/[.!]+$/u, "");
      const own = units
        .slice(from, to)
        .filter((_, at) => aligned.concepts.nouns.has(aligned.families[from + at] ?? "")).length;
      const isCourteous = /^(?:please|pls|plz|thanks|thx|thank|you|now|ok|too)$/u.test(last.text);
      const score =
        left +
        right -
        (left >= 3 ? 0.3 : 1) * own -
        (isCourteous ? 2.5 : 0) -
        (isNameAndMore(slot, aligned, { from, to }) ? 2 : 0) -
        (hasOwnArticle(slot) && DETERMINERS.has(aligned.words[from] ?? "") ? 0.5 : 0) -
        (problem === "turns" && left < 3 ? 1 : 0);
      if (score < LEAST_SCORE) continue;
      const isSure =
        problem === undefined
          ? (left >= 3 && right >= 1.5) || (left >= 2 && right >= 2.5)
          : left >= 3.5 && right >= 2.8;
      found.push({
        from,
        to,
        value,
        score,
        isSure: isSure && (isLedBy(aligned, from) || hasPlainEdges(aligned, from, to)),
      });
    }
  }
  return found;
}
