import { startsClause } from "./clauses.ts";
import { DETERMINERS, type VerbKind } from "./families.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

/** The verbs with which each of these words means a removal: "take it off", but not "drop it off". */
const TAKEN_WITH: ReadonlyMap<string, RegExp> = new Map([
  [
    "out",
    /^(?:pull|cut|cross|leave|strike|scratch|rub|rip|tear|knock|scrub|blot|weed|edit|yank|pluck|chuck|toss|throw|kick)$/u,
  ],
  [
    "out of",
    /^(?:take|pull|cut|cross|leave|strike|scratch|rub|rip|tear|knock|scrub|blot|weed|edit|keep|clear|yank|pluck|chuck|toss|throw|kick|move|get)$/u,
  ],
  ["off", /^(?:take|pull|cut|cross|leave|strike|scratch|rub|rip|tear|knock|scrub|keep|clear|yank|kick)$/u],
  ["away", /^(?:take|throw|clear|chuck|toss|rub|scrub)$/u],
  ["from", /^(?:take|pull|cut|cross|strike|scratch|rub|rip|tear|knock|scrub|blot|weed|withdraw)$/u],
]);
/** A removal or a reversal is the action of a function that does so. */
const REMOVING_KINDS: readonly VerbKind[] = ["delete", "move", "undo", "reopen", "cancel", "complete"];

/**
 * True if the request removes something and the function does not: "Take the cape from Ebba", "the entry out of the
 * log". `inValue` marks the units of values.
 */
export function isRemovalRequest(
  { request: { units }, words, plain, roles, clauses, concepts }: AnnotatedRequest,
  inValue: (index: number) => boolean,
): boolean {
  // Taking something out of a place that is only read means reading it.
  if (concepts.isReadOnly || REMOVING_KINDS.some((kind) => concepts.kinds.has(kind))) return false;
  const isLoose = (index: number): boolean =>
    units[index]?.kind === "word" && !concepts.literals.has(words[index] ?? "") && !inValue(index);
  const isTakenBy = (verb: string, index: number): boolean => {
    const [word = "", next = ""] = [words[index], words[index + 1]];
    if (!isLoose(index)) return false;
    // "Off at nine", "away until friday": a time.
    // "Take out the 37 visitors", for a function that notes them.
    // "Take the 2 hours out again": takes back what was noted.
    if (word === "out" && verb === "take" && next !== "of")
      return concepts.isRecord && (words[index - 1] === verb || next === "again");
    if (word !== "from" && /^(?:on|by|at|until|till|in|to|for|with)$/u.test(next)) return false;
    return TAKEN_WITH.get(word === "out" && next === "of" ? "out of" : word)?.test(verb) === true;
  };
  const isOrder = (index: number): boolean =>
    !inValue(index) &&
    units[index]?.kind === "word" &&
    words[index] === plain[index] &&
    !concepts.verbs.has(words[index] ?? "") &&
    (startsClause(units, index) || BEFORE_ORDER.test(words[index - 1] ?? ""));
  // "Strike Petra, petra@…, from the members": what follows belongs to the function, whatever is between.
  const isSameClause = (index: number, position: number): boolean =>
    clauses[position] === clauses[index] || precedesThing({ words, roles, inValue }, position);
  return words.some(
    (word, index) =>
      (isOrder(index) &&
        words.some(
          (_, position) => position > index && isSameClause(index, position) && isTakenBy(word, position),
        )) ||
      (/^(?:out|off)$/u.test(word) && isLoose(index) && precedesThing({ words, roles, inValue }, index)),
  );
}

const BEFORE_ORDER = /^(?:to|you|we|i|must|should|can|could|would|please|just|rather|better|and|then)$/u;

/** True before a word of the function, also with a value between: "from Irma's music list". */
function precedesThing(
  {
    words,
    roles,
    inValue,
  }: Pick<AnnotatedRequest, "words" | "roles"> & { inValue: (index: number) => boolean },
  index: number,
): boolean {
  for (let position = index + 1; position <= index + 4; position += 1) {
    if (roles[position] === "thing" || roles[position] === "verb") return true;
    if (inValue(position)) continue;
    if (!DETERMINERS.has(words[position] ?? "") && words[position] !== "of") return false;
  }
  return false;
}
