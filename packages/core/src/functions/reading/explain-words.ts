import {
  DEADLINES,
  DESCRIBING,
  DETERMINERS,
  familyOf,
  HESITATION,
  kindsOfVerb,
  LIGHT_VERBS,
  NEUTRAL,
  plainOfDone,
  PREPOSITIONS,
  BLOCKING_WORDS,
  type VerbKind,
} from "./families.ts";
import { PART_OF_TODAY } from "./days.ts";
import type { FunctionConcepts, Slot } from "./function-concepts.ts";
import type { Unit } from "./request-units.ts";
import type { Filled } from "./slot-candidates.ts";
import type { AlignedRequest } from "./value-borders.ts";

/** Of the words with content, the share that may be unexplained in an offer. */
const MOST_UNKNOWN = 0.5;

export interface Explained {
  /** Families of the function's nouns that are spoken of. */
  covered: Set<string>;
  /** What the verbs of the request ask for, as far as the function does it. */
  kinds: Set<VerbKind>;
  unknown: string[];
  problem?: string | undefined;
  isWhole: boolean;
  hasVerb: boolean;
}

/** Explains each unit outside the values; the first that rules the reading out is the problem. */
export function explain(aligned: AlignedRequest, filled: Filled): Explained {
  const { request, concepts, words, families } = aligned;
  const { units } = request;
  const repeated = repeatedValues(units, filled);
  const inValue = (at: number): boolean =>
    repeated.has(at) || filled.some(({ candidate: { from, to } }) => from <= at && at < to);
  const covered = new Set(
    filled
      .flatMap(({ candidate }) => candidate.speaksOf ?? [])
      .filter((family) => concepts.nouns.has(family)),
  );
  const kinds = new Set<VerbKind>();
  const unknown: { at: number; text: string }[] = [];
  const inPhrase = new Set<number>();
  const light: { word: string; isOwn: boolean }[] = [];
  let isOwnVerb = false;
  let problem: string | undefined;
  let contentWords = 0;
  const note = (why: string): void => {
    problem ??= why;
  };
  for (const { kind, from, to } of request.phrases) {
    const places = Array.from({ length: to - from }, (_, place) => from + place).filter((at) => !inValue(at));
    if (inValue(from) || inValue(to - 1)) continue;
    if (kind === "show" && !startsClause(units, from) && !concepts.kinds.has(kind)) continue;
    if (concepts.kinds.has(kind)) kinds.add(kind);
    // "Don't forget to …" is said of anything that is to be done.
    else if (units[from]?.isHarmless) continue;
    else if (concepts.alsoKinds.has(kind)) continue;
    else if (
      !places.some((at) => concepts.nouns.has(families[at] ?? "")) ||
      kind === "undo" ||
      kind === "reopen"
    )
      note(`The request asks to ${kind}.`);
    const ends =
      kind === "undo" || kind === "delete" || kind === "remember" || kind === "move"
        ? [from, to - 1]
        : places;
    for (const at of ends) if (!concepts.nouns.has(families[at] ?? "")) inPhrase.add(at);
    if (kind === "delete")
      for (const at of places)
        if (/^(?:do|not|no|longer|need|anymore|any|more|rid|away|out)$/u.test(words[at] ?? ""))
          inPhrase.add(at);
  }
  for (const [at, unit] of units.entries()) {
    if (inValue(at) || unit.kind === "mark" || unit.isHarmless || inPhrase.has(at)) continue;
    if (unit.kind !== "word") {
      if (isSaidInPassing(unit, concepts)) unknown.push({ at, text: unit.text });
      else if (!isConstant(unit, concepts) && !isReplaced(units, at, filled))
        note(`The request names “${unit.text}” besides.`);
      continue;
    }
    const done = words[at - 1] === "be" ? plainOfDone(words[at] ?? "") : undefined;
    const word = done ?? words[at] ?? "";
    const family = families[at] ?? "";
    const asksFor = kindsOfVerb(word);
    if (
      (done !== undefined || startsClause(units, at)) &&
      (asksFor.size > 0 || concepts.verbs.has(word)) &&
      !isLabel(units[at + 1])
    ) {
      const shared = [...asksFor].filter((kind) => concepts.kinds.has(kind));
      if (concepts.nouns.has(family)) covered.add(family);
      // "Mark", "put" and "make" ask for nothing by themselves.
      const isLight = LIGHT_VERBS.has(word);
      if (shared.length > 0)
        for (const kind of shared.filter((one) => !isLight || !DEEDS.has(one))) kinds.add(kind);
      if (isLight) light.push({ word, isOwn: shared.length > 0 || concepts.verbs.has(word) });
      else if (shared.length > 0 || [...asksFor].some((kind) => concepts.alsoKinds.has(kind))) continue;
      else if (concepts.verbs.has(word)) isOwnVerb = true;
      else if (!isNaming(aligned, at, filled) && !concepts.nouns.has(family))
        note(`The request asks to ${word}.`);
      continue;
    }
    if (concepts.nouns.has(family)) {
      if (isOtherNumber(word, concepts) && !isContainer(units, at))
        note(`The request speaks of several: “${unit.text}”.`);
      covered.add(family);
      continue;
    }
    if (
      word === "new" &&
      concepts.nouns.has(families[at + 1] ?? "") &&
      !concepts.literals.has("new") &&
      !CREATING.some((kind) => concepts.kinds.has(kind))
    )
      note("The request asks for a new one.");
    if (concepts.literals.has(word)) continue;
    if (isCue(aligned, at, filled)) continue;
    // "One more quote" is another one, which a function that makes or adds gives.
    const isOneMore =
      word === "more" && words[at - 1] === "one" && concepts.nouns.has(families[at + 1] ?? "");
    if (isOneMore && CREATING.some((one) => concepts.kinds.has(one))) continue;
    if (BLOCKING_WORDS.has(word)) {
      note(`“${unit.text}” changes what is asked.`);
      continue;
    }
    if (NEUTRAL.has(word) || DETERMINERS.has(word) || PREPOSITIONS.has(word)) continue;
    contentWords += 1;
    if (concepts.known.has(family)) continue;
    unknown.push({ at, text: unit.text });
  }
  const otherLight = light.find(({ isOwn }) => !isOwn);
  if (otherLight && kinds.size === 0 && !isOwnVerb) note(`The request asks to ${otherLight.word}.`);
  const hasVerb = kinds.size > 0 || isOwnVerb || light.some(({ isOwn }) => isOwn);
  // Only where the function is asked for does an unknown word say that something else is meant.
  for (const { at } of unknown)
    if (isAsking(aligned, filled, at)) {
      const meaning = otherMeaning(aligned, filled, at);
      if (meaning !== undefined) note(meaning);
    }
  if (unknown.length > Math.max(2, (contentWords + covered.size) * MOST_UNKNOWN))
    note("Most of the request is not explained.");
  return {
    covered,
    kinds,
    unknown: unknown.map(({ text }) => text),
    problem,
    isWhole: isWhole(concepts, covered, kinds),
    hasVerb,
  };
}

