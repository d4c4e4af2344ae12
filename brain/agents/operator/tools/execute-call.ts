import { rejectOnAbort } from "@metahuman/core/async/reject-on-abort";
import type { ErrorCode, ErrorDetail } from "@metahuman/core/contract/problem";
import type { Region } from "@metahuman/core/contract/region";
import type { CallStage, Observation, ObservationMode, Run } from "@metahuman/core/contract/run";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { nearest } from "@metahuman/core/errors/nearest";
import { SkillNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import type { Assessment, Skill, SkillCall } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import type { ArgumentContext } from "@metahuman/skills/read-arguments";
import { createSkillFinder } from "@metahuman/skills/support/skill-finder";
import { InterruptedError } from "../loop/run-context.ts";

/** A call whose arguments are parsed and whose effects are assessed. */
export interface PreparedCall {
  skill: Skill;
  args: Record<string, unknown>;
  assessment: Assessment;
}

/** The arguments with which the skill of an authorized call runs. */
export type AuthorizedCall = Omit<SkillCall, "assessment" | "signal" | "reached">;

/** Creates the events of a call, for a caller that commits them while the call is executed. */
export interface CallEvents<Event> {
  /** Yielded between the authorization and the start: the skill runs only after the caller has taken it. */
  started(prepared: PreparedCall): Promise<Event>;
  stageReached(stage: CallStage): Event;
}

export interface CallExecution<Event> {
  argumentContext: ArgumentContext;
  /** The ports with which the call is assessed. */
  ports: SkillPorts;
  signal: AbortSignal;
  /** Throws if the call is not allowed. Resolves to the arguments it runs with. */
  authorize(prepared: PreparedCall): Promise<AuthorizedCall>;
  events?: CallEvents<Event>;
}

/**
 * Prepares, authorizes and runs one call of a skill. Steps of a run, calls by code and recipes, and the verifier all
 * execute their calls here. Yields the events of the call and returns its outputs, which match the output schema. Throws
 * what the skill or `authorize` throws, `InvalidArgsError`, `TimeoutError` or the reason of the signal. When the generator
 * is closed early, the call is aborted.
 */
export async function* executeCall<Event = never>(
  skill: Skill,
  rawArgs: unknown,
  { argumentContext, ports, signal, authorize, events }: CallExecution<Event>,
): AsyncGenerator<Event, Record<string, unknown>> {
  const args = skill.parse(rawArgs, argumentContext);
  const assessment = await rejectOnAbort(skill.assess(args, ports, argumentContext), signal);
  const prepared: PreparedCall = { skill, args, assessment };
  const call = await authorize(prepared);
  if (events) yield await events.started(prepared);
  const run = (reached: (stage: CallStage) => void, whileOpen: AbortSignal) =>
    runWithTimeout(
      skill,
      (untilTimeout) => skill.run(args, { ...call, assessment, reached, signal: untilTimeout }),
      whileOpen,
    );
  return yield* eventsWhileRunning(run, signal, events);
}

/** Executes a call without events and resolves to its outputs. */
export async function outputsOf(
  execution: AsyncGenerator<never, Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  return (await execution.next()).value;
}

/** Work that may call `reached` until it ends and stops when `signal` is aborted. */
type StagedWork<Result> = (reached: (stage: CallStage) => void, signal: AbortSignal) => Promise<Result>;

/** Yields an event for each stage that the work reports while it runs, then returns its result or throws its error. */
async function* eventsWhileRunning<Result, Event>(
  work: StagedWork<Result>,
  signal: AbortSignal,
  events: CallEvents<Event> | undefined,
): AsyncGenerator<Event, Result> {
  if (!events) return await work(() => undefined, signal);
  const stages: CallStage[] = [];
  let changed = Promise.withResolvers<void>();
  const state = { isSettled: false };
  const abandoned = new AbortController();
  const done = work(
    (stage) => {
      stages.push(stage);
      changed.resolve();
    },
    AbortSignal.any([signal, abandoned.signal]),
  ).finally(() => {
    state.isSettled = true;
    changed.resolve();
  });
  // The work may fail while the caller commits a stage, before its result is awaited.
  done.catch(() => undefined);
  try {
    for (;;) {
      for (let stage = stages.shift(); stage; stage = stages.shift()) yield events.stageReached(stage);
      if (state.isSettled) return await done;
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    if (!state.isSettled) abandoned.abort(new InterruptedError("This process no longer executes the run."));
  }
}

const MAX_SUGGESTIONS = 5;
/** The number of suggestions by spelling; the others are chosen by meaning. */
const MAX_BY_SPELLING = 3;

/** Throws `SkillNotFoundError` with ids of similar spelling or meaning: `fs_reader` suggests `fs_read`. */
export function findSkill(id: string, skills: readonly Skill[], catalog: readonly SkillCard[]): Skill {
  const found = skills.find((skill) => skill.id === id);
  if (found) return found;
  const ids = skills.map((skill) => skill.id);
  const words = id.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const reordered = ids.filter((one) => one.split("_").every((word) => words.includes(word)));
  const similar = createSkillFinder(catalog).nearest(words.join(" "));
  const candidates = new Set([
    ...reordered,
    ...nearest(id, ids, MAX_BY_SPELLING),
    ...similar.map(({ card }) => card.id),
  ]);
  const suggestions = [...candidates].filter((one) => ids.includes(one)).slice(0, MAX_SUGGESTIONS);
  throw new SkillNotFoundError(`There is no skill called ${id}.`, {
    suggestions: suggestions.length > 0 ? suggestions : ["Find one with skill_search."],
  });
}

/** How long an aborted skill may take to end by itself, in milliseconds. */
const GRACE_MS = 400;

export type Limited = Pick<Skill, "id" | "timeoutMs" | "effects" | "idempotent">;

/**
 * Runs the work under the skill's time limit. Throws what the work throws, `TimeoutError`, or the reason of `signal`. Work
 * that ignores its signal is abandoned and its result discarded.
 */
export async function runWithTimeout<Result>(
  skill: Limited,
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(timedOut(skill)), skill.timeoutMs);
  const stop = AbortSignal.any([signal, deadline.signal]);
  try {
    return await Promise.race([work(stop), rejectAfterGrace(stop)]);
  } catch (error) {
    // Aborted work fails with any error; the reason of the abort is the one to report.
    stop.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects `GRACE_MS` after the signal is aborted. */
function rejectAfterGrace(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => void setTimeout(() => reject(signal.reason), GRACE_MS);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

function timedOut(skill: Limited): TimeoutError {
  const seconds = Math.round(skill.timeoutMs / 100) / 10;
  const changes = skill.effects !== "read" && !skill.idempotent;
  return new TimeoutError(`${skill.id} did not finish within ${seconds} s and was stopped.`, {
    suggestions: changes
      ? ["It may have taken effect in part: check before you repeat it."]
      : ["Ask for less at once, or try again."],
  });
}

/** Categories whose outputs may contain text by other authors, which must never be read as an instruction. */
const UNTRUSTED_CATEGORIES: ReadonlySet<Skill["category"]> = new Set<Skill["category"]>([
  "files",
  "memory",
  "web",
  "git",
  "system",
]);

/** Effects whose result is information, not a change. */
const INFORMING: ReadonlySet<Skill["effects"]> = new Set<Skill["effects"]>(["read", "network", "execute"]);

/** True for a skill whose result is information, not a change. */
export function returnsInformation({ effects }: Pick<Skill, "effects">): boolean {
  return INFORMING.has(effects);
}

/** Reads and programs show their data; a change is described in a sentence. */
export function defaultObservationMode(skill: Skill): ObservationMode {
  return returnsInformation(skill) ? "structured" : "narrative";
}

/** Outputs as planners read them: rendered in `mode`, clipped to `maxCharacters`. Prompts mark them as data where they show them. */
export function observe(
  skill: Skill,
  outputs: Record<string, unknown>,
  { mode, maxCharacters, region }: { mode: ObservationMode; maxCharacters: number; region?: Region },
): Observation {
  const whole = render(skill, outputs, mode, region);
  const text = clipOutput(whole, maxCharacters);
  const readOn = text === whole ? undefined : skill.readOn(outputs, whole, text.lastIndexOf(CLIPPED));
  return {
    mode,
    content: readOn === undefined ? text : `${text}\n${readOn}`,
    success: true,
    outputs,
  };
}

export function observeFailure(error: ErrorDetail): Observation {
  return { mode: "narrative", content: error.message, success: false, error };
}

/** A finding of the operator about its own run. */
export function observeNote(content: string): Observation {
  return { mode: "narrative", content, success: true };
}

export function hasUntrustedOutput(skill: Skill): boolean {
  return INFORMING.has(skill.effects) && UNTRUSTED_CATEGORIES.has(skill.category);
}

function render(
  skill: Skill,
  outputs: Record<string, unknown>,
  mode: ObservationMode,
  region: Region | undefined,
): string {
  switch (mode) {
    case "narrative":
      return skill.narrate(outputs, region);
    case "structured":
      return skill.observed(outputs, region);
    case "verbatim":
      return JSON.stringify(outputs, null, 2);
    default:
      return mode satisfies never;
  }
}

const CLIPPED = "\n[clipped: ";

/** Keeps the beginning of a rendered output and states its full length; never splits a surrogate pair. */
export function clipOutput(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return `${text.slice(0, end)}${CLIPPED}${end} of ${text.length} characters; the run keeps the whole output]`;
}

const PATH_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "FILE_NOT_FOUND",
  "PATH_OUTSIDE_WORKSPACE",
  "PERMISSION_DENIED",
]);

const HINTS = [
  "Leave the folder out: a bare name is taken from out/.",
  "List what is there with fs_list.",
  "Ask the person where it is with ask_user.",
  "Once it works, keep the way as a function, so that the next request finds it.",
];

/** Adds hints on how to find the right path to the second path failure of a run that follows no function. */
export function withPathHints(error: ErrorDetail, run: Run): ErrorDetail {
  if (!PATH_FAILURES.has(error.code) || run.functionsUsed.some((use) => use.followed)) return error;
  const before = run.scratchpad.filter(
    ({ observation }) => observation?.error && PATH_FAILURES.has(observation.error.code),
  ).length;
  return before === 1 ? { ...error, suggestions: [...(error.suggestions ?? []), ...HINTS] } : error;
}

/** A JSON value whose texts are clipped to `maxText` characters and lists to `maxItems`; each cut states the full length. */
function clipValue(value: unknown, maxText: number, maxItems = 50): unknown {
  if (typeof value === "string")
    return value.length <= maxText ? value : `${value.slice(0, maxText)}… [${value.length} characters]`;
  if (Array.isArray(value)) {
    const clippedItems = value.slice(0, maxItems).map((item) => clipValue(item, maxText, maxItems));
    return value.length > maxItems ? [...clippedItems, `… [${value.length} items]`] : clippedItems;
  }
  if (typeof value === "object" && value !== null)
    return clipTexts(Object.fromEntries(Object.entries(value)), maxText, maxItems);
  return value;
}

export function clipTexts(
  record: Record<string, unknown>,
  maxText: number,
  maxItems = 50,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, clipValue(value, maxText, maxItems)]),
  );
}
