import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { FunctionParameter } from "@metahuman/core/contract/function";
import type { Action, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import { isRecord } from "@metahuman/core/text/is-record";
import { renamedPath } from "@metahuman/core/language/slots/path";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { Region } from "@metahuman/core/contract/region";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlanState } from "../../planner.ts";
import { sentences, YES_OR_NO } from "./phrasing.ts";
import { resolveValue, type Done, type Question } from "./resolve.ts";
import { agreesToAll } from "@metahuman/core/language/grammar/yes-no";

/** The skill that asks the person. */
export const ASK_SKILL = "ask_user";

/** The outcome of one planned call. */
export type Outcome =
  | {
      kind: "done";
      done: Done;
      entry: ScratchpadEntry;
      /** The error of the same call with a name that is taken: the call was made with another name. */
      nameTaken?: ErrorDetail | undefined;
    }
  | { kind: "failed"; call: PlannedCall; args: Record<string, unknown>; error: ErrorDetail }
  /** The call was impossible; the sentence gives the reason. */
  | { kind: "missing"; call: PlannedCall; sentence: string; isDeclined?: boolean }
  /** Skipped because its condition does not hold; the sentence says which. */
  | { kind: "unneeded"; call: PlannedCall; sentence: string }
  /** Skipped after the failure of an earlier call. */
  | { kind: "skipped"; call: PlannedCall };

/** A planned call with its arguments. */
export interface CallToMake {
  call: PlannedCall;
  action: Action;
}

/** The position of a run in its plan: the next call, a question to the person, or the end. */
export type Position =
  | ({ kind: "act"; taken: string | undefined; parallel: readonly CallToMake[] } & CallToMake)
  | { kind: "ask"; call: PlannedCall | undefined; question: Question }
  | { kind: "end"; outcomes: readonly Outcome[] };

/** The maximum number of alternative names to try. */
const MAX_NAMES = 3;

/** The person's answer to the same question in this run. A question is the same if its words and options are: no run asks it twice. */
export function answerIn(scratchpad: readonly ScratchpadEntry[]): (question: Question) => string | undefined {
  return ({ question, options }) => {
    const asked = scratchpad.find(
      ({ action }) =>
        action?.tool === ASK_SKILL &&
        action.args.question === question &&
        isDeepStrictEqual(action.args.options, options),
    );
    if (asked?.observation === undefined) return undefined;
    const answer = asked.observation.outputs?.answer;
    // A question that nobody could be asked counts as unanswered.
    return asked.observation.success && typeof answer === "string" ? answer : "none";
  };
}

/**
 * Finds the position of a run in its plan. It stores nothing between calls: it matches the calls of the scratchpad by
 * their exact arguments, so that steps of another planner do not matter and an interrupted run continues where it
 * stopped.
 */