const CREATING: readonly VerbKind[] = ["create", "record", "rename", "set"];

/** Every thing of one template is named, and each part of it after the first has its verb. */
function isWhole(
  { templates, kinds: own }: FunctionConcepts,
  covered: ReadonlySet<string>,
  kinds: ReadonlySet<VerbKind>,
): boolean {
  return templates.some((conjuncts) =>
    conjuncts.every(
      ({ verbs, nouns }, place) =>
        [...nouns].every((noun) => covered.has(noun)) &&
        (place === 0 ||
          verbs.size === 0 ||
          [...verbs].some((verb) => [...kindsOfVerb(verb)].some((kind) => own.has(kind) && kinds.has(kind)))),
    ),
  );
}

/** Kinds of verbs that name a deed of their own; the others ("add", "put", "show") go with many. */
const DEEDS: ReadonlySet<VerbKind> = new Set<VerbKind>([
  "remember",
  "fetch",
  "summarize",
  "delete",
  "copy",
  "complete",
  "hold",
  "commit",
  "send",
]);

/** What of the function the request does not speak of: a request that names fewer of the steps asks for fewer steps. */
export function missingIn(
  { concepts }: AlignedRequest,
  filled: Filled,
  { covered, kinds, hasVerb }: Explained,
): string | undefined {
  const labels = new Set(filled.flatMap(({ slot }) => [...slot.labels]));
  const speaks = concepts.templates.some((conjuncts) =>
    conjuncts.every(({ verbs, nouns }) => {
      const spoken = [...nouns].filter((noun) => covered.has(noun));
      const own = [...nouns].filter((noun) => !labels.has(noun));
      const deeds = [...verbs].flatMap((verb) =>
        [...kindsOfVerb(verb)].filter((kind) => concepts.kinds.has(kind) && DEEDS.has(kind)),
      );
      const isDone = deeds.some((kind) => kinds.has(kind));
      if (conjuncts.length > 1 && deeds.length > 0 && !isDone) return false;
      const isOwn = [...verbs].some((verb) =>
        [...kindsOfVerb(verb)].some((kind) => concepts.ownKinds.has(kind)),
      );
      // To order something is more than to add a task.
      if (nouns.size === 0 && isOwn) return [...concepts.ownKinds].some((kind) => kinds.has(kind));
      if (nouns.size === 0) return isDone || (deeds.length === 0 && hasVerb) || kinds.size > 0;
      // "Mark the task x as done": the verb alone says nothing.
      const isLight = [...verbs].every((verb) => LIGHT_VERBS.has(verb));
      if (
        own.length === 0 &&
        verbs.size > 0 &&
        ![...verbs].every((verb) => LIGHT_VERBS.has(verb)) &&
        !hasVerb
      )
        return false;
      // A word that only names a parameter says nothing about what is to be done.
      if (own.length > 0 && kinds.size === 0 && !own.some((noun) => covered.has(noun))) return false;
      if (isLight && verbs.size > 0 && own.length > 0 && !isDeedOf(concepts.kinds, kinds))
        return own.every((noun) => covered.has(noun));
      return spoken.length > 0 || (isDone && own.length < nouns.size);
    }),
  );
  return speaks ? undefined : "The request does not speak of all that the function does.";
}

