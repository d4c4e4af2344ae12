import type { Region } from "@metahuman/core/contract/region";
import type { Skill } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import { type AuthorizedCall, executeCall, outputsOf } from "../operator/tools/execute-call.ts";

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

/** Executes a call in a scratch environment. Its ports reach nothing else, so every call is allowed and none is audited. */
export function callInScratch(
  skill: Skill,
  args: Readonly<Record<string, unknown>>,
  { step, request, now, region, ports, signal }: ScratchCall,
): Promise<Record<string, unknown>> {
  const call: AuthorizedCall = {
    ports,
    runId: SCRATCH_RUN,
    conversationId: SCRATCH_CONVERSATION,
    idempotencyKey: `${SCRATCH_RUN}/${step}`,
    request,
    isDirect: false,
    scratchpad: [],
    now,
    ...region,
  };
  return outputsOf(
    executeCall(skill, args, {
      argumentContext: { now, ...region, mentions: () => true },
      ports,
      signal,
      authorize: async () => call,
    }),
  );
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
