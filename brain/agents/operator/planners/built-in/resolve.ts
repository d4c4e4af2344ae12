import { isDeepStrictEqual } from "node:util";
import type { QuestionKind, ScratchpadEntry } from "@metahuman/core/contract/run";
import {
  type Candidate,
  chooseOption,
  optionFromReply,
} from "@metahuman/core/language/grammar/choose-option";
import { withNewIndexes } from "@metahuman/core/language/grammar/merge-calls";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import { listedBy } from "@metahuman/core/language/references/earlier-calls";
import { inFolder } from "@metahuman/core/language/slots/path";
import { itemsIn } from "@metahuman/core/language/slots/slot-reader";
import { formatCount } from "@metahuman/core/text/format";
import type { Skill } from "@metahuman/skills/define-skill";
import { optionLabels, quote, sentences } from "./phrasing.ts";

/** A planned call that was made, and what its skill answered. */
export interface Done {
  call: PlannedCall;
  skill: Skill;
  outputs: Record<string, unknown>;
}

/** A question to the person, and the answers to choose from; none if it is answered in words. */
export interface Question {
  question: string;
  kind?: QuestionKind;
  options: readonly string[];
}

/** The value of an argument, or what it lacks. */
export type Resolved =
  | { kind: "value"; value: unknown }
  | { kind: "ask"; question: Question }
  /** There is no value; the sentence gives the reason. */
  | { kind: "missing"; sentence: string; isDeclined?: boolean };

/** The maximum number of options in a question. */
const MAX_ASKED_OPTIONS = 8;

/** A value that is known before any call is made. */
type GivenValue = Extract<PlannedValue, { from: "request" | "function" }>;
export const isGiven = (value: PlannedValue): value is GivenValue =>
  value.from === "request" || value.from === "function";

type CallValue = Extract<PlannedValue, { from: "call" }>;

/** The person chose none of the options. */
const declined = (sentence: string): Resolved => ({ kind: "missing", sentence, isDeclined: true });
const missing = (sentence: string): Resolved => ({ kind: "missing", sentence });

/**
 * Resolves an argument from the request, the outputs of the calls made before it (`done`, by their place in the plan) and the answers of
 * the person. `answerTo` returns the answer to a question that was asked in this run.
 */
export function resolveValue(
  value: PlannedValue,
  done: readonly (Done | undefined)[],
  answerTo: (question: Question) => string | undefined,
): Resolved {
  if (isGiven(value)) return { kind: "value", value: value.value };
  if (value.from === "answer") return resolveAnswer(value, answerTo);
  const taken = resolveReference(value, done, answerTo);
  if (taken.kind !== "value" || typeof taken.value !== "string") return taken;
  if (value.below !== undefined) return { kind: "value", value: `${taken.value}/${value.below}` };
  if (value.folder === undefined) return taken;
  return { kind: "value", value: inFolder(value.folder, taken.value) };
}

