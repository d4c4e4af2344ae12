import { DETERMINERS, kindsOfVerb, type VerbKind } from "./families.ts";
import { startsClause } from "./clauses.ts";
import { findFurtherOrder } from "./further-order.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

/**
 * True if the words outside the values ask for another act with the things of the function:
 * - to add to what the function would create, to open a part of it, or to replace what the function adds to;
 * - to create the object of the function first, or to do something else with its result;
 * - for a whole text that the function summarizes;
 * - for nothing that means to delete, although the function deletes.
 */
export function isOtherAct(annotated: AnnotatedRequest, inValue: (at: number) => boolean): boolean {
  const isOrder = (at: number): boolean =>
    !inValue(at) && annotated.request.units[at]?.kind === "word" && startsClause(annotated.request.units, at);
  return (
    asksForWholeText(annotated, inValue) ||
    onlyReads(annotated) ||
    isNounOfDeleted(annotated, inValue) ||
    findFurtherOrder(annotated, inValue) === "other" ||
    annotated.request.units.some(
      (_, at) =>
        isOrder(at) &&
        (isSpecificAct(annotated, at) ||
          addsToExisting(annotated, at, inValue) ||
          replacesAll(annotated, at) ||
          changesExisting(annotated, at, inValue) ||
          makesItsObject(annotated, at, isOrder) ||
          asksForPart(annotated, at, inValue)),
    )
  );
}

const isNounOfFunctionAt = ({ words, families, concepts }: AnnotatedRequest, at: number): boolean => {
  const place = DETERMINERS.has(words[at] ?? "") ? at + 1 : at;
  return concepts.nouns.has(families[place] ?? "");
};

/** Verbs for acts of their own, one group of synonyms per line: none of them only makes or notes something. */
const ACTS: readonly ReadonlySet<string>[] = `
  book reserve hire rent
  order buy purchase
  call phone ring
  send mail email post
  pay
  print
  invite
  sell
  test quiz examine
`
  .trim()
  .split("\n")
  .map((line) => new Set(line.trim().split(" ")));

/** Verbs for what is done before something is booked or bought. */
const PREPARING = ["plan", "prepare", "outline", "draft"];

/** "Book a trip" for a function that plans one: neither its templates nor its skills do that. */
function isSpecificAct({ words, concepts, request: { units } }: AnnotatedRequest, at: number): boolean {
  const acts = ACTS.find((group) => group.has(words[at] ?? ""));
  // "Book the expense": puts it down.
  if (acts === undefined || (words[at] === "book" && concepts.isRecord)) return false;
  const isOwn = [...acts].some((verb) => concepts.verbs.has(verb) || concepts.literals.has(verb));
  const isPreparing = PREPARING.some((verb) => concepts.verbs.has(verb));
  const isOwnKind =
    !isPreparing && [...concepts.ownKinds].some((kind) => kindsOfVerb(words[at] ?? "").has(kind));
  const object = /^(?:me|us|him|her|them)$/u.test(words[at + 1] ?? "") ? at + 2 : at + 1;
  // "Test me on the sailing term keel".
  const isAboutObject = object === at + 2 && /^(?:on|about)$/u.test(words[object] ?? "");
  const isObject = DETERMINERS.has(words[object] ?? "") || units[object]?.kind === "number";
  return !isOwn && !isOwnKind && (isAboutObject || isObject);
}

/** "Add to the note called x": the function would write a new one over it. */
function addsToExisting(annotated: AnnotatedRequest, at: number, inValue: (at: number) => boolean): boolean {
  const { words, concepts } = annotated;
  const word = words[at] ?? "";
  if (!concepts.writesAnew || !/^(?:add|append|attach)$/u.test(word) || concepts.literals.has(word))
    return false;
  return words.some(
    (way, place) =>
      place > at && !inValue(place) && /^(?:to|onto)$/u.test(way) && namesThingAt(annotated, place + 1),
  );
}

/** "The bake sheet": an article and words of which one is a noun of the function. */
const namesThingAt = (annotated: AnnotatedRequest, at: number): boolean =>
  isNounOfFunctionAt(annotated, at) ||
  (DETERMINERS.has(annotated.words[at] ?? "") && isNounOfFunctionAt(annotated, at + 2));

