import type { Features } from "./evidence.ts";
import { DETERMINERS, familyOf, GENERIC_THINGS, kindsOfVerb, LIGHT_VERBS, MEASURES } from "./families.ts";
import type { SlotType } from "./function-concepts.ts";
import type { Conjunct } from "./parse-template.ts";
import type { PlacedValue } from "./placements.ts";
import type { AnnotatedRequest, WordRole } from "./word-roles.ts";

/** Counters for the words outside the values. */
export interface FeatureCounts {
  features: Features;
  add: (name: string, value?: number) => void;
  /** The families of nouns, and the plain verbs, in the request. */
  things: Set<string>;
  verbs: Set<string>;
  /** The families of words that occur only in its description. */
  knownWords: Set<string>;
  roles: Set<WordRole>;
  inValue: (index: number) => boolean;
}

/** Evidence that a value is known by its form. */
const FORMS = ["typed", "quoted-as-own"];

/** Adds which parts of the function the request mentions, by the template with the fewest missing parts. */
export function addCoverage(
  { concepts, roles, request: { units } }: AnnotatedRequest,
  { add, things, verbs, roles: seenRoles, features, inValue }: FeatureCounts,
  placed: readonly PlacedValue[],
): void {
  const isByForm =
    placed.length > 0 &&
    placed.every(({ span: { evidence } }) => FORMS.some((form) => evidence.features[form] === 1));
  const isCounted = (index: number): boolean =>
    units[index]?.kind === "word" && roles[index] === "unknown" && !inValue(index);
  // "8 questions", "pulse 82": another thing is counted.
  const ofOwnKind = placed.filter(
    ({ slot, span: { from, to } }) => slot.type !== "number" || !(isCounted(to) || isCounted(from - 1)),
  );
  const named: NamedParts = {
    things,
    verbs,
    roles: seenRoles,
    implied: new Set(ofOwnKind.flatMap(impliedFamilies)),
    labels: new Set(concepts.slots.flatMap((slot) => [...slot.labels])),
    near: things.has("") ? (features["near"] ?? 0) : 0,
    isByForm,
  };
  const [best] = concepts.templates
    .map((conjuncts) => coverageOf(conjuncts, named))
    .toSorted((one, other) => one.cost - other.cost);
  if (best === undefined) return;
  add("missed", best.specific);
  add("missed-generic", best.generic);
  add("parts-missed", best.parts);
  add("named", Math.min(2, best.named));
  add("named-label", Math.min(1, best.labels));
  add("named-share", best.share);
  if (best.count > 0 && things.size === 0) add("nothing-named");
  add(`verb:${best.verb}`);
  if (best.count === 0 || best.named === 0) add(`alone:verb:${best.verb}`);
  const first = units.findIndex(
    ({ kind, isHarmless }, index) =>
      kind === "word" &&
      !isHarmless &&
      !inValue(index) &&
      !DETERMINERS.has(units[index]?.text ?? "") &&
      units[index]?.text !== "new",
  );
  if (first >= 0 && (roles[first] === "thing" || roles[first] === "verb")) add("begins-with-own");
  const unexplained = countUnexplained(features);
  if (unexplained === 0) add("explained");
  // Without another word for the function, its action must be named.
  const isVerbMissing = best.count === 0 && (best.verb === "other" || best.verb === "none");
  if (unexplained === 0 && best.specific === 0 && best.parts === 0 && !isVerbMissing) {
    add("whole");
    if (isByForm && placed.length > 1) add("whole:by-form");
  }
  if (unexplained > 2) add("much-unknown", unexplained - 2);
}

/** The number of words that count against the function, by the features that were added for them. */
const countUnexplained = (features: Features): number =>
  Object.entries(features)
    .filter(
      ([name]) =>
        /^(?:unknown|other|blocking|left)/u.test(name) || name === "phrase:other" || name === "several",
    )
    .reduce((sum, [, value]) => sum + value, 0);

/** The words of a request that may name a part of the function. */
interface NamedParts extends Pick<FeatureCounts, "things" | "verbs" | "roles"> {
  /** The families of nouns that a value needs no word for. */
  implied: ReadonlySet<string>;
  /** The families of words that name a parameter. */
  labels: ReadonlySet<string>;
  /** How many near synonyms the request has for nouns of the function. */
  near: number;
  /** Each value is known by its form. */
  isByForm: boolean;
}

/** How much of one template a request mentions. */
interface Coverage {
  /** Missing nouns, without and with a meaning of their own. */
  generic: number;
  specific: number;
  /** Nouns that are named, and those of them that name a parameter. */
  named: number;
  labels: number;
  /** The share of named nouns. */
  share: number;
  /** The number of further actions that are not named. */
  parts: number;
  verb: string;
  /** The number of nouns. */
  count: number;
  cost: number;
}

