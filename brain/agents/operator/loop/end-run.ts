import { withTimeout } from "@metahuman/core/async/with-timeout";
import type { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { regionOf } from "@metahuman/core/contract/region";
import type { Action, RunOutcome } from "@metahuman/core/contract/run";
import { TODO_SKILL } from "@metahuman/core/contract/todo";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { type Answer, ANSWER_SKILL } from "../answer/answer-writer.ts";
import { findingsOf } from "../answer/built-in-answer-writer.ts";
import { endingTexts } from "../answer/ending-texts.ts";
import type { RunContext, Yielded } from "./run-context.ts";

/** How long a cancelled run waits for its memories to be stored, in milliseconds. */
const CANCELLED_WAIT_MS = 300;

export interface RunEnd {
  outcome: RunOutcome;
  answer?: Answer;
  error?: ErrorDetail;
}

/** Stores the run's memories and function results, then commits the answer, the usage and the end together. */
export async function* endRun(
  { outcome, answer, error }: RunEnd,
  context: RunContext,
): AsyncGenerator<Yielded, void> {
  // Memory and function files carry no claim, so the claim is checked before they are written.
  await context.confirmClaim();
  const [warnings, functions, offered] = await Promise.all([
    rememberResult(outcome, rememberedText(answer), context),
    recordFunctionResults(outcome, answer?.text, context),
    outcome === "answered" && !answer?.offers ? offeredPattern(context) : undefined,
  ]);
  const suggestions = [...(answer?.suggestions ?? []), ...(offered === undefined ? [] : [offered])];
  const completed = answer
    ? [answerCompleted({ ...answer, ...(suggestions.length > 0 && { suggestions }) })]
    : [];
  const usage: StoredEventBody = { type: "usage-recorded", usage: context.usage() };
  yield [
    ...context.takeWarnings(),
    ...warnings,
    ...completed,
    ...functions,
    usage,
    { type: "run-ended", outcome, ...(error && { error }) },
  ];
}

/** The part of the answer that becomes a memory. Unconfirmed claims never do. */
function rememberedText(answer: Answer | undefined): string | undefined {
  return answer === undefined || answer.isIdle || answer.confirmed === ""
    ? undefined
    : (answer.confirmed ?? answer.text);
}

function answerCompleted({ text, style, verbatim, suggestions, offers }: Answer): StoredEventBody {
  return {
    type: "answer-completed",
    text,
    style,
    verbatim,
    ...(suggestions && { suggestions }),
    ...(offers && { offers }),
  };
}

/** The answer of a run that ends early: the reason, then the findings so far, with those of the runs that it continues. */
export function earlyAnswer(sentence: string, context: RunContext): Answer {
  const steps = [...context.continued, ...context.run().scratchpad];
  const findings = findingsOf(steps, context.skills, regionOf(context.request.request));
  const text =
    findings.length === 0
      ? sentence
      : [
          sentence,
          "",
          endingTexts(context.state()).untilThen,
          ...findings.map((finding) => `- ${finding.sentence}`),
        ].join("\n");
  return { text, style: "default", verbatim: false };
}

/** The answer, with a closing sentence by the operator. */
export function appendSentence(answer: Answer, sentence: string, context: RunContext): Answer {
  const ending = `\n\n${sentence}`;
  context.onAnswerText(ending, answer.text.length);
  return { ...answer, text: `${answer.text}${ending}` };
}

async function rememberResult(
  outcome: RunOutcome,
  answer: string | undefined,
  context: RunContext,
): Promise<StoredEventBody[]> {
  const storageWarning = (cause: unknown): StoredEventBody[] => {
    context.logError("The memories of a run could not be stored.", cause);
    return [
      {
        type: "warning-raised",
        message: "This run could not be stored in memory.",
        error: toErrorDetail(cause),
      },
    ];
  };
  context.auditLater("react_scratchpad_snapshot", snapshotOf(outcome, context));
  const remembered = context
    .remember({ run: context.run(), answer, outcome })
    .then(() => context.audited())
    .then(() => [], storageWarning);
  return outcome === "cancelled" ? withTimeout(CANCELLED_WAIT_MS, remembered, []) : remembered;
}

/** A failure here is logged and never blocks the answer. */
async function recordFunctionResults(
  outcome: RunOutcome,
  answer: string | undefined,
  context: RunContext,
): Promise<StoredEventBody[]> {
  try {
    return await context.recordFunctionResults(outcome, answer);
  } catch (error) {
    context.logError("The function results of a run could not be recorded.", error);
    return [];
  }
}

/** A failure here is logged and never blocks the answer. */
async function offeredPattern(context: RunContext): Promise<string | undefined> {
  try {
    return await context.offerPattern();
  } catch (error) {
    context.logError("The patterns of a request could not be looked up.", error);
    return undefined;
  }
}

/** The audit details of a run: outcome, skills, durations and usage, without any text of the person or the model. */
function snapshotOf(outcome: RunOutcome, context: RunContext): Record<string, unknown> {
  const { scratchpad, functionsUsed } = context.run();
  return {
    outcome,
    planner: context.planner.name,
    steps: scratchpad.flatMap(({ step, action, observation, functionId, durationMs }) =>
      action
        ? [
            {
              step,
              skill: action.tool,
              success: observation?.success ?? false,
              ...(observation?.error && { code: observation.error.code }),
              ...(functionId !== undefined && { functionId }),
              ...(durationMs !== undefined && { durationMs }),
            },
          ]
        : [],
    ),
    functionsUsed: functionsUsed.map(({ id, followed }) => ({ id, followed })),
    usage: context.usage(),
  };
}

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
