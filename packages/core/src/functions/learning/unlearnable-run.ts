import { identifyingStems } from "../../policy/target-words.ts";
import { withoutPathParts } from "../../text/words.ts";
import { isCommonWord } from "../retrieval/background-words.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, LearnableRun, MadeCall } from "./learnable-run.ts";
import type { Action } from "../../contract/run.ts";
import { isRecord } from "../../text/is-record.ts";
import { isNamedTarget, sourcePhrase } from "../../policy/named-target.ts";
import type { PriorText } from "../../policy/target-source.ts";

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

/**
 * The reason why a run must not be learned: it deletes, overwrites, moves, sends or executes something that neither the
 * request nor an answer named, even if the person approved the call. Undefined if every target is named, or is a member
 * of a set that the request names and a listing found.
 */
export function unnamedTarget({ request, calls }: LearnableRun): string | undefined {
  const made = calls.filter(({ success }) => success);
  const answers = made.flatMap(({ outputs: { answer } }) => (typeof answer === "string" ? [answer] : []));
  const scratchpad: NonNullable<PriorText["scratchpad"]> = made.map((call) => ({
    action: { tool: call.skill, args: call.args },
    observation: { mode: "structured", content: "", success: true, outputs: call.outputs },
  }));
  for (const [index, call] of made.entries()) {
    const prior = { request, answers, scratchpad: scratchpad.slice(0, index), titles: titlesIn(call) };
    const naming = isNamedTarget(withActualEffect(call), prior);
    if (!naming.named && naming.set === undefined)
      return `The target of ${call.skill} was ${sourcePhrase(naming)}.`;
  }
  return undefined;
}

/** The call with its actual effect: a write that was allowed to overwrite may have created a file. */
function withActualEffect({ skill, args, outputs }: MadeCall): Action {
  const isNew = outputs["archived"] === undefined && outputs["created"] !== false;
  if (skill === "fs_write") return { tool: skill, args: { ...args, overwrite: !isNew } };
  const isCreation = isNew && (skill === "json_update" || skill === "fs_append");
  return { tool: skill, args: isCreation ? { ...args, create: true } : args };
}

/** The title of the record that a call returns, by its id. */
function titlesIn({ outputs: { id, task, schedule } }: MadeCall): Record<string, string> {
  const record = isRecord(task) ? task : isRecord(schedule) ? schedule : {};
  const { title } = record;
  return typeof id === "string" && typeof title === "string" ? { [id]: title } : {};
}