const isDeedOf = (own: ReadonlySet<VerbKind>, asked: ReadonlySet<VerbKind>): boolean =>
  [...asked].some((kind) => own.has(kind) && DEEDS.has(kind));

/** The part of the request between two marks or joining words holds a verb, thing or value of the function. */
function isAsking(
  { request: { units }, concepts, words, families }: AlignedRequest,
  filled: Filled,
  at: number,
): boolean {
  const isEdge = (place: number): boolean => {
    const unit = units[place];
    return unit?.kind === "mark" && /^[,.;!?:]$/u.test(unit.text);
  };
  const isOwn = (place: number): boolean =>
    concepts.nouns.has(families[place] ?? "") ||
    concepts.verbs.has(words[place] ?? "") ||
    (startsClause(units, place) &&
      [...kindsOfVerb(words[place] ?? "")].some((kind) => concepts.kinds.has(kind))) ||
    filled.some(({ candidate: { from, to } }) => from <= place && place < to);
  for (const step of [-1, 1])
    for (let place = at + step; place >= 0 && place < units.length && !isEdge(place); place += step)
      if (isOwn(place)) return true;
  return false;
}

/** Why an unknown word means that something else is asked for; undefined where it may be said in passing. */
function otherMeaning(
  { request: { units }, concepts, words, families }: AlignedRequest,
  filled: Filled,
  at: number,
): string | undefined {
  const word = words[at] ?? "";
  const text = units[at]?.text ?? "";
  const before = units[at - 1];
  const inValue = (place: number): boolean =>
    filled.some(({ candidate: { from, to } }) => from <= place && place < to);
  if (
    !DESCRIBING.has(word) &&
    before?.kind === "word" &&
    DETERMINERS.has(before.text) &&
    concepts.nouns.has(families[at + 1] ?? "") &&
    !inValue(at + 1)
  )
    return `“${text}” names another thing.`;
  if (DESCRIBING.has(word)) return undefined;
  let place = at - 1;
  while (
    units[place]?.kind === "word" &&
    (DETERMINERS.has(words[place] ?? "") ||
      DESCRIBING.has(words[place] ?? "") ||
      /^(?:me|us|new)$/u.test(words[place] ?? ""))
  )
    place -= 1;
  const leading = units[place];
  if (leading?.kind !== "word" || leading.isHarmless || inValue(place)) return undefined;
  const lead = words[place] ?? "";
  if (
    PREPOSITIONS.has(lead) ||
    filled.some(({ slot }) => slot.before.has(lead) && !concepts.nouns.has(families[place] ?? ""))
  )
    return `The request names “${text}” besides.`;
  const isVerb = startsClause(units, place) && (kindsOfVerb(lead).size > 0 || concepts.verbs.has(lead));
  return isVerb && !word.endsWith("ly") ? `The request is about “${text}”.` : undefined;
}

/** True where an order may begin: at the start, after politeness, a mark, "and" or "then". */
function startsClause(units: readonly Unit[], at: number): boolean {
  const before = units[at - 1];
  if (before !== undefined && HESITATION.test(before.text)) return startsClause(units, at - 1);
  if (before === undefined || before.isHarmless) return true;
  if (before.kind === "mark") return /^[.,;:!?()–—-]$/u.test(before.text);
  if (before.text === "to") return units[at - 2] === undefined || units[at - 2]?.isHarmless === true;
  return before.kind === "word" && /^(?:and|then|please|plus|&)$/u.test(before.text);
}

