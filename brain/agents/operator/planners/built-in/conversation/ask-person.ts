import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { answerIn } from "../follow.ts";
import { ask } from "../next-step.ts";
import { sentences, THOUGHTS } from "../phrasing.ts";
import type { Question } from "../resolve.ts";

/** Ends a run in which the person wanted nothing done. */
export const endWithNothing = (text: string = sentences.nothingChosen): PlannerDecision => ({
  kind: "answer",
  thought: THOUGHTS.refrain,
  style: "default",
  text,
});

/**
 * Asks the person a question, and decides by the reply: `choose` returns the decision for it, or undefined if nothing is to be done, which
 * `declined` says.
 */
export function decideByReply(
  question: Question,
  { thought, declined }: { thought: string; declined?: string },
  { scratchpad }: PlanState,
  choose: (reply: string) => PlannerDecision | undefined,
): PlannerDecision {
  const reply = answerIn(scratchpad)(question);
  return reply === undefined ? ask(question, thought) : (choose(reply) ?? endWithNothing(declined));
}
