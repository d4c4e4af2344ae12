import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { answerIn } from "../follow.ts";
import { interpretAlone } from "../interpret-request.ts";
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

/** The texts between a request and the words that it left out: "remind me" and "water the roses tomorrow". */
const JOINTS = [" to ", ": ", " "];

/**
 * Reads the answers to questions for words like the rest of their requests: "remind me", answered with "water the roses
 * tomorrow at 9", is a reminder with a date. Other calls stay as they are, and an answer in quotation marks is taken word by
 * word.
 */
export function completeFromAnswers(calls: readonly PlannedCall[], state: PlanState): readonly PlannedCall[] {
  return calls.map((call) => completeFromAnswer(call, state) ?? call);
}

function completeFromAnswer(call: PlannedCall, state: PlanState): PlannedCall | undefined {
  const [[, asked] = [], ...others] = Object.entries(call.args).filter(([, { from }]) => from === "answer");
  if (asked?.from !== "answer" || asked.within !== undefined || others.length > 0) return undefined;
  const answer = answerIn(state.scratchpad)({ question: asked.question, options: [] })?.trim();
  if (answer === undefined || optionFromReply(answer, []) === "none" || /^["“']/u.test(answer))
    return undefined;
  const clause = call.clause.replace(/[\s.:!?…]+$/u, "");
  for (const joint of JOINTS) {
    const reading = interpretAlone({ ...state, request: `${clause}${joint}${answer}` });
    const [only, ...more] = reading.kind === "plan" ? reading.calls : [];
    const [free = "", ...otherTexts] = only?.freeText ?? [];
    const value = only?.args[free];
    // Another skill may do what both say together: a reminder that recurs is not a task.
    if (only === undefined || more.length + otherTexts.length > 0 || value?.from !== "request") continue;
    if (typeof value.value === "string" && answer.includes(value.value))
      return { ...only, clause: call.clause };
  }
  return undefined;
}
