import {
  chooseOption,
  optionFromReply,
  type Candidate,
} from "@metahuman/core/language/grammar/choose-option";
import { listedBy } from "@metahuman/core/language/references/earlier-calls";
import { inFolder } from "@metahuman/core/language/slots/path";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import type { Skill } from "@metahuman/skills/define-skill";
import { optionLabels, sentences } from "./phrasing.ts";

/** The outcome of a planned call. */
export interface Done {
  call: PlannedCall;
  skill: Skill;
  outputs: Record<string, unknown>;
}

/** A question to the person, with the answer if it was asked before. */
export interface Question {
  question: string;
  options: readonly string[];
}

/** A resolved value, or the obstacle. */
export type Resolved =
  | { kind: "value"; value: unknown }
  | { kind: "ask"; question: Question }
  /** There is no value; the sentence gives the reason. */
  | { kind: "missing"; sentence: string; isDeclined?: boolean };

/** The maximum number of options in a question. */
const MAX_ASKED_OPTIONS = 8;

type CallValue = Extract<PlannedValue, { from: "call" }>;

/** The person chose none of the options. */
const declined = (sentence: string): Resolved => ({ kind: "missing", sentence, isDeclined: true });
const missing = (sentence: string): Resolved => ({ kind: "missing", sentence });

/**
 * Resolves an argument from the request and the outputs of earlier calls. `answerTo` returns earlier answers of the
 * person.
 */
export function resolveValue(
  value: PlannedValue,
  done: readonly (Done | undefined)[],
  answerTo: (question: Question) => string | undefined,
): Resolved {
  if (value.from === "request") return { kind: "value", value: value.value };
  if (value.from === "answer") return answered(value, answerTo);
  const taken = takenBy(value, done, answerTo);
  if (taken.kind !== "value" || typeof taken.value !== "string") return taken;
  if (value.below !== undefined) return { kind: "value", value: `${taken.value}/${value.below}` };
  if (value.folder === undefined) return taken;
  return { kind: "value", value: inFolder(value.folder, taken.value) };
}

/** The person's answer to the question about an argument. */
function answered(
  { question, within }: Extract<PlannedValue, { from: "answer" }>,
  answerTo: (question: Question) => string | undefined,
): Resolved {
  const asked: Question = { question, options: [] };
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

function takenBy(
  value: Exclude<PlannedValue, { from: "request" } | { from: "answer" }>,
  done: readonly (Done | undefined)[],
  answerTo: (question: Question) => string | undefined,
): Resolved {
  if (value.from === "earlier") return resolveMention(value, answerTo);
  const from = done[value.call];
  return from === undefined
    ? missing("What it needs from an earlier step is not there.")
    : takenFrom(from, value, answerTo);
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
  return chosenBy(answerTo, asked, sentences.whichMeant(mention), valueOf);
}

function takenFrom(
  from: Done,
  value: CallValue,
  answerTo: (question: Question) => string | undefined,
): Resolved {
  if (value.every) return missing(sentences.nothingListed(value.kind ?? "thing"));
  if (value.pick !== undefined) return pickedFrom(from, value, value.pick);
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
function pickedFrom({ skill, outputs, call }: Done, { kind, byName }: CallValue, pick: number): Resolved {
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
  const words = call.lookup ?? (asked?.from === "request" ? String(asked.value) : "");
  const choice = chooseOption(words, finds.candidates(outputs));
  switch (choice.kind) {
    case "one": {
      if (choice.isFullName) return { kind: "value", value: choice.candidate.id };
      if (finds.holdsSeveral?.(choice.candidate.label) === true)
        return chosenBy(answerTo, [choice.candidate], sentences.isAllOf(finds.kind, words));
      if (value.exact !== true) return { kind: "value", value: choice.candidate.id };
      return chosenBy(answerTo, [choice.candidate], sentences.isThis(finds.kind, words));
    }
    case "none":
      return missing(sentences.noneFits(finds.kind, words));
    case "several":
      return chosenBy(answerTo, choice.candidates, sentences.whichOne(finds.kind, words, choice.fits));
    default:
      return choice satisfies never;
  }
}

/** The option that the person chose. A reply that matches no option leads to one more question. */
function chosenBy(
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
