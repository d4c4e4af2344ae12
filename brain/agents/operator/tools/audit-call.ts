import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { Action, Observation } from "@metahuman/core/contract/run";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { Skill } from "@metahuman/skills/define-skill";
import { clipped } from "./clip-values.ts";
import type { Permission } from "./authorize-call.ts";
import type { RunContext } from "../loop/run-context.ts";

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
      args: clipped(action.args, MAX_CHARACTERS),
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
