import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlanState } from "../../planner.ts";
import { answerIn } from "./follow.ts";
import { interpretAlone } from "./interpret-request.ts";

/**
 * Reads the answer to the question of a call together with its request, if that says more than the asked value: "remind
 * me", answered with "water the tomatoes tomorrow at 9", has a time. Returns the same calls for any other answer.
 */
export function withAnswerRead(
  calls: readonly PlannedCall[],
  { request, scratchpad, skills, requestedAt, timeZone }: PlanState,
): readonly PlannedCall[] {
  const [only, ...others] = calls;
  if (only === undefined || others.length > 0) return calls;
  const [asked, ...further] = Object.values(only.args).filter(({ from }) => from === "answer");
  if (asked?.from !== "answer" || asked.within !== undefined || further.length > 0) return calls;
  const answer = answerIn(scratchpad)({ question: asked.question, options: [] });
  if (answer === undefined) return calls;
  const whole = `${request.replace(/[\s.?!:]+$/u, "")} to ${answer.trim()}`;
  const reading = interpretAlone({ request: whole, skills, requestedAt, timeZone });
  const [read, ...rest] = reading.kind === "plan" ? reading.calls : [];
  if (read?.skill !== only.skill || rest.length > 0) return calls;
  const isKnown = Object.values(read.args).every(({ from }) => from === "request");
  const saysMore = Object.keys(read.args).some((name) => !(name in only.args));
  return isKnown && saysMore ? [{ ...read, clause: only.clause }] : calls;
}
