import type { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { ScratchpadEntry, Action } from "@metahuman/core/contract/run";
import type { Skill } from "@metahuman/skills/define-skill";
import { TODO_SKILL } from "@metahuman/core/contract/todo";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";
import { findingsOf } from "../answer/built-in-answer-writer.ts";
import { callHash, canonicalJson } from "@metahuman/core/runs/canonical-json";

/** Steps by reasoning depth: off, quick, focused, deep. */
const STEPS_BY_DEPTH = [1, 5, 10, 15] as const;
const FOCUSED = 2;

/** The maximum number of skill calls of a run; a closing answer is always allowed. */
export function stepBudget(
  config: OperatorConfig,
  flags: RuntimeConfig["operator"],
  depth: number | undefined,
): number {
  if (!flags.useReasoningService) return config.scratchpad.maxSteps;
  return STEPS_BY_DEPTH[depth ?? FOCUSED] ?? STEPS_BY_DEPTH[FOCUSED];
}

/**
 * Counts the skill calls. Writing the answer does not count, and neither does an update of the checklist, unless it
 * directly follows another one, so that a run cannot update its checklist forever.
 */
export function stepsTaken(scratchpad: readonly { action?: Action | undefined }[]): number {
  const tools = scratchpad
    .flatMap(({ action }) => action?.tool ?? [])
    .filter((tool) => tool !== ANSWER_SKILL);
  return tools.filter((tool, index) => tool !== TODO_SKILL || tools[index - 1] === TODO_SKILL).length;
}

/** The answer of a run that ends early: why, what the person can do, and the findings so far. */
export function earlyAnswerText(
  reason: string,
  scratchpad: readonly ScratchpadEntry[],
  skills: readonly Skill[],
): string {
  const findings = findingsOf(scratchpad, skills);
  if (findings.length === 0) return reason;
  return [reason, "", "Until then:", ...findings.map((finding) => `- ${finding.sentence}`)].join("\n");
}

export function stoppedSentence(steps: number): string {
  const taken = steps === 1 ? "the one step" : `all ${steps} steps`;
  return `This request is not finished: it used ${taken} that it may take. Choose Continue to go on with it.`;
}

export function stuckSentence(reason: string): string {
  return `This request was not finished, because it went in circles. ${reason}`;
}

export function failedSentence(error: ErrorDetail): string {
  const advice = error.suggestions?.length ? ` ${error.suggestions.join(" ")}` : "";
  return `This request could not be finished. ${error.message}${advice}`;
}

const MAX_FAILURES = 2;
const MAX_IDLE_REPEATS = 3;

export type LoopVerdict =
  | { kind: "continue" }
  /** The call is not executed; the planner receives the reason, once per call. */
  | { kind: "refuse"; reason: string }
  /** The planner repeated a call that was already refused. */
  | { kind: "stuck"; reason: string };

/** Skills of which the same call makes the same thing a second time. */
const MAKES_ANOTHER: ReadonlySet<string> = new Set(
  "task_create remind schedule_create memory_remember fs_append".split(" "),
);

/** The number of the step that made the same call of such a skill before, if a model repeats itself; else undefined. */
export function stepOfSameCall(
  { tool, args }: Action,
  scratchpad: readonly ScratchpadEntry[],
): number | undefined {
  if (!MAKES_ANOTHER.has(tool)) return undefined;
  const wanted = callHash(tool, args);
  return scratchpad.find(
    ({ action, observation }) =>
      action?.tool === tool && observation?.success === true && callHash(tool, action.args) === wanted,
  )?.step;
}

/**
 * Detects loops. A call is refused after two failures with the same arguments, or after three successes without a new
 * observation in between.
 */
export function guardAgainstLoops(action: Action, scratchpad: readonly ScratchpadEntry[]): LoopVerdict {
  const wanted = callHash(action.tool, action.args);
  const seen = new Set<string>();
  let failures = 0;
  let wasRefused = false;
  let idleRepeats = 0;

  for (const { action: past, observation } of scratchpad) {
    if (!past || !observation) continue;
    const isSameCall = callHash(past.tool, past.args) === wanted;
    if (observation.error?.code === "LOOP_DETECTED") {
      wasRefused ||= isSameCall;
      continue;
    }
    if (!observation.success) {
      failures += isSameCall ? 1 : 0;
      continue;
    }
    const outcome = canonicalJson([past, observation.outputs ?? observation.content]);
    if (!seen.has(outcome)) idleRepeats = 0;
    seen.add(outcome);
    idleRepeats += isSameCall ? 1 : 0;
  }

  const reason =
    failures >= MAX_FAILURES
      ? `${action.tool} already failed ${failures} times with exactly these arguments.`
      : idleRepeats >= MAX_IDLE_REPEATS
        ? `${action.tool} was already called ${idleRepeats} times with exactly these arguments, without a new result.`
        : undefined;
  if (reason === undefined) return { kind: "continue" };
  return { kind: wasRefused ? "stuck" : "refuse", reason };
}