export function follow(
  calls: readonly PlannedCall[],
  scratchpad: readonly ScratchpadEntry[],
  skills: readonly Skill[],
  region?: Region,
): Position {
  const outcomes: Outcome[] = [];
  const done: (Done | undefined)[] = [];
  const answerTo = answerIn(scratchpad);
  let from = 0;
  for (const [index, call] of calls.entries()) {
    const skill = skills.find((candidate) => candidate.id === call.skill);
    if (skill === undefined || isHeldBack(call, skill, outcomes, done)) {
      outcomes.push({ kind: "skipped", call });
      done.push(undefined);
      continue;
    }
    const unmet = unmetCondition(call, done, skills, region);
    if (unmet !== undefined) {
      outcomes.push({ kind: "unneeded", call, sentence: unmet });
      done.push(undefined);
      continue;
    }
    const isApproved = personAgrees(call, answerTo);
    if (isApproved === undefined)
      return { kind: "ask", call, question: { question: call.confirm ?? "", options: YES_OR_NO } };
    if (!isApproved) {
      outcomes.push({ kind: "missing", call, sentence: sentences.nothingChosen, isDeclined: true });
      done.push(undefined);
      continue;
    }
    const resolved = argsOf(call, done, answerTo);
    if (resolved.kind === "ask") return { kind: "ask", call, question: resolved.question };
    if (resolved.kind === "missing") {
      const { sentence, isDeclined } = resolved;
      outcomes.push({ kind: "missing", call, sentence, ...(isDeclined && { isDeclined }) });
      done.push(undefined);
      continue;
    }
    const { args } = resolved;
    const attempt = findAttempt(call, args, { scratchpad, from, answerTo });
    if (attempt.kind === "ask") return { kind: "ask", call, question: attempt.question };
    if (attempt.kind === "next") {
      const { action, taken } = attempt;
      return { kind: "act", call, action, taken, parallel: readyAfter(index, calls, done, answerTo) };
    }
    const { entry, at } = attempt;
    from = at + 1;
    const { observation } = entry;
    if (observation?.success === true && observation.outputs !== undefined) {
      const made: Done = { call, skill, outputs: observation.outputs };
      outcomes.push({ kind: "done", done: made, entry, nameTaken: attempt.nameTaken });
      done.push(made);
    } else {
      const error = observation?.error ?? { code: "UNEXPECTED_ERROR", message: observation?.content ?? "" };
      outcomes.push({ kind: "failed", call, args: entry.action?.args ?? args, error });
      done.push(undefined);
    }
  }
  return { kind: "end", outcomes };
}

/** The outcome of a single call that looks something up, or the call to make for it. */
export type LookUp = { kind: "act"; action: Action } | { kind: "made"; outcome: Outcome | undefined };

/** Makes a single call that looks something up. No outcome if the person has to be asked before it is made. */
export function lookUp(
  call: PlannedCall,
  { scratchpad, skills, timeZone, locale }: Pick<PlanState, "scratchpad" | "skills" | "timeZone" | "locale">,
): LookUp {
  const position = follow([call], scratchpad, skills, { timeZone, locale });
  if (position.kind === "act") return { kind: "act", action: position.action };
  return { kind: "made", outcome: position.kind === "end" ? position.outcomes[0] : undefined };
}

/** Whether the person agrees to a call; undefined while they have not been asked. True if nobody needs to be asked. */
function personAgrees(
  { confirm }: PlannedCall,
  answerTo: (question: Question) => string | undefined,
): boolean | undefined {
  if (confirm === undefined) return true;
  const reply = answerTo({ question: confirm, options: YES_OR_NO });
  return reply === undefined ? undefined : agreesToAll(reply);
}

/** The reason why the condition of a call does not hold; undefined if it holds or there is none. */
function unmetCondition(
  { only, clause }: PlannedCall,
  done: readonly (Done | undefined)[],
  skills: readonly Skill[],
  region: Region | undefined,
): string | undefined {
  const check = only && done[only.call];
  const isThere = check && skills.find(({ id }) => id === check.call.skill)?.checks?.isThere(check.outputs);
  if (only === undefined || isThere === only.isThere) return undefined;
  return sentences.unneeded(clause, check?.skill.narrate(check.outputs, region) ?? "");
}

type Args =
  | { kind: "args"; args: Record<string, unknown> }
  | { kind: "ask"; question: Question }
  | { kind: "missing"; sentence: string; isDeclined?: boolean };

/** The arguments of a call, a question about one of them, or the reason why one has no value. */
function argsOf(
  call: PlannedCall,
  done: readonly (Done | undefined)[],
  answerTo: (question: Question) => string | undefined,
): Args {
  const args: Record<string, unknown> = {};
  let missing: { sentence: string; isDeclined?: boolean } | undefined;
  for (const [name, value] of Object.entries(call.args)) {
    const resolved = resolveValue(value, done, answerTo);
    if (resolved.kind === "ask") return resolved;
    if (resolved.kind === "missing") missing ??= resolved;
    else args[name] = resolved.value;
  }
  if (missing !== undefined) return { ...missing, kind: "missing" };
  return { kind: "args", args: placeInFolders(call, args) };
}