function coverageOf(
  conjuncts: readonly Conjunct[],
  { things, verbs, roles, implied, labels, near, isByForm }: NamedParts,
): Coverage {
  const isGeneric = (noun: string): boolean => GENERIC_THINGS.has(noun) || labels.has(noun);
  // "Swap", "found": a verb of its own identifies the function as a noun does.
  const own = [...(conjuncts[0]?.verbs ?? [])].filter((verb) => kindsOfVerb(verb).size === 0).map(familyOf);
  const nouns = [...new Set([...conjuncts.flatMap((one) => [...one.nouns]), ...own])];
  // A request with each of several actions and each value in its form need not contain the noun.
  const isPlain = isByForm && namesAllVerbs(conjuncts, verbs);
  const missed = nouns.filter(
    (noun) => !things.has(noun) && !implied.has(noun) && !(isPlain && isGeneric(noun)),
  );
  const generic = missed.filter(isGeneric).length;
  const specific = Math.max(0, missed.length - generic - near);
  const parts = isPlain ? 0 : conjuncts.slice(1).filter((one) => !isConjunctNamed(one, things, verbs)).length;
  const verb = verbMatchOf(conjuncts[0], verbs, roles);
  return {
    generic,
    specific,
    named: nouns.filter((noun) => things.has(noun) && !isGeneric(noun)).length,
    labels: nouns.filter((noun) => things.has(noun) && labels.has(noun)).length,
    share: nouns.length === 0 ? 1 : 1 - missed.length / nouns.length,
    parts,
    verb,
    count: nouns.length,
    cost: 2 * specific + generic + 1.5 * parts + (verb === "other" ? 1 : verb === "none" ? 0.5 : 0),
  };
}

const IMPLIED_BY_FORM: Readonly<Partial<Record<SlotType, readonly string[]>>> = {
  url: ["page", "site", "website", "address", "link", "url"],
  email: ["mail", "address"],
  path: ["file", "document"],
  date: ["day", "date"],
};

/** "Key 22", "30": a value of its own form needs no word for its kind or its unit. */
function impliedFamilies({ slot: { type, labels, after } }: PlacedValue): string[] {
  if (type === "text" || type === "name") return [];
  const measures = type === "number" ? [...after].filter((word) => MEASURES.has(word)) : [];
  return [...labels, ...[...(IMPLIED_BY_FORM[type] ?? []), ...measures].map(familyOf)];
}

/**
 * True if each of several actions has a verb of its kind: "make a copy …, put … and show …" for "copy …, append … and
 * list …".
 */
function namesAllVerbs(conjuncts: readonly Conjunct[], requestVerbs: ReadonlySet<string>): boolean {
  const own = conjuncts.flatMap((one) => [...one.verbs]);
  const isNamed = (verb: string): boolean => {
    const kinds = kindsOfVerb(verb);
    return (
      requestVerbs.has(verb) ||
      [...requestVerbs].some((one) => [...kindsOfVerb(one)].some((kind) => kinds.has(kind)))
    );
  };
  return own.length > 1 && own.every(isNamed);
}

function isConjunctNamed(
  { verbs: own, nouns }: Conjunct,
  things: ReadonlySet<string>,
  verbs: ReadonlySet<string>,
): boolean {
  const kinds = new Set([...own].flatMap((verb) => [...kindsOfVerb(verb)]));
  const isThing = [...nouns].some((noun) => things.has(noun));
  const sharesVerb = [...verbs].some(
    (verb) => own.has(verb) || [...kindsOfVerb(verb)].some((kind) => kinds.has(kind)),
  );
  return nouns.size === 0 ? sharesVerb : isThing && (own.size === 0 || sharesVerb || verbs.size === 0);
}

/** The verb for the action of a template: one of its own kind, another that its calls allow, or none. */
function verbMatchOf(
  first: Conjunct | undefined,
  verbs: ReadonlySet<string>,
  roles: ReadonlySet<WordRole>,
): string {
  const own = [...(first?.verbs ?? [])];
  const kinds = new Set(own.flatMap((verb) => [...kindsOfVerb(verb)]));
  const isShared = (verb: string): boolean =>
    own.includes(verb) || [...kindsOfVerb(verb)].some((kind) => kinds.has(kind));
  const requestVerbs = [...verbs];
  if (own.length === 0) return requestVerbs.length > 0 || roles.has("same-kind") ? "said" : "no-verb";
  if (requestVerbs.some((verb) => isShared(verb) && (!LIGHT_VERBS.has(verb) || own.includes(verb))))
    return "said";
  if (roles.has("verb") || roles.has("near")) return "near";
  if (requestVerbs.some(isShared)) return "light";
  return requestVerbs.length > 0 || roles.has("same-kind") ? "other" : "none";
}
