import { identifyingStems } from "../../policy/target-words.ts";
import { withoutPathParts } from "../../text/words.ts";
import { isCommonWord } from "../retrieval/background-words.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, LearnableRun, MadeCall } from "./learnable-run.ts";

/** Words before a colon that name one procedure for all that follows: "New client: …", "Weekly tidying: …". */
const NAMED_PROCEDURE = /^[^:.;!?\n]{3,60}:\s/u;
/** An occasion for all that is ordered: "when a parcel arrives, …", "for the party, …". */
const OCCASION = /^\W*(?:when|whenever|if|as soon as|for (?:the|our|my)|before|after)\s/iu;
const MOMENT = /^\d{4}-\d{2}-\d{2}/u;

/**
 * True if a request orders several things that have nothing to do with each other: "add milk to the list and rename the report". Its
 * calls share no value, result or word, and nothing names them as one procedure; a function of all of them would never be asked for
 * again.
 */
export function areUnrelated(
  { request, calls }: Pick<LearnableRun, "request" | "calls">,
  factsOf: FactsOf,
): boolean {
  if (calls.length < 2 || NAMED_PROCEDURE.test(request) || OCCASION.test(request)) return false;
  const known = calls.map((call) => ({
    ...wordsOf(call, factsOf),
    reads: factsOf(call.skill)?.reads === true,
  }));
  const asked = new Set(subjectStems(request));
  // What the request does not name is a part of what it orders.
  if (known.some(({ stems, reads }) => !reads && !stems.some((stem) => asked.has(stem)))) return false;
  const groups: number[] = known.map((_, index) => index);
  for (const [index, one] of known.entries())
    for (const [before, other] of known.slice(0, index).entries()) {
      const isLinked =
        one.values.some((value) => other.values.includes(value) || other.found.includes(value)) ||
        one.stems.some((stem) => other.stems.includes(stem) || other.foundStems.has(stem));
      if (!isLinked) continue;
      const [from, to] = [groups[index], groups[before]];
      for (const [at, group] of groups.entries()) if (group === from) groups[at] = to ?? at;
    }
  const changing = new Set(groups.filter((_, index) => known[index]?.reads === false));
  return changing.size > 1;
}

function wordsOf({ skill, args, outputs }: MadeCall, factsOf: FactsOf) {
  const fixed = factsOf(skill)?.fixedArgs ?? [];
  const given = Object.entries(args).filter(([name]) => !fixed.includes(name));
  const values = textsIn(Object.fromEntries(given));
  const found = textsIn(outputs);
  return {
    values,
    found,
    stems: values.flatMap(subjectStems),
    foundStems: new Set(found.flatMap(subjectStems)),
  };
}

/** The texts of a value, without days and times, which two orders may have in common by chance. */
const textsIn = (value: unknown): string[] =>
  leavesOf(value).flatMap(({ value: leaf }) =>
    typeof leaf === "string" && leaf.length > 2 && !MOMENT.test(leaf) ? [leaf.toLowerCase()] : [],
  );

/** The stems of the words that tell what a text is about. */
const subjectStems = (text: string): string[] =>
  identifyingStems(withoutPathParts(text)).filter((stem) => !isCommonWord(stem));