/** "Note called x", "list: x": a thing rather than an order. */
const isLabel = (next: Unit | undefined): boolean =>
  next !== undefined &&
  (next.kind === "mark"
    ? /^[:–-]$/u.test(next.text)
    : next.kind === "word" && /^(?:called|named|titled|entry)$/u.test(next.text));

/** "Call it x", "name: x": leads to a value that is filled. */
function isNaming({ request: { units }, words }: AlignedRequest, at: number, filled: Filled): boolean {
  if (!/^(?:call|name|title|label)$/u.test(words[at] ?? "")) return false;
  const next = units[at + 1];
  const start = next?.kind === "word" || next?.kind === "mark" ? [at + 1, at + 2] : [at + 1];
  return filled.some(({ candidate: { from } }) => start.includes(from));
}

/** "From 25 to 30": what the value is now is only said in passing. */
function isReplaced(units: readonly Unit[], at: number, filled: Filled): boolean {
  const leads = units[at - 1]?.text === "from";
  return (
    leads &&
    filled.some(
      ({ candidate: { from }, slot }) =>
        slot.type === units[at]?.kind && from > at && units[from - 1]?.text === "to",
    )
  );
}

/** Where a value is said once more, in a place that the function's own templates have for it. */
function repeatedValues(units: readonly Unit[], filled: Filled): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { slot, candidate } of filled) {
    if (!slot.isRepeated) continue;
    const said = units.slice(candidate.from, candidate.to);
    for (let start = 0; start + said.length <= units.length; start++) {
      const isAgain = said.every((unit, at) => {
        const other = units[start + at];
        return other?.kind === unit.kind && other.text === unit.text;
      });
      if (isAgain) for (const at of said.keys()) places.add(start + at);
    }
  }
  return places;
}

/** "This morning", where the function takes no day: mostly only when something was. */
const isSaidInPassing = ({ kind, text }: Unit, { isReadOnly }: FunctionConcepts): boolean =>
  kind === "date" && PART_OF_TODAY.test(text) && !isReadOnly;

/** A name or word that the function's own calls hold anyway. */
function isConstant(unit: Unit, { known, literals, isReadOnly }: FunctionConcepts): boolean {
  // What is only looked at is looked at now.
  if (unit.kind === "date" && isReadOnly && /^(?:today|tonight|now)$/u.test(unit.text)) return true;
  if (unit.kind === "date" || unit.kind === "number") return literals.has(unit.text);
  // A path says where: also one that the function uses may be meant for something else here.
  if (unit.kind === "path") return literals.has(unit.text.toLowerCase());
  const parts = unit.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return parts.length > 0 && parts.every((part) => known.has(familyOf(part)) || literals.has(part));
}

/** "Tasks" where the function speaks of one task. */
function isOtherNumber(word: string, { literals }: FunctionConcepts): boolean {
  return !literals.has(word) && /[^s]s$/u.test(word) && literals.has(word.slice(0, -1));
}

/** "In the expenses", "to my contacts": the place where things are kept, however many. */
function isContainer(units: readonly Unit[], at: number): boolean {
  const before = units[at - 1];
  const place = before && DETERMINERS.has(before.text) ? units[at - 2] : before;
  return place !== undefined && /^(?:in|into|to|on|onto|among|under|with)$/u.test(place.text);
}

/** The last day of something: the function is asked for with "by", "until" or "due". */
const isUntil = ({ type, before }: Slot): boolean =>
  type === "date" && [...before].some((word) => DEADLINES.has(word));

/** A word that leads to a value, or names its parameter. */
function isCue({ words, families }: AlignedRequest, at: number, filled: Filled): boolean {
  return filled.some(
    ({ slot, candidate }) =>
      slot.labels.has(families[at] ?? "") ||
      (at === candidate.from - 1 &&
        /^(?:is|was|are|were|should|be|=)$/u.test(words[at] ?? "") &&
        (slot.labels.has(families[at - 1] ?? "") || slot.type === "number" || slot.type === "date")) ||
      (at === candidate.from - 2 &&
        /^(?:is|was|are|were|should)$/u.test(words[at] ?? "") &&
        slot.labels.has(families[at - 1] ?? "")) ||
      ((at === candidate.from - 1 || at === candidate.from - 2) && slot.before.has(words[at] ?? "")) ||
      // "From monday until friday" is "from monday to friday".
      (at === candidate.from - 1 &&
        slot.type === "date" &&
        (slot.before.has("to") || isUntil(slot)) &&
        DEADLINES.has(words[at] ?? "")) ||
      // "Deadline is friday".
      (at === candidate.from - 2 && isUntil(slot) && /^(?:due|deadline)$/u.test(words[at] ?? "")) ||
      (at === candidate.to && slot.after.has(words[at] ?? "")),
  );
}