/** "Open the remarks of the case" for a function that makes a case: a part of a case that exists. */
function asksForPart(
  { words, concepts }: AnnotatedRequest,
  at: number,
  inValue: (at: number) => boolean,
): boolean {
  const noun = at + 2;
  const owner = noun + 3;
  return (
    concepts.makesNew &&
    words[at + 1] === "the" &&
    words[noun + 1] === "of" &&
    DETERMINERS.has(words[noun + 2] ?? "") &&
    ![noun, owner].some(inValue) &&
    !concepts.literals.has(words[noun] ?? "") &&
    concepts.literals.has(words[owner] ?? "")
  );
}

/** "Replace the digest with …": the function adds to it. */
const replacesAll = (annotated: AnnotatedRequest, at: number): boolean =>
  annotated.concepts.isRecord &&
  /^(?:replace|overwrite)$/u.test(annotated.words[at] ?? "") &&
  !annotated.concepts.literals.has(annotated.words[at] ?? "") &&
  isNounOfFunctionAt(annotated, at + 1);

/** "Read me the story of the barn" for a function that writes one. */
function onlyReads({ request: { units }, words, concepts }: AnnotatedRequest): boolean {
  const at = units.findIndex(({ kind, isHarmless }) => kind === "word" && !isHarmless);
  return (
    /^(?:read|show|tell)$/u.test(words[at] ?? "") &&
    /^(?:me|us)$/u.test(words[at + 1] ?? "") &&
    !concepts.isReadOnly &&
    !concepts.literals.has(words[at] ?? "") &&
    READING.every((kind) => !concepts.kinds.has(kind) && !concepts.alsoKinds.has(kind))
  );
}

const READING: readonly VerbKind[] = ["show", "fetch", "search", "summarize"];

/** "Change the address of Lena to x": the function adds another record, and changes none. */
function changesExisting(
  { words, concepts: { isRecord, kinds, literals } }: AnnotatedRequest,
  at: number,
  inValue: (at: number) => boolean,
): boolean {
  const word = words[at] ?? "";
  if (!isRecord || !/^(?:change|correct|amend|edit)$/u.test(word) || literals.has(word)) return false;
  return (
    !kinds.has("set") &&
    !kinds.has("rename") &&
    words.some((to, place) => place > at + 1 && to === "to" && !inValue(place) && inValue(place + 1))
  );
}

/** "Write a post and publish it": what the function publishes is to be made before. */
function makesItsObject(annotated: AnnotatedRequest, at: number, isOrder: (at: number) => boolean): boolean {
  const { words, plain, concepts } = annotated;
  const isMaking = /^(?:write|create|make|draft|compose|draw|prepare)$/u.test(words[at] ?? "");
  if (!isMaking || concepts.verbs.has(words[at] ?? "") || !/^(?:an?|another)$/u.test(words[at + 1] ?? ""))
    return false;
  const noun = words[at + 2] === "new" ? at + 3 : at + 2;
  return (
    isNounOfFunctionAt(annotated, noun) &&
    words.some(
      (_, place) =>
        place > noun &&
        isOrder(place) &&
        concepts.verbs.has(plain[place] ?? "") &&
        /^(?:it|that|this|them)$/u.test(words[place + 1] ?? ""),
    )
  );
}

/** "Print map-east" for a function that deletes a print: its noun is a verb here, and no word asks to delete anything. */
const isNounOfDeleted = (
  { request: { units }, plain, roles, families, concepts }: AnnotatedRequest,
  inValue: (at: number) => boolean,
): boolean =>
  concepts.kinds.has("delete") &&
  plain.every((verb, at) => inValue(at) || !kindsOfVerb(verb).has("delete")) &&
  units.some(
    ({ kind }, at) =>
      kind === "word" &&
      !inValue(at) &&
      startsClause(units, at) &&
      roles[at] === "thing" &&
      concepts.nouns.has(families[at] ?? "") &&
      inValue(at + 1),
  );

/** "Add x to the digest word for word": the function adds a summary. */
const asksForWholeText = (
  { request: { text }, concepts }: AnnotatedRequest,
  inValue: (at: number) => boolean,
) => concepts.kinds.has("summarize") && !inValue(0) && WHOLE.test(text);
const WHOLE = /\b(?:word (?:for|by) word|verbatim|in full|unabridged|full text|unshortened|uncut)\b/iu;
