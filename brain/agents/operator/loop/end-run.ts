import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { RunOutcome } from "@metahuman/core/contract/run";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { withTimeout } from "@metahuman/core/async/with-timeout";
import type { Answer } from "../answer/write-answer.ts";
import type { RunContext, Yielded } from "./run-context.ts";
import { endingWith } from "./stop.ts";

/** A person who stops a run is not kept waiting for longer than this while it is kept as memories, in milliseconds. */
const CANCELLED_WAIT_MS = 300;

export interface Ending {
  outcome: RunOutcome;
  answer?: Answer;
  error?: ErrorDetail;
}

/** Keeps what there is to remember, then closes the run: answer, cost and end in one commit. */
export async function* end(
  { outcome, answer, error }: Ending,
  context: RunContext,
): AsyncGenerator<Yielded, void> {
  // What follows is kept in files, which know of no claims.
  await context.confirmClaim();
  const [warnings, functions] = await Promise.all([
    keep(outcome, rememberedOf(answer), context),
    settleFunctions(outcome, answer?.text, context),
  ]);
  const answered = answer ? [completed(answer)] : [];
  const usage: StoredEventBody = { type: "usage-recorded", usage: context.usage() };
  yield [
    ...context.takeWarnings(),
    ...warnings,
    ...answered,
    ...functions,
    usage,
    { type: "run-ended", outcome, ...(error && { error }) },
  ];
}

/** A claim that nothing confirms is never remembered. */
function rememberedOf(answer: Answer | undefined): string | undefined {
  return answer === undefined || answer.isIdle || answer.confirmed === ""
    ? undefined
    : (answer.confirmed ?? answer.text);
}

function completed({ text, style, verbatim, suggestions }: Answer): StoredEventBody {
  return { type: "answer-completed", text, style, verbatim, ...(suggestions && { suggestions }) };
}

/** An answer for a run that ends early: why it does, and everything that was found out. */
export function inWords(sentence: string, context: RunContext): Answer {
  const text = endingWith(sentence, context.run().scratchpad, context.skills);
  return { text, style: "default", verbatim: false };
}

/** The answer with a closing sentence of the operator's own. */
export function withEnding(answer: Answer, sentence: string, context: RunContext): Answer {
  const ending = `\n\n${sentence}`;
  context.answerGrew(ending, answer.text.length);
  return { ...answer, text: `${answer.text}${ending}` };
}

async function keep(
  outcome: RunOutcome,
  answer: string | undefined,
  context: RunContext,
): Promise<StoredEventBody[]> {
  const failed = (cause: unknown): StoredEventBody[] => {
    context.logError("A run could not be kept as memories.", cause);
    return [
      {
        type: "warning-raised",
        message: "This run could not be kept in memory.",
        error: toErrorDetail(cause),
      },
    ];
  };
  context.auditLater("react_scratchpad_snapshot", snapshotOf(outcome, context));
  const kept = context
    .remember({ run: context.run(), answer, outcome })
    .then(() => context.audited())
    .then(() => [], failed);
  return outcome === "cancelled" ? withTimeout(CANCELLED_WAIT_MS, kept, []) : kept;
}

/** What becomes of functions is told, but never stands in the way of an answer. */
async function settleFunctions(
  outcome: RunOutcome,
  answer: string | undefined,
  context: RunContext,
): Promise<StoredEventBody[]> {
  try {
    return await context.settleFunctions(outcome, answer);
  } catch (error) {
    context.logError("The functions of a run could not be looked after.", error);
    return [];
  }
}

/** How the run went, in numbers and names; what was said and read is on the run itself. */
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
