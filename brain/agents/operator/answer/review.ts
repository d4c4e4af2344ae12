import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { formatContextForPrompt } from "@metahuman/core/context/format-context-for-prompt";
import type { Answer } from "./write-answer.ts";
import { withoutMarked, withoutUnconfirmed, withUnconfirmedMarked } from "./answer-gate.ts";
import { checkAnswer } from "./check-claims.ts";
import type { AnswerEvidence } from "./evidence.ts";
import { observeNote } from "../tools/observe.ts";
import type { PlanState } from "../planner.ts";
import { nextStep, type RunContext, type Yielded } from "../loop/run-context.ts";
import { stepsTaken } from "../loop/stop.ts";
import { ANSWER_SKILL } from "./answer-writer.ts";

/** The planners whose answers a model words, so that they may say more than was observed. */
const MODEL_PLANNERS: ReadonlySet<string> = new Set(["structured", "tool-calling", "conversation"]);

/** A step without a call that showed something: the answer was sent back in it. */
function isReview({ action, observation }: ScratchpadEntry): boolean {
  return action === undefined && observation !== undefined;
}

function wentWell({ action, observation }: ScratchpadEntry): boolean {
  return action !== undefined && action.tool !== ANSWER_SKILL && observation?.success === true;
}

const NOTHING_WENT_WELL =
  "None of the calls went well: nothing was found out or done, whatever the answer says.";

/** What the last check found wrong with the answer before; `""` when nothing was. */
export function findingsOfReview(scratchpad: readonly ScratchpadEntry[]): string {
  return scratchpad.findLast(isReview)?.observation?.content ?? "";
}

/** What the answer of a run may be based on. */
export function evidenceOf({ context, conversation, ...state }: PlanState): AnswerEvidence {
  return {
    request: state.request,
    conversation: conversation.turns.map(({ role, text }) => ({ role, text: withoutMarked(text) })),
    memories: context?.memories.map(({ memory }) => memory.content) ?? [],
    known: [
      ...(context
        ? [formatContextForPrompt(context, { without: ["conversation", "functions", "tools"] })]
        : []),
      ...[conversation.summary, conversation.taskContext].filter((text) => text !== undefined),
    ],
    scratchpad: state.scratchpad,
    now: state.requestedAt,
    timeZone: state.timeZone,
  };
}

/** True for words that a model may have chosen; what code words from observations needs no check. */
export function isWordedByModel({ planner, usage }: Pick<RunContext, "planner" | "usage">): boolean {
  return MODEL_PLANNERS.has(planner.name) || (planner.name === "replay" && usage().modelCalls > 0);
}

/**
 * Checks the claims of an answer: by code, and by the critic where there is one. The first time a claim has no support,
 * that becomes a step of the run and the answer is `sent-back`. What the next answer still claims is marked where it
 * stands, is not remembered, and the person is warned of it. Words that code made stand as they are.
 */
export async function* review(
  given: Answer,
  context: RunContext,
): AsyncGenerator<Yielded, Answer | "sent-back"> {
  const { critic, planner, signal } = context;
  const { scratchpad } = context.run();
  if (!isWordedByModel(context) || given.style === "strict" || given.verbatim) return given;
  const hasActed = stepsTaken(scratchpad) > 0;
  const hasResult = scratchpad.some(wentWell);
  const checked = checkAnswer(given.text, evidenceOf(context.state()));
  const unconfirmed = checked.flatMap(({ problems }) => problems);
  const claims = critic && hasResult ? await critic.unsupported(given.text, context.state(), signal) : [];
  yield* context.takeWarnings();
  const list = [...new Set([...unconfirmed, ...claims])].map((claim) => `- ${claim}`).join("\n");
  if (list !== "" && !scratchpad.some(isReview)) {
    context.sendBack(given.text);
    const step = nextStep(context);
    const thought = "Check the answer against the observations.";
    yield { type: "step-planned", step, thought, planner: planner.name };
    const found = `The answer claims what no observation shows. Find it out, or leave it out:\n${list}`;
    yield { type: "observation-made", step, observation: observeNote(found), durationMs: 0 };
    return "sent-back";
  }
  if (list !== "")
    yield { type: "warning-raised", message: `The answer claims what no observation shows:\n${list}` };
  if (hasActed && !hasResult) yield { type: "warning-raised", message: NOTHING_WENT_WELL };
  if (unconfirmed.length === 0) return given;
  return {
    ...given,
    text: withUnconfirmedMarked(given.text, checked),
    confirmed: withoutUnconfirmed(given.text, checked),
  };
}
