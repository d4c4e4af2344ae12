import { GENERIC_THINGS, kindsOfVerb, LIGHT_VERBS, type VerbKind } from "./families.ts";
import type { FunctionConcepts } from "./function-concepts.ts";
import type { Conjunct } from "./parse-template.ts";
import type { FilledSlots } from "./typed-candidates.ts";
import { type AlignedRequest, isIntroduced } from "./value-borders.ts";

/** The content of a request's words outside the values. */
export interface ExplainedWords {
  /** Families of the function's nouns in the request. */
  covered: Set<string>;
  /** The meanings of the request's verbs, as far as the function has them. */
  kinds: Set<VerbKind>;
  unknown: string[];
  /** Their positions among the units. */
  unknownAt: number[];
  problem?: string | undefined;
  isWhole: boolean;
  hasVerb: boolean;
  /** The number of tasks in the request. */
  orders: number;
}

/** True if every noun of one template is named, and each part of it after the first has its verb. */
export function isWhole(
  { templates, kinds: own }: FunctionConcepts,
  covered: ReadonlySet<string>,
  kinds: ReadonlySet<VerbKind>,
  words: readonly string[],
): boolean {
  // "Found in the gym: …" names only its verb, which is then required.
  const isNamed = ({ verbs, nouns }: Conjunct): boolean =>
    nouns.size > 0 ||
    verbs.size === 0 ||
    [...verbs].some((verb) => words.includes(verb) || [...kindsOfVerb(verb)].some((kind) => kinds.has(kind)));
  return templates.some((conjuncts) =>
    conjuncts.every(
      ({ verbs, nouns }, index) =>
        (conjuncts.length > 1 || isNamed({ verbs, nouns })) &&
        [...nouns].every((noun) => covered.has(noun)) &&
        (index === 0 ||
          verbs.size === 0 ||
          [...verbs].some((verb) => [...kindsOfVerb(verb)].some((kind) => own.has(kind) && kinds.has(kind)))),
    ),
  );
}

/** Kinds of verbs with a specific action; the others ("add", "put", "show") match many. */
export const SPECIFIC_VERB_KINDS: ReadonlySet<VerbKind> = new Set<VerbKind>([
  "remember",
  "fetch",
  "summarize",
  "delete",
  "copy",
  "complete",
  "hold",
  "commit",
  "merge",
  "publish",
  "send",
]);

/** The parts of the function that the request does not mention: fewer steps in a request mean fewer steps to do. */
export function findMissingParts(
  aligned: AlignedRequest,
  filled: FilledSlots,
  { covered, kinds, hasVerb, orders }: ExplainedWords,
): string | undefined {
  const {
    request: { units },
    concepts,
    words,
    families,
  } = aligned;
  const labels = new Set(filled.flatMap(({ slot }) => [...slot.labels]));
  // "24 miles": the function's own unit.
  const isMeasuredAsOwn = filled.some(
    ({ slot: { type, after }, candidate: { to } }) =>
      type === "number" && after.has(words[to] ?? "") && concepts.nouns.has(families[to] ?? ""),
  );
  const isMarked = filled.some(
    ({ candidate: { from } }) => units[from]?.kind === "quoted" || isIntroduced(aligned, from),
  );
  const isNamed = concepts.templates.some((conjuncts) =>
    conjuncts.every(({ verbs, nouns }) => {
      // "Roll over the page and start it with …": one order in other words omits the meaning of the first verb.
      const isOfNoKind = verbs.size > 0 && [...verbs].every((verb) => kindsOfVerb(verb).size === 0);
      if (isOfNoKind && orders < conjuncts.length && !words.some((word) => verbs.has(word))) return false;
      const namedNouns = [...nouns].filter((noun) => covered.has(noun));
      const own = [...nouns].filter((noun) => !labels.has(noun));
      const specificKinds = [...verbs].flatMap((verb) =>
        [...kindsOfVerb(verb)].filter((kind) => concepts.kinds.has(kind) && SPECIFIC_VERB_KINDS.has(kind)),
      );
      const isDone = specificKinds.some((kind) => kinds.has(kind));
      if (conjuncts.length > 1 && specificKinds.length > 0 && !isDone) return false;
      const isOwn = [...verbs].some((verb) =>
        [...kindsOfVerb(verb)].some((kind) => concepts.ownKinds.has(kind)),
      );
      // Ordering something is more than adding a task.
      if (nouns.size === 0 && isOwn) return [...concepts.ownKinds].some((kind) => kinds.has(kind));
      if (nouns.size === 0) return isDone || (specificKinds.length === 0 && hasVerb) || kinds.size > 0;
      // "Mark the task x as done": the verb alone has no meaning.
      const isLight = [...verbs].every((verb) => LIGHT_VERBS.has(verb));
      if (
        own.length === 0 &&
        verbs.size > 0 &&
        ![...verbs].every((verb) => LIGHT_VERBS.has(verb)) &&
        !hasVerb &&
        !(namedNouns.length === nouns.size && (isMeasuredAsOwn || isMarked))
      )
        return false;
      // A word that only names a parameter does not name the action.
      if (own.length > 0 && kinds.size === 0 && !own.some((noun) => covered.has(noun))) return false;
      if (isLight && verbs.size > 0 && own.length > 0 && !sharesSpecificKind(concepts.kinds, kinds))
        return own.every((noun) => covered.has(noun));
      const specificNouns = own.filter((noun) => !GENERIC_THINGS.has(noun));
      const isIdentified =
        isMeasuredAsOwn ||
        specificNouns.some((noun) => covered.has(noun)) ||
        [...kinds].some((kind) => OF_TASKS.has(kind) && concepts.kinds.has(kind));
      if (specificNouns.length > 0 && !isIdentified) return false;
      return namedNouns.length > 0 || (isDone && own.length < nouns.size);
    }),
  );
  return isNamed ? undefined : "The request does not speak of all that the function does.";
}

/** Meanings that only tasks have. */
const OF_TASKS: ReadonlySet<VerbKind> = new Set<VerbKind>(["begin", "complete", "hold", "reopen"]);

const sharesSpecificKind = (own: ReadonlySet<VerbKind>, asked: ReadonlySet<VerbKind>): boolean =>
  [...asked].some((kind) => own.has(kind) && SPECIFIC_VERB_KINDS.has(kind));
