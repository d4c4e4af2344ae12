import type { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import type { Skill } from "@metahuman/skills/define-skill";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";
import { findingsOf } from "../answer/built-in-answer-writer.ts";

/** Steps by reasoning depth: off, quick, focused, deep. */
const STEPS_BY_DEPTH = [1, 5, 10, 15] as const;
const FOCUSED = 2;

/** How many skill calls a run may make; a closing answer is always allowed. */
export function stepBudget(
  config: OperatorConfig,
  flags: RuntimeConfig["operator"],
  depth: number | undefined,
): number {
  if (!flags.useReasoningService) return config.scratchpad.maxSteps;
  return STEPS_BY_DEPTH[depth ?? FOCUSED] ?? STEPS_BY_DEPTH[FOCUSED];
}

/** Counts the skill calls. Writing the answer does not count. */
export function stepsTaken(scratchpad: readonly ScratchpadEntry[]): number {
  return scratchpad.filter(({ action }) => action !== undefined && action.tool !== ANSWER_SKILL).length;
}

/** The answer of a run that ends early: why, what the person can do, and the findings so far. */
export function earlyAnswerText(
  first: string,
  scratchpad: readonly ScratchpadEntry[],
  skills: readonly Skill[],
): string {
  const findings = findingsOf(scratchpad, skills);
  if (findings.length === 0) return first;
  return [first, "", "Until then:", ...findings.map((finding) => `- ${finding.sentence}`)].join("\n");
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
