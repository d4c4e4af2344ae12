// Orders other than that of a function, outside its values or within a text.

import { startsClause } from "./clauses.ts";
import type { FunctionMemory } from "../../contract/function.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
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

/** "…, and then email Nora about it", "…, so cancel the tour": a further action. */
const JOINED_ORDER =
  /(?:[,;.]\s+(?:and\s+)?|\s+and\s+)((?:then|so|afterwards|after that|also)\s+)?(?:please\s+)?(\p{L}+)\s+(\p{L}+)/giu;
const THEN_ORDER = /(?:[,;.]\s+|\s)and (?:then|afterwards|after that)\s+\p{L}+\s+\p{L}/iu;
const AND_ORDER = /[,;.]\s+and\s+(\p{Ll}+)\s+(\p{L}+)/gu;
const SO_ORDER = /,\s+((?:so|and)\s+(?:please\s+)?(\p{L}+)\s+\p{L}+)/giu;
const OBJECT =
  /^(?:me|us|him|her|them|it|the|an?|my|our|your|his|their|this|that|everyone|everybody|\p{Lu}\p{L}*)$/u;
/** Objects before which any word is a verb, unless its form is another: "swap the cream". */
const SURE_OBJECT = /^(?:the|my|our|it|them|him|her)$/u;
const NO_PLAIN_FORM = /(?:ing|ed|ly|[^s]s)$/u;
const ENDS_IN_TOO = /\b(?:too|as well)[.!\s]*$/iu;
/** The characters at the end of a request in which "too" is looked for. */
const MAX_TOO = 20;

/** "The line about tea has to come out", "the date should be changed": asks for a change of what is stored. */
const ASKS_FOR_CHANGE =
  /\b(?:has|have|needs?|ought)\s+to\s+(?:come\s+out|go\s+(?:out|again)|be\s+(?:removed|deleted|erased|struck|taken\s+out|cut|corrected|changed))\b|\b(?:should|must|can)\s+(?:come\s+out|be\s+(?:removed|deleted|erased|struck|taken\s+out|corrected|changed))\b/iu;

/** True if a text seems to hold an order: "lanolin, so cancel the tour". It may still be a text. */
export const containsOrder = (text: string): boolean =>
  joinsOrder(text) ||
  ASKS_FOR_CHANGE.test(text) ||
  [...text.matchAll(JOINED_ORDER)].some(
    ([, then, verb = "", object = ""]) =>
      (then !== undefined && kindsOfVerb(verb.toLowerCase()).size > 0) ||
      (kindsOfVerb(verb).size > 0 && OBJECT.test(object)),
  );

/** True if an order follows a text after "and": "…, and then email Nora", "…, and add a task", "…, and swap the cream". */
const joinsOrder = (text: string): boolean =>
  THEN_ORDER.test(text) ||
  [...text.matchAll(AND_ORDER)].some(([, verb = "", object = ""]) =>
    kindsOfVerb(verb).size > 0
      ? OBJECT.test(object)
      : SURE_OBJECT.test(object) && !FUNCTION_WORDS.has(verb) && !NO_PLAIN_FORM.test(verb),
  );

/** True if a value contains an order after "and", and no earlier value of its parameter does. */
export const containsFurtherOrder = (
  { examples }: Pick<FunctionMemory, "examples">,
  values: Readonly<Record<string, unknown>>,
): boolean =>
  Object.entries(values).some(
    ([name, value]) =>
      typeof value === "string" &&
      joinsOrder(value) &&
      !examples.some(({ parameters }) => joinsOrder(String(parameters?.[name]))),
  );

/** "…, so cancel the tour, too": a value that contains an order other than the one that the function carries out. */
export const endsInFurtherOrder = (request: string, values: Readonly<Record<string, unknown>>): boolean =>
  ENDS_IN_TOO.test(request.slice(-MAX_TOO)) &&
  [...request.matchAll(SO_ORDER)].some(
    ([, order = "", verb = ""]) =>
      kindsOfVerb(verb.toLowerCase()).size > 0 &&
      Object.values(values).some((value) => typeof value === "string" && value.includes(order)),
  );
