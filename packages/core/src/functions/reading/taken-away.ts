import { startsClause } from "./clauses.ts";
import { DETERMINERS, type VerbKind } from "./families.ts";
import type { RoledRequest } from "./word-roles.ts";

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
export function takesAway(
  { request: { units }, words, plain, roles, clauses, concepts }: RoledRequest,
  inValue: (at: number) => boolean,
): boolean {
  // Taking something out of a place that is only read means reading it.
  if (concepts.isReadOnly || REMOVING_KINDS.some((kind) => concepts.kinds.has(kind))) return false;
  const isLoose = (at: number): boolean =>
    units[at]?.kind === "word" && !concepts.literals.has(words[at] ?? "") && !inValue(at);
  const isTakenBy = (verb: string, at: number): boolean => {
    const [word = "", next = ""] = [words[at], words[at + 1]];
    if (!isLoose(at)) return false;
    // "Off at nine", "away until friday": a time.
    if (word !== "from" && /^(?:on|by|at|until|till|in|to|for|with)$/u.test(next)) return false;
    return TAKEN_WITH.get(word === "out" && next === "of" ? "out of" : word)?.test(verb) === true;
  };
  const isOrder = (at: number): boolean =>
    !inValue(at) &&
    units[at]?.kind === "word" &&
    words[at] === plain[at] &&
    !concepts.verbs.has(words[at] ?? "") &&
    (startsClause(units, at) || BEFORE_ORDER.test(words[at - 1] ?? ""));
  // "Strike Petra, petra@…, from the members": what follows belongs to the function, whatever is between.
  const isSameClause = (at: number, place: number): boolean =>
    clauses[place] === clauses[at] || precedesThing({ words, roles }, place);
  return words.some(
    (word, at) =>
      (isOrder(at) &&
        words.some((_, place) => place > at && isSameClause(at, place) && isTakenBy(word, place))) ||
      (/^(?:out|off)$/u.test(word) && isLoose(at) && precedesThing({ words, roles }, at)),
  );
}

const BEFORE_ORDER = /^(?:to|you|we|i|must|should|can|could|would|please|just|rather|better|and|then)$/u;

function precedesThing({ words, roles }: Pick<RoledRequest, "words" | "roles">, at: number): boolean {
  for (let place = at + 1; place <= at + 4; place += 1) {
    if (roles[place] === "thing" || roles[place] === "deed") return true;
    if (!DETERMINERS.has(words[place] ?? "") && words[place] !== "of") return false;
  }
  return false;
}