/** The arguments with bare names in the folders that they belong to. */
function placeInFolders(
  { folderOf = {} }: PlannedCall,
  args: Record<string, unknown>,
): Record<string, unknown> {
  const placed = { ...args };
  for (const [name, other] of Object.entries(folderOf)) {
    const [bare, path] = [placed[name], placed[other]];
    if (typeof bare === "string" && typeof path === "string") placed[name] = renamedPath(bare, path);
  }
  return placed;
}

/** The calls directly after one in the plan whose arguments are known before it runs. */
function readyAfter(
  index: number,
  calls: readonly PlannedCall[],
  done: readonly (Done | undefined)[],
  answerTo: (question: Question) => string | undefined,
): CallToMake[] {
  const ready: CallToMake[] = [];
  for (const call of calls.slice(index + 1)) {
    if (call.only !== undefined || personAgrees(call, answerTo) !== true) break;
    const resolved = argsOf(call, done, answerTo);
    if (resolved.kind !== "args") break;
    ready.push({ call, action: { tool: call.skill, args: resolved.args } });
  }
  return ready;
}

/**
 * True for a call that must not run after a failure: it depends on the failed call, or it changes something, because
 * later steps may depend on earlier ones without naming them. Calls for several items of one clause continue.
 */
function isHeldBack(
  call: PlannedCall,
  skill: Skill,
  outcomes: readonly Outcome[],
  done: readonly (Done | undefined)[],
): boolean {
  const needsResult = Object.values(call.args).some(
    (value) => value.from === "call" && done[value.call] === undefined,
  );
  if (needsResult) return true;
  if (skill.effects === "read") return false;
  return outcomes.some(
    (outcome) =>
      outcome.kind !== "done" && outcome.kind !== "unneeded" && outcome.call.clause !== call.clause,
  );
}

type Attempt =
  | { kind: "next"; action: Action; taken: string | undefined }
  | { kind: "ask"; question: Question }
  | { kind: "made"; entry: ScratchpadEntry; at: number; nameTaken: ErrorDetail | undefined };

/**
 * The scratchpad entry of a call, or the call to make: as planned, with the free name that an error suggested, or with the value
 * that was meant, of which there is one or the person chose one.
 */
function findAttempt(
  call: PlannedCall,
  args: Record<string, unknown>,
  {
    scratchpad,
    from,
    answerTo,
  }: {
    scratchpad: readonly ScratchpadEntry[];
    from: number;
    answerTo: (question: Question) => string | undefined;
  },
): Attempt {
  let action: Action = { tool: call.skill, args };
  let taken: string | undefined;
  let nameTaken: ErrorDetail | undefined;
  let start = from;
  for (let attempts = 0; ; attempts++) {
    const position = scratchpad.findIndex(
      (entry, index) => index >= start && isDeepStrictEqual(entry.action, action),
    );
    const entry = scratchpad[position];
    if (entry === undefined) return { kind: "next", action, taken };
    const error = entry.observation?.error;
    if (error === undefined || attempts >= MAX_NAMES) return { kind: "made", entry, at: position, nameTaken };
    const name = call.invented[0];
    const free = error.code === "ALREADY_EXISTS" ? error.suggestions?.[0] : undefined;
    const other = name !== undefined && free !== undefined ? { argument: name, value: free } : undefined;
    const meant =
      other ?? findMeantValue(error, action, answerTo) ?? findMeantParameters(error, action, answerTo);
    if (meant === undefined) return { kind: "made", entry, at: position, nameTaken };
    if (meant.value === undefined) return { kind: "ask", question: meant.question };
    if (other !== undefined) {
      taken = String(action.args[other.argument]);
      nameTaken ??= error;
    }
    action = {
      tool: call.skill,
      args: placeInFolders(call, { ...action.args, [meant.argument]: meant.value }),
    };
    start = position + 1;
  }
}