/** The person's answer to the question about an argument. */
function resolveAnswer(
  { question, kind, within }: Extract<PlannedValue, { from: "answer" }>,
  answerTo: (question: Question) => string | undefined,
): Resolved {
  const asked: Question = { question, options: [], ...(kind && { kind }) };
  const reply = answerTo(asked);
  if (reply === undefined) return { kind: "ask", question: asked };
  if (optionFromReply(reply, []) === "none") return declined(sentences.nothingChosen);
  const name = reply
    .trim()
    .replace(/^(?:call it|name it|it is|it's|to|into)\s+/iu, "")
    .replace(/^["“'](.*)["”']$/su, "$1")
    .replace(/(?<=\w)\.$/u, "");
  return { kind: "value", value: within?.replace("{}", () => name) ?? name };
}

/** Resolves what a value takes from an earlier request or an earlier call. */
function resolveReference(
  value: Exclude<PlannedValue, GivenValue | { from: "answer" }>,
  done: readonly (Done | undefined)[],
  answerTo: (question: Question) => string | undefined,
): Resolved {
  if (value.from === "earlier") return resolveMention(value, answerTo);
  const from = done[value.call];
  return from === undefined
    ? missing("What it needs from an earlier step is not there.")
    : resolveFromCall(from, value, answerTo);
}

/** Resolves a reference to the result of an earlier request; asks the person if there are several. */
function resolveMention(
  { candidates, mention, byName }: Extract<PlannedValue, { from: "earlier" }>,
  answerTo: (question: Question) => string | undefined,
): Resolved {
  const [only] = candidates;
  const valueOf = ({ id, label }: Candidate): Resolved => ({ kind: "value", value: byName ? label : id });
  if (candidates.length === 1 && only !== undefined) return valueOf(only);
  const asked = candidates.slice(0, MAX_ASKED_OPTIONS);
  return resolveChoice(answerTo, asked, sentences.whichMeant(mention), valueOf);
}

/** Resolves what a value takes from a call: one of its items, its text, its file, or the thing that it found, made or changed. */
function resolveFromCall(
  from: Done,
  value: CallValue,
  answerTo: (question: Question) => string | undefined,
): Resolved {
  if (value.every) return missing(sentences.nothingListed(value.kind ?? "thing"));
  if (value.pick !== undefined) return resolveListItem(from, value, value.pick);
  switch (value.take) {
    case "text":
      return textOf(from);
    case "path":
      return pathOf(from);
    case "reference":
      return referenceOf(from, value, answerTo);
    default:
      return value.take satisfies never;
  }
}

/** The item at one position of a call's list. */
function resolveListItem(
  { skill, outputs, call }: Done,
  { kind, byName }: CallValue,
  pick: number,
): Resolved {
  const thing = listedBy(skill, outputs, kind ?? "").at(pick);
  if (thing === undefined) return missing(sentences.noSuchPlace(call.clause));
  return { kind: "value", value: byName ? thing.label : thing.id };
}

function textOf({ skill, outputs, call }: Done): Resolved {
  const text = skill.results?.text?.(outputs);
  return text === undefined ? missing(sentences.onlyPart(call.clause)) : { kind: "value", value: text };
}

function pathOf({ skill, outputs, call }: Done): Resolved {
  const path = outputs[skill.results?.path ?? ""];
  return typeof path === "string" ? { kind: "value", value: path } : missing(sentences.noResult(call.clause));
}

/** The id from a look-up, or of the record that an earlier call created or changed. */
function referenceOf(
  { skill, outputs, call }: Done,
  value: CallValue,
  answerTo: (question: Question) => string | undefined,
): Resolved {
  const { finds } = skill;
  if (finds === undefined || finds.kind !== value.kind) {
    const id = outputs[skill.results?.reference?.[value.kind ?? ""] ?? ""];
    return typeof id === "string" ? { kind: "value", value: id } : missing(sentences.noResult(call.clause));
  }
  const asked = call.args[finds.by];
  const words = call.lookup ?? (asked !== undefined && isGiven(asked) ? String(asked.value) : "");
  const choice = chooseOption(words, finds.candidates(outputs));
  switch (choice.kind) {
    case "one": {
      if (choice.isFullName) return { kind: "value", value: choice.candidate.id };
      if (finds.holdsSeveral?.(choice.candidate.label) === true)
        return resolveChoice(answerTo, [choice.candidate], sentences.isAllOf(finds.kind, words));
      if (value.exact !== true) return { kind: "value", value: choice.candidate.id };
      return resolveChoice(answerTo, [choice.candidate], sentences.isThis(finds.kind, words));
    }
    case "none":
      return missing(sentences.noneFits(finds.kind, words));
    case "several":
      return resolveChoice(answerTo, choice.candidates, sentences.whichOne(finds.kind, words, choice.fits));
    default:
      return choice satisfies never;
  }
}

/** The option that the person chose. A reply that matches no option leads to one more question. */
function resolveChoice(
  answerTo: (question: Question) => string | undefined,
  candidates: readonly Candidate[],
  question: string,
  valueOf: (candidate: Candidate) => Resolved = ({ id }) => ({ kind: "value", value: id }),
): Resolved {
  const options = optionLabels(candidates);
  const first = { question, options };
  const reply = answerTo(first);
  if (reply === undefined) return { kind: "ask", question: first };
  let chosen = optionFromReply(reply, options);
  if (chosen === undefined) {
    const again = { question: sentences.notAnOption(reply, question), options };
    const second = answerTo(again);
    if (second === undefined) return { kind: "ask", question: again };
    chosen = optionFromReply(second, options) ?? "none";
  }
  const candidate = chosen === "none" ? undefined : candidates[chosen];
  return candidate === undefined ? declined(sentences.noneChosen) : valueOf(candidate);
}

/** The maximum number of items that a question names. */
const MAX_NAMED = 8;
/** The maximum number of items that one request changes. */
const MAX_PARTS = 50;
const NONE: ReadonlySet<string> = new Set();

/**
 * Expands a plan with the results of its look-ups: "all my tasks" becomes one call per listed task, and words that
 * match no single item ("call mum and pay rent") become one look-up per part. A call of a denied skill is planned for the
 * first item alone, without a question: it will be refused. Returns other plans unchanged.
 */
export function expandPlan(
  calls: readonly PlannedCall[],
  scratchpad: readonly ScratchpadEntry[],
  skills: readonly Skill[],
  denied: ReadonlySet<string> = NONE,
): readonly PlannedCall[] {
  for (const [index, call] of calls.entries()) {
    const skill = skills.find(({ id }) => id === call.skill);
    const result = call.lookup === undefined ? undefined : resultOf(call, scratchpad);
    if (skill === undefined || result?.observation === undefined) continue;
    const outputs = result.observation.success ? (result.observation.outputs ?? {}) : undefined;
    const every = calls.flatMap(({ args }) => Object.values(args)).find((value) => isEvery(value, index));
    if (every?.from === "call") {
      const things = outputs === undefined ? [] : listedBy(skill, outputs, every.kind ?? "");
      if (things.length === 0 || things.length > MAX_PARTS) continue;
      const values = things.map(({ id }): PlannedValue => ({ from: "request", value: id }));
      const names = things.slice(0, MAX_NAMED).map(({ label }) => quote(label));
      const others = things.length - names.length;
      const named = others > 0 ? [...names, `and ${formatCount(others, "other")}`] : names;
      const confirm = every.confirm?.replace("{}", () => named.join(", "));
      return expandPlan(
        repeatForEach(calls, index, [call], () => values, { confirm, denied }),
        scratchpad,
        skills,
        denied,
      );
    }
    const parts = itemsIn(call.lookup ?? "");
    const isFound = outputs !== undefined && (skill.finds?.candidates(outputs).length ?? 0) > 0;
    if (isFound || parts.length < 2 || parts.length > MAX_PARTS) continue;
    const lookUps = parts.map((part) => lookUpOf(call, skill, part));
    const separate = repeatForEach(calls, index, lookUps, (value) =>
      parts.map((_, part): PlannedValue => ({ ...value, call: index + part })),
    );
    return expandPlan(separate, scratchpad, skills, denied);
  }
  return calls;
}

const isEvery = (value: PlannedValue, index: number): boolean =>
  value.from === "call" && value.call === index && value.every === true;

/** The scratchpad entry of a look-up. */
function resultOf(call: PlannedCall, scratchpad: readonly ScratchpadEntry[]): ScratchpadEntry | undefined {
  const args = Object.fromEntries(
    Object.entries(call.args).flatMap(([name, value]) =>
      isGiven(value)
        ? [[name, value.value]]
        : value.from === "earlier" && value.candidates.length === 1
          ? [[name, value.candidates[0]?.id]]
          : [],
    ),
  );
  return scratchpad.find(({ action }) => isDeepStrictEqual(action, { tool: call.skill, args }));
}

/** The look-up with other words. */
function lookUpOf(call: PlannedCall, { finds }: Skill, words: string): PlannedCall {
  if (finds === undefined) return call;
  return {
    ...call,
    lookup: words,
    args: { ...call.args, [finds.by]: { from: "request", value: finds.query?.(words) ?? words } },
  };
}

/** A listed file in the folder that the plan moves it to. */
function placeInFolder(value: PlannedValue, place: PlannedValue | undefined): PlannedValue {
  if (!isGiven(value) || typeof value.value !== "string" || place?.from !== "call") return value;
  const { folder, into } = place;
  if (into !== undefined) return { ...into, below: value.value.slice(value.value.lastIndexOf("/") + 1) };
  return folder === undefined ? value : { from: "request", value: inFolder(folder, value.value) };
}

/** True if a file would be moved to where it is. */
function isThereAlready(filled: readonly [string, PlannedValue][]): boolean {
  const paths = filled.map(([, value]) =>
    isGiven(value) ? String(value.value).replace(/^out\//u, "") : undefined,
  );
  return filled.length > 1 && paths.every((path) => path !== undefined && path === paths[0]);
}

/**
 * Replaces the call at `index` by `lookUps`, and repeats each call that uses it once per value; the person must agree to
 * `confirm` before the first of them. A call of a denied skill is made once, without that question.
 */
function repeatForEach(
  calls: readonly PlannedCall[],
  index: number,
  lookUps: readonly PlannedCall[],
  valuesFor: (value: Extract<PlannedValue, { from: "call" }>) => readonly PlannedValue[],
  { confirm, denied = NONE }: { confirm?: string | undefined; denied?: ReadonlySet<string> } = {},
): PlannedCall[] {
  const result: PlannedCall[] = [];
  const places: number[] = [];
  const newIndex = (old: number): number => places[old] ?? old;
  for (const [position, call] of calls.entries()) {
    if (position === index) {
      result.push(...lookUps);
      places.push(result.length - 1);
      continue;
    }
    const moved = withNewIndexes(call, newIndex);
    const used = Object.entries(call.args).flatMap(([name, value]) =>
      value.from === "call" && value.call === index ? [{ name, value, values: valuesFor(value) }] : [],
    );
    if (used.length === 0) result.push(moved);
    const isDenied = denied.has(call.skill);
    for (const place of used[0]?.values.keys() ?? []) {
      if (isDenied && place > 0) break;
      const filled = used.map(({ name, value, values }): [string, PlannedValue] => [
        name,
        placeInFolder(values[place] ?? value, moved.args[name]),
      ]);
      if (isThereAlready(filled)) continue;
      result.push({
        ...moved,
        args: { ...moved.args, ...Object.fromEntries(filled) },
        ...(confirm !== undefined && !isDenied && { confirm }),
      });
    }
    places.push(result.length - 1);
  }
  return result;
}
