import type { Region } from "@metahuman/core/contract/region";
import type { Skill } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import { runWithTimeout } from "../operator/tools/with-timeout.ts";

/** No run of a profile has these: what happens in a scratch belongs to none. */
export const SCRATCH_RUN = "run-00000000000000000000000000";
const SHADOW_CONVERSATION = "conv-00000000000000000000000000";

export interface ScratchCall {
  /** From 1. */
  step: number;
  request: string;
  now: Date;
  region: Region;
  ports: SkillPorts;
  signal: AbortSignal;
}

/** Calls a skill in a scratch, under its own time limit. Throws what the skill throws, or the signal's reason. */
export async function callInScratch(
  skill: Skill,
  given: Readonly<Record<string, unknown>>,
  { step, request, now, region, ports, signal }: ScratchCall,
): Promise<Record<string, unknown>> {
  const args = skill.parse(given, { now, ...region, mentions: () => true });
  const assessment = await skill.assess(args, ports);
  return runWithTimeout(
    skill,
    (limited) =>
      skill.run(args, {
        ports,
        signal: limited,
        runId: SCRATCH_RUN,
        conversationId: SHADOW_CONVERSATION,
        idempotencyKey: `${SCRATCH_RUN}/${step}`,
        request,
        isDirect: false,
        reached: () => undefined,
        scratchpad: [],
        assessment,
        now,
        ...region,
      }),
    signal,
  );
}

/** Whether all that the skill does happens inside the workspace: no network, no programs, no agents. */
export function isContained({ effects, category }: Skill): boolean {
  return (
    (effects === "read" || effects === "write") &&
    category !== "web" &&
    category !== "git" &&
    category !== "system"
  );
}
