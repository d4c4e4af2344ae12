import { startsClause } from "./clauses.ts";
import { DETERMINERS, kindsOfVerb } from "./families.ts";
import type { Conjunct } from "./parse-template.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

/** `other`: an order that the function does not carry out; `same`: one whose verb may mean what the function does. */
export type FurtherOrder = "other" | "same";

const REFERRING = /^(?:it|that|this|them|those|these)$/u;
const RECEIVER = /^(?:me|us|him|her)$/u;
/** "Tell me what it says": the content of what the function made. */
const CONTENT = /^(?:what|everything)$/u;

/**
 * Finds a further order for the same thing after the order of the function: "start the page for friday and read it to me". It is `other` if
 * no verb of the templates has its meaning, and `same` if the templates merely have fewer orders than the request.
 */
export function findFurtherOrder(
  annotated: AnnotatedRequest,
  inValue: (at: number) => boolean,
): FurtherOrder | undefined {
  const { request, words, concepts } = annotated;
  const orders = request.units.flatMap((unit, at) =>
    unit.kind === "word" && !inValue(at) && isOrder(annotated, at) ? [at] : [],
  );
  if (orders.length < 2) return undefined;
  const first = orders.findIndex((at) => isOwnOrder(annotated, at));
  // "… and call it oven": the order belongs to the value in its clause.
  const holdsValue = (at: number): boolean =>
    request.units.some(
      (_, place) => place > at && annotated.clauses[place] === annotated.clauses[at] && inValue(place),
    );
  const later =
    first < 0 ? [] : orders.slice(first + 1).filter((at) => hasSameObject(annotated, at) && !holdsValue(at));
  if (later.length === 0) return undefined;
  if (later.some((at) => !isOwnOrder(annotated, at) && !concepts.literals.has(words[at] ?? "")))
    return "other";
  const parts = Math.max(...concepts.templates.map(ordersOf));
  const isOneMore = (at: number): boolean =>
    !concepts.literals.has(words[at] ?? "") && orders.filter((one) => one < at).length >= parts;
  return later.some(isOneMore) ? "same" : undefined;
}

/** The number of orders in a template: "write {text}, add a line and read it" has three in two parts. */
const ordersOf = (conjuncts: readonly Conjunct[]): number =>
  conjuncts.reduce((sum, { verbs }) => sum + Math.max(1, verbs.size), 0);

const isOrder = ({ request: { units }, words, plain, roles }: AnnotatedRequest, at: number): boolean =>
  units[at]?.isHarmless === false &&
  startsClause(units, at) &&
  plain[at] === words[at] &&
  ((kindsOfVerb(words[at] ?? "").size > 0 && roles[at] !== "thing") ||
    roles[at] === "verb" ||
    (roles[at] === "unknown" && !DETERMINERS.has(words[at] ?? "")));

const isOwnOrder = ({ roles, words, concepts }: AnnotatedRequest, at: number): boolean =>
  ["verb", "same-kind", "light", "near"].includes(roles[at] ?? "") ||
  [...kindsOfVerb(words[at] ?? "")].some((kind) => concepts.kinds.has(kind));

/** True if the object of the verb is a pronoun or a noun of the function: "read it", "send me the page", "listen to it". */
function hasSameObject({ words, roles, families, concepts }: AnnotatedRequest, at: number): boolean {
  let next = at + 1;
  while (RECEIVER.test(words[next] ?? "") || /^(?:to|at|on|over|through|out|aloud)$/u.test(words[next] ?? ""))
    next += 1;
  const word = words[next] ?? "";
  if (REFERRING.test(word)) return true;
  // An unknown word before a noun may be a typing error of the function's own verb: "ad a task".
  if (roles[at] === "unknown") return false;
  if (CONTENT.test(word)) return true;
  return DETERMINERS.has(word) && concepts.nouns.has(families[next + 1] ?? "");
}