/** The values from which the person may choose, from the error of a skill. */
const Choices = z.object({ choices: z.object({ argument: z.string(), values: z.array(z.string()).min(1) }) });

/**
 * The value that was meant instead of the one that failed: the only file with a bare name, or what the person chooses. Undefined
 * if there is none or the person chose none.
 */
function findMeantValue(
  error: ErrorDetail,
  { tool, args }: Action,
  answerTo: (question: Question) => string | undefined,
): { argument: string; value: string } | { value: undefined; question: Question } | undefined {
  const offered = Choices.safeParse(error.context).data?.choices;
  const elsewhere = error.code === "FILE_NOT_FOUND" ? filesNamed(error, args) : undefined;
  const { argument, values } = offered ?? elsewhere ?? { argument: "", values: [] };
  const [only, ...others] = values;
  if (only === undefined) return undefined;
  // A deletion needs a question, because another file may have been meant.
  if (offered === undefined && others.length === 0 && tool !== "fs_delete") return { argument, value: only };
  const found = offered === undefined ? sentences.elsewhere(String(args[argument]), values) : error.message;
  const question = { question: sentences.whichOfThese(found, values), options: values };
  const reply = answerTo(question);
  if (reply === undefined) return { value: undefined, question };
  const chosen = optionFromReply(reply, values);
  return typeof chosen === "number" ? { argument, value: values[chosen] ?? only } : undefined;
}

/** The parameters that a function needs and did not get, from the error of the skill that runs it. */
const Missing = z.object({
  title: z.string(),
  missing: z.array(FunctionParameter.pick({ name: true, type: true, description: true })).min(1),
});

/**
 * The parameters of a function with the values that the person gives when asked, one question each. Undefined if none is
 * missing or the person gives none.
 */
function findMeantParameters(
  error: ErrorDetail,
  { args }: Action,
  answerTo: (question: Question) => string | undefined,
):
  | { argument: string; value: Record<string, unknown> }
  | { value: undefined; question: Question }
  | undefined {
  const lacking = Missing.safeParse(error.context).data;
  if (lacking === undefined) return undefined;
  const parameters: Record<string, unknown> = isRecord(args["parameters"]) ? { ...args["parameters"] } : {};
  for (const { name, type, description } of lacking.missing) {
    const question = { question: sentences.valueOf(name, description, lacking.title), options: [] };
    const reply = answerTo(question);
    if (reply === undefined) return { value: undefined, question };
    if (optionFromReply(reply, []) === "none") return undefined;
    parameters[name] = valueFromReply(type, reply.trim());
  }
  return { argument: "parameters", value: parameters };
}

/** A typed value of a parameter. A text that is not a value of its type stays a text, which the function rejects with the reason. */
function valueFromReply(type: FunctionParameter["type"], reply: string): unknown {
  switch (type) {
    case "number": {
      const value = Number(reply);
      return reply === "" || Number.isNaN(value) ? reply : value;
    }
    case "boolean":
      return /^true$/iu.test(reply.trim()) || agreesToAll(reply);
    case "list":
      return reply.split(",").map((word) => word.trim());
    case "string":
    case "path":
    case "date":
    case "object":
      return reply;
    default:
      return type satisfies never;
  }
}

/** The files of other folders that have the bare name of a file that is not there. */
function filesNamed(
  { suggestions = [], context }: ErrorDetail,
  args: Readonly<Record<string, unknown>>,
): { argument: string; values: string[] } | undefined {
  const missing = context?.["path"];
  for (const [argument, name] of Object.entries(args)) {
    if (typeof name !== "string" || name.includes("/") || missing !== `out/${name}`) continue;
    return { argument, values: suggestions.filter((path) => path.endsWith(`/${name}`)) };
  }
  return undefined;
}
