import { choose, chosenOption, type Candidate } from "@metahuman/core/language/choose";
import { inFolder } from "@metahuman/core/language/in-folder";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/plan";
import type { Skill } from "@metahuman/skills/define-skill";
import { optionLabels, sentences } from "./wording.ts";

/** What became of a planned call. */
export interface Done {
  call: PlannedCall;
  skill: Skill;
  outputs: Record<string, unknown>;
}

/** A question to the person, and what was answered when it was asked before. */
export interface Question {
  question: string;
  options: readonly string[];
}

/** A planned value made concrete, or what stands in the way. */
export type Resolved =
  | { kind: "value"; value: unknown }
  | { kind: "ask"; question: Question }
  /** It cannot be had; the sentence says why. */
  | { kind: "missing"; sentence: string };

type CallValue = Extract<PlannedValue, { from: "call" }>;

const missing = (sentence: string): Resolved => ({ kind: "missing", sentence });

/** The arguments of a call, from the request and from what earlier calls returned; `answerTo` knows the answers so far. */
export function resolveValue(
  value: PlannedValue,
  done: readonly (Done | undefined)[],
  answerTo: (question: Question) => string | undefined,
): Resolved {
  if (value.from === "request") return { kind: "value", value: value.value };
  const from = done[value.call];
  if (from === undefined) return missing("What it needs from an earlier step is not there.");
  const taken = takenFrom(from, value, answerTo);
  if (value.folder === undefined || taken.kind !== "value" || typeof taken.value !== "string") return taken;
  return { kind: "value", value: inFolder(value.folder, taken.value) };
}

function takenFrom(
  from: Done,
  value: CallValue,
  answerTo: (question: Question) => string | undefined,
): Resolved {
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

function textOf({ skill, outputs, call }: Done): Resolved {
  const text = skill.results?.text?.(outputs);
  return text === undefined ? missing(sentences.onlyPart(call.clause)) : { kind: "value", value: text };
}

function pathOf({ skill, outputs, call }: Done): Resolved {
  const path = outputs[skill.results?.path ?? ""];
  return typeof path === "string" ? { kind: "value", value: path } : missing(sentences.noResult(call.clause));
}

/** The id that was looked up, chosen from what was found; or the id that an earlier call made or changed. */
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
  const choice = choose(words, finds.candidates(outputs));
  switch (choice.kind) {
    case "one":
      return { kind: "value", value: choice.candidate.id };
    case "none":
      return missing(sentences.noneFits(finds.kind, words));
    case "several":
      return chosenBy(answerTo, choice.candidates, sentences.whichOne(finds.kind, words, choice.fits));
    default:
      return choice satisfies never;
  }
}

/** What the person chose; a reply that fits no option is asked about once more. */
function chosenBy(
  answerTo: (question: Question) => string | undefined,
  candidates: readonly Candidate[],
  question: string,
): Resolved {
  const options = optionLabels(candidates);
  const first = { question, options };
  const reply = answerTo(first);
  if (reply === undefined) return { kind: "ask", question: first };
  let chosen = chosenOption(reply, options);
  if (chosen === undefined) {
    const again = { question: sentences.notAnOption(reply, question), options };
    const second = answerTo(again);
    if (second === undefined) return { kind: "ask", question: again };
    chosen = chosenOption(second, options) ?? "none";
  }
  const candidate = chosen === "none" ? undefined : candidates[chosen];
  return candidate === undefined ? missing(sentences.noneChosen) : { kind: "value", value: candidate.id };
}
