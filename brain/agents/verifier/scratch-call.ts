import type { Region } from "@metahuman/core/contract/region";
import type { Skill } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import { executeCall } from "../operator/tools/execute-call.ts";

/** Ids that no run or conversation of a profile has. */
export const SCRATCH_RUN = "run-00000000000000000000000000";
const SCRATCH_CONVERSATION = "conv-00000000000000000000000000";

export interface ScratchCall {
  /** From 1. */
  step: number;
  request: string;
  now: Date;
  region: Region;
  ports: SkillPorts;
  signal: AbortSignal;
}

/** Executes a call in a scratch environment, whose ports are its only limit: no approval, no audit. */
export function callInScratch(
  skill: Skill,
  args: Readonly<Record<string, unknown>>,
  { step, request, now, region, ports, signal }: ScratchCall,
): Promise<Record<string, unknown>> {
  return executeCall(skill, args, {
    argumentContext: { now, ...region, mentions: () => true },
    call: {
      ports,
      signal,
      runId: SCRATCH_RUN,
      conversationId: SCRATCH_CONVERSATION,
      idempotencyKey: `${SCRATCH_RUN}/${step}`,
      request,
      isDirect: false,
      reached: () => undefined,
      scratchpad: [],
      now,
      ...region,
    },
  });
}

/** True for a skill that acts inside the workspace only: no network, no programs, no Git. */
export function isContained({ effects, category }: Skill): boolean {
  return (
    (effects === "read" || effects === "write") &&
    category !== "web" &&
    category !== "git" &&
    category !== "system"
  );
}
