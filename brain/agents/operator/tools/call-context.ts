import { regionOf } from "@metahuman/core/contract/region";
import { dateSpans } from "@metahuman/core/language/dates/dates";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import type { SkillCall, Skill } from "@metahuman/skills/define-skill";
import type { ArgumentContext } from "@metahuman/skills/read-arguments";
import type { RunContext } from "../loop/run-context.ts";
import { ASK_SKILL } from "../planners/built-in/follow.ts";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { Action, Observation } from "@metahuman/core/contract/run";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { clipTexts } from "./execute-call.ts";
import type { Permission } from "./authorize-call.ts";

/** The fields of a skill call that are the same for every call of a run, nested calls included. */
export function callFields(
  context: RunContext,
): Pick<
  SkillCall,
  | "runId"
  | "conversationId"
  | "scheduleId"
  | "request"
  | "earlierMessages"
  | "person"
  | "scratchpad"
  | "now"
  | "timeZone"
  | "locale"
> {
  const { id: runId, conversationId, goal: request, scratchpad } = context.run();
  const { occurrence } = context.request;
  const person = context.state().context?.person;
  return {
    runId,
    conversationId,
    ...(occurrence && { scheduleId: occurrence.scheduleId }),
    request,
    earlierMessages: earlierMessages(context),
    ...(person !== undefined && { person }),
    scratchpad,
    now: context.now(),
    ...regionOf(context.request.request),
  };
}

/** The person's earlier messages in the conversation, and their answers to the questions of this run. */
function earlierMessages(context: RunContext): string[] {
  const turns = context.state().conversation.turns.filter(({ role }) => role === "person");
  const answers = [...context.continued, ...context.run().scratchpad].flatMap(({ action, observation }) => {
    const answer = action?.tool === ASK_SKILL ? observation?.outputs?.["answer"] : undefined;
    return typeof answer === "string" ? [answer] : [];
  });
  return [...turns.map(({ text }) => text), ...answers];
}

/** The reference time for dates in arguments: the time of the request, also after a restart. */
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
        const spans = dateSpans(words, tokenize(words), { now, ...region });
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

/** The maximum length of one argument in the audit log, in characters: enough to identify the call, not a copy of it. */
const MAX_CHARACTERS = 200;

export interface MadeCall {
  step: number;
  action: Action;
  skill: Skill | undefined;
  permission: Permission | undefined;
  observation: Observation;
  durationMs: number;
}

/** Writes the call to the audit log. Returns the error when the log cannot be written: the call itself has happened. */
export async function auditCall(call: MadeCall, context: RunContext): Promise<ErrorDetail | undefined> {
  const { step, action, skill, permission, observation, durationMs } = call;
  const allowed = permission?.kind === "allowed" ? permission : undefined;
  try {
    await context.audit("skill_called", {
      step,
      skill: action.tool,
      args: clipTexts(action.args, MAX_CHARACTERS),
      ...(skill && { effect: skill.effects }),
      ...(allowed && { allowedBy: allowed.by, grantId: allowed.grantId, approvalId: allowed.approvalId }),
      success: observation.success,
      ...(observation.error && { code: observation.error.code }),
      durationMs,
    });
    return undefined;
  } catch (error) {
    context.logError("The audit log could not be written.", error);
    return toErrorDetail(error);
  }
}
