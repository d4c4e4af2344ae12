import { isDeepStrictEqual } from "node:util";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { redact } from "@metahuman/core/log/redact";
import type { Skill } from "@metahuman/skills/define-skill";
import type { EndedRun } from "./ended-run.ts";

/** Why a run teaches nothing; `undefined` when it may (design 5.4). */
export function reasonNotToLearn(ended: EndedRun): string | undefined {
  const { run, outcome, role, mode, trustLevel, config, skills, replay } = ended;
  if (!config.autoLearn) return "Learning is switched off.";
  if (outcome !== "answered") return "The run was not answered.";
  if (role !== "owner" && role !== "member") return "Nobody is signed in.";
  if (mode === "emulation") return "Nothing is learned in emulation.";
  if (trustLevel === "observe" || trustLevel === "suggest")
    return "The profile's trust level does not allow it.";
  if (replay && replay.surprise === undefined) return "It replayed a function.";
  const calls = run.scratchpad.filter((entry) => succeeded(entry, skills));
  if (calls.length < config.minSkillCalls) return "It took too few calls.";
  return undefined;
}

/** A call that did something and went well; asking and answering do nothing. */
export function succeeded({ action, observation }: ScratchpadEntry, skills: readonly Skill[]): boolean {
  const skill = skills.find(({ id }) => id === action?.tool);
  return observation?.success === true && skill !== undefined && skill.category !== "agent";
}

/** True when something in it looks like a secret: such a thing is never stored. */
export function holdsSecret(value: unknown): boolean {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return !isDeepStrictEqual(redact(plain), plain);
}
