import { regionOf } from "@metahuman/core/contract/region";
import { dateSpans } from "@metahuman/core/language/dates/dates";
import { tokenise } from "@metahuman/core/language/tokens/tokens";
import type { SkillCall } from "@metahuman/skills/define-skill";
import type { ArgumentContext } from "@metahuman/skills/read-arguments";
import type { RunContext } from "../loop/run-context.ts";
import { ASK_SKILL } from "../planners/built-in/follow.ts";

/** The fields of a skill call that are the same for every call of a run, nested calls included. */
export function callFields(
  context: RunContext,
): Pick<
  SkillCall,
  "runId" | "conversationId" | "request" | "earlierMessages" | "scratchpad" | "now" | "timeZone" | "locale"
> {
  const { id: runId, conversationId, goal: request, scratchpad } = context.run();
  return {
    runId,
    conversationId,
    request,
    earlierMessages: earlierMessages(context),
    scratchpad,
    now: context.now(),
    ...regionOf(context.request.request),
  };
}

/** What a person wrote earlier in the conversation, and their answers to the questions of this run. */
function earlierMessages(context: RunContext): string[] {
  const turns = context.state().conversation.turns.filter(({ role }) => role === "person");
  const answers = [...context.continued, ...context.run().scratchpad].flatMap(({ action, observation }) => {
    const answer = action?.tool === ASK_SKILL ? observation?.outputs?.["answer"] : undefined;
    return typeof answer === "string" ? [answer] : [];
  });
  return [...turns.map(({ text }) => text), ...answers];
}

/** What dates in arguments are relative to: the time of the request, also after a restart. */
export function argumentContext({ run, request }: Pick<RunContext, "run" | "request">): ArgumentContext {
  const { createdAt } = run();
  const region = regionOf(request.request);
  const now = new Date(createdAt);
  return {
    now,
    ...region,
    mentions(date) {
      if (request.direct !== undefined) return true;
      return wordsOfPerson(run()).some((words) => {
        const spans = dateSpans(words, tokenise(words), { now, ...region });
        return words.includes(date) || spans.some(({ value, last }) => value === date || last === date);
      });
    },
  };
}

/** The request, and each question that the person answered with its answer. */
function wordsOfPerson({ goal, scratchpad }: ReturnType<RunContext["run"]>): string[] {
  const answered = scratchpad.filter(
    ({ action, observation }) => action?.tool === ASK_SKILL && observation?.success === true,
  );
  const words = answered.flatMap(({ action, observation }) => [
    action?.args["question"],
    observation?.outputs?.["answer"],
  ]);
  return [goal, ...words.filter((text) => typeof text === "string")];
}
