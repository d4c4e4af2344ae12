import { DETERMINERS, familyOf, GENERIC_THINGS } from "./families.ts";
import type { PlacedValue, Placement } from "./placements.ts";
import { kindOfValue } from "./value-kinds.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

const JOINED_NAMES = /^\p{Lu}\S*(?:'s \S+)? and \p{Lu}/u;

/**
 * "The dog Milo", "the book Dune" for templates with the cat or the record before the value: another thing is named in
 * its place.
 */
function isNamedOtherwise(
  { request: { units, text }, words, families, roles, concepts }: AnnotatedRequest,
  things: ReadonlySet<string>,
  { slot, span: { from, to } }: PlacedValue,
): boolean {
  // "The drawing gear.dxf": any noun may describe the content of a path or an address.
  if (slot.type !== "text" && slot.type !== "name" && slot.type !== "number") return false;
  const own = [...slot.before].map(familyOf).filter((family) => concepts.nouns.has(family));
  if (own.length === 0 || own.some((family) => things.has(family))) return false;
  const isCommon = (index: number): boolean =>
    units[index]?.kind === "word" &&
    (roles[index] === "unknown" || roles[index] === "known") &&
    !own.includes(families[index] ?? "") &&
    /^\p{Ll}/u.test(text.slice(units[index].start));
  const isArticle = (index: number): boolean => /^(?:the|a|an|my|our)$/u.test(words[index] ?? "");
  const first = isArticle(from) ? from + 1 : from;
  const isBefore = isCommon(from - 1) && isArticle(from - 2);
  const isWithin =
    to - first > 1 &&
    isCommon(first) &&
    isArticle(first - 1) &&
    /^\p{Lu}/u.test(text.slice(units[first + 1]?.start));
  return isBefore || isWithin;
}

/** "USD and GBP": a second option next to the value. */
const holdsOtherOption = (
  { request: { units } }: AnnotatedRequest,
  { slot, span: { from, to, value } }: PlacedValue,
): boolean =>
  units.some(
    ({ kind, text, isWithdrawn }, index) =>
      kind === "word" &&
      !isWithdrawn &&
      (index < from || index >= to) &&
      slot.options.some(
        (option) =>
          option.toLowerCase() === text.toLowerCase() && option.toLowerCase() !== String(value).toLowerCase(),
      ),
  );

const joinsTwo = (value: string): boolean => /\S and \S/u.test(value);

/** "The chapel and the vestry to 17 degrees", with one of them as the value: the request means both, and the function takes one. */
function isOneOfTwo(
  { request: { units }, words, roles }: AnnotatedRequest,
  { slot, span: { from, to } }: PlacedValue,
): boolean {
  if ((slot.type !== "text" && slot.type !== "name") || slot.values.some(joinsTwo)) return false;
  const isName = (index: number): boolean =>
    units[index]?.kind === "word" && (roles[index] === "unknown" || roles[index] === "known");
  const isArticle = (index: number): boolean => DETERMINERS.has(words[index] ?? "");
  const next = isArticle(to + 1) ? to + 2 : to + 1;
  const isBeforeOther =
    words[to] === "and" &&
    isName(next) &&
    slot.after.size > 0 &&
    (slot.after.has(words[next + 1] ?? "") || slot.after.has(words[next + 2] ?? ""));
  const joint = isArticle(from - 1) ? from - 2 : from - 1;
  const isAfterOther =
    words[joint] === "and" &&
    isName(joint - 1) &&
    [2, 3, 4].some((back) => slot.before.has(words[joint - back] ?? "")) &&
    slot.before.size > 0;
  return isBeforeOther || isAfterOther;
}

/** "All students", "every song in German": several, where the function takes one. */
function isQuantified({ words }: AnnotatedRequest, { slot, span: { from, value } }: PlacedValue): boolean {
  if ((slot.type !== "text" && slot.type !== "name") || typeof value !== "string") return false;
  if (words[from - 1] === ":" || slot.values.some((one) => QUANTIFIER.test(one))) return false;
  return QUANTIFIER.test(value) || /^(?:every|each)$/u.test(words[from - 1] ?? "");
}
const QUANTIFIER = /^(?:(?:every|each) \p{L}+|all (?:of )?(?:the |my |our )?\p{L}+s\b)/iu;

/** "Red or blue" leaves the choice open; what a person quotes is one text. */
const holdsChoice = (
  { request: { units } }: AnnotatedRequest,
  { from, to, value }: PlacedValue["span"],
): boolean => / or /u.test(String(value)) && !(to - from === 1 && units[from]?.kind === "quoted");

/** "Replace the tap was accepted": its outcome belongs to no value, unless earlier values contain outcomes. */
const REPORT = /\S (?:was|were|has been|have been) \p{L}+(?:ed|en)$/u;
const FINITE = /\b(?:is|are|was|were|has|have|had)\b/u;

/** "Stable 7 - two loose shoes": the word before the number shows which of two is meant. */
const isNumberNamed = ({ placed }: Placement): boolean =>
  placed.some(
    ({ slot, span: { evidence } }) =>
      slot.type === "number" &&
      ["t:before:own", "t:before:label"].some((name) => (evidence.features[name] ?? 0) > 0),
  );

/** Features of the values themselves: whether their form and kind match earlier values, and what is doubtful. */
export function valueFeatures(
  annotated: AnnotatedRequest,
  { add, things }: { add: (name: string) => void; things: ReadonlySet<string> },
  best: Placement,
): void {
  for (const { slot, span } of best.placed) {
    const own = span.evidence.features;
    const has = (...names: string[]): boolean => names.some((name) => (own[name] ?? 0) > 0);
    if (has("code", "number-first", "quoted-as-own")) add("form:own");
    const isLonger = slot.isOneWord && !has("quoted", "quoted-as-own") && /\s/u.test(String(span.value));
    if (has("no-code", "no-number-first") || isLonger) add("value:other-form");
    if (slot.type === "text" && typeof span.value === "string") {
      const kind = kindOfValue(slot, span.value.toLowerCase().match(/[\p{L}'-]+|,/gu) ?? []);
      const isKnown = slot.values.some((value) => value.toLowerCase() === String(span.value).toLowerCase());
      // Labelled look-alikes repeat values more often than requests of people, so this proves nothing.
      // "Lotte" is a fish, too: the meaning of a name proves nothing, and neither does a small letter in a request
      // without capitals.
      const mayBeName =
        slot.isProper && (/^\p{Lu}/u.test(span.value) || !/\p{Lu}/u.test(annotated.request.text));
      if (kind === "own" && !isKnown) add("kind:own");
      else if (kind === "other" && !mayBeName)
        add(
          /\S \S/u.test(span.value.replace(/^(?:the|an?|my|our) /iu, ""))
            ? "value:other-kind:words"
            : "value:other-kind",
        );
      if (slot.isProper && has("proper") && !has("proper-and-more", "proper-cut")) add("kind:proper");
    }
    if (has("not-proper", "proper-and-more", "proper-cut")) add("value:no-name");
    if (slot.isProper && has("has-content") && (own["has-content"] ?? 0) > 1 && has("not-proper"))
      add("value:words");
    if (REPORT.test(String(span.value)) && !slot.values.some((value) => FINITE.test(value)))
      add("value:report");
    const isChoice = holdsChoice(annotated, span);
    const isList = has("has-and", "has-mark") || isChoice;
    if (isList && slot.values.every((value) => !/,| and | or /u.test(value))) add("value:several");
    if (isChoice && slot.values.every((value) => !/ or /u.test(value))) add("value:choice");
    if (isOneOfTwo(annotated, { slot, span }) || isQuantified(annotated, { slot, span })) add("value:all");
    if (slot.type === "enum" && holdsOtherOption(annotated, { slot, span })) add("left:option");
    if (has("has-blocking")) add("value:blocking");
    if (has("x:before:other-way", "t:before:other-way", "q:before:other-way")) add("value:other-way");
    if (isNamedOtherwise(annotated, things, { slot, span })) add("value:other-thing");
    if (slot.isProper && JOINED_NAMES.test(String(span.value))) add("value:two-names");
    if (has("has-pronoun", "begins-with-pronoun")) add("value:pronoun");
    if (has("has-thing", "is-thing", "begins-with-thing", "ends-with-thing", "has-other-label"))
      add("value:own-thing");
    if (has("has-own-date", "has-date") || (has("has-own-number") && !isNumberNamed(best)))
      add("value:typed");
    if (has("has-verb", "begins-with-verb", "begins-with-past", "has-other-verb")) add("value:verb");
    if (
      span.to - span.from <= 2 &&
      typeof span.value === "string" &&
      GENERIC_THINGS.has(familyOf(span.value.toLowerCase().replace(/^(?:the|my) /u, "")))
    )
      add("value:generic");
  }
}
