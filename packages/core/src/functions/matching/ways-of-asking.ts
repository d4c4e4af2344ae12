import { endOfQuestion, startsClause } from "./clauses.ts";
import type { VerbPhrase } from "./request-units.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

const ASKING =
  /^(?:who|whom|whose|when|why|how|what|which|where|is|are|was|were|did|does|should|shall|has)$/u;
const MAY_ASK = /^(?:do|have|had|am)$/u;
/** "Might you …?", "could we …?": asks for an action, not whether something is true. */
const ORDERING = /^(?:can|could|will|would|may|might)$/u;
const ORDERED = /^(?:i|you|we|it|somebody|someone)$/u;
const SUBJECT = /^(?:i|you|we|he|she|it|they|there|any|anyone|anything|someone|somebody)$/u;

/**
 * Whether the request asks whether something is true, not for an action: "question:read" for a function that only reads, which a
 * question may ask for.
 */
export function questionIn({
  request: { units, text, phrases },
  concepts,
}: AnnotatedRequest): "question" | "question:read" | undefined {
  if (endOfQuestion(units, concepts.kinds) >= 0) return undefined;
  // "What does the sheet say?" asks to show it.
  const isShown = ({ kind, from }: VerbPhrase): boolean => kind === "show" && startsClause(units, from);
  if (concepts.kinds.has("show") && phrases.some(isShown)) return undefined;
  const [first, second] = units.filter(({ isHarmless, kind }) => !isHarmless && kind !== "mark");
  const isAsking =
    first?.kind === "word" &&
    (ASKING.test(first.text) || (MAY_ASK.test(first.text) && SUBJECT.test(second?.text ?? "")));
  if (isAsking && !(concepts.isQuestion && concepts.literals.has(first.text)))
    return concepts.isReadOnly ? "question:read" : "question";
  if (concepts.isReadOnly || !/\?\s*$/u.test(text)) return undefined;
  const isPolite = units.some(
    ({ isHarmless, kind, text: one }, index) =>
      kind === "word" &&
      ((isHarmless && ORDERING.test(one)) ||
        (startsClause(units, index) && ORDERING.test(one) && ORDERED.test(units[index + 1]?.text ?? ""))),
  );
  return isPolite ? undefined : "question";
}

/** "Hive 2 - …", "guest diet: …": names the function and a value before a mark. */
export function isHeaded(
  { request: { units }, roles }: AnnotatedRequest,
  { inValue }: { inValue: (index: number) => boolean },
): boolean {
  const end = units.findIndex(({ kind, text }) => kind === "mark" && /^[:–—-]$/u.test(text));
  if (end <= 0) return false;
  const places = [...units.keys()].slice(0, end).filter((at) => units[at]?.kind !== "mark");
  const isOwn = (index: number): boolean => ["thing", "verb", "near", "label"].includes(roles[index] ?? "");
  return places.some(isOwn) && places.every((at) => isOwn(at) || inValue(at) || roles[at] === "plain");
}

/** "Got 30 euros from Kurt, note it": after a report, a clause only asks to record it. */
export function isReportToNote(
  { request: { units }, roles, clauses, words, concepts }: AnnotatedRequest,
  { inValue }: { inValue: (index: number) => boolean },
): boolean {
  if (!concepts.isRecord) return false;
  const last = clauses.findLast((_, index) => units[index]?.kind !== "mark");
  const places = [...units.keys()].filter((at) => clauses[at] === last && units[at]?.kind !== "mark");
  if (last === undefined || last === clauses[0] || places.some(inValue)) return false;
  const isNoting = (index: number): boolean =>
    roles[index] === "same-kind" ||
    (roles[index] === "light" && /^(?:put|make|mark|keep|take)$/u.test(words[index] ?? ""));
  return (
    places.some(isNoting) &&
    places.every((at) =>
      ["plain", "thing", "verb", "label", "known", "same-kind", "light"].includes(roles[at] ?? ""),
    )
  );
}

/**
 * "This web site https://… to my links": the words before an address or a path describe it, and others name the
 * function.
 */
export function describesAddress(
  { request: { units }, roles }: AnnotatedRequest,
  inValue: (index: number) => boolean,
  position: number,
): boolean {
  if (!roles.some((role, index) => role === "thing" && !inValue(index))) return false;
  let next = position + 1;
  while (units[next]?.kind === "word" && roles[next] === "unknown" && !inValue(next)) next += 1;
  return inValue(next) && /^(?:url|path|email)$/u.test(units[next]?.kind ?? "");
}
