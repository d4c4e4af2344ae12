import { isDeepStrictEqual } from "node:util";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { redact } from "@metahuman/core/log/redact";
import { readRequest } from "@metahuman/core/language/read-request";
import type { Skill } from "@metahuman/skills/define-skill";
import { leansOnEarlier, speechOf } from "../operator/planners/built-in/reading.ts";
import type { EndedRun } from "./ended-run.ts";

/** Why a run teaches nothing by itself; `undefined` when it may (design 5.4). */
export function reasonNotToLearn(ended: EndedRun): string | undefined {
  const { config, trustLevel } = ended;
  if (!config.autoLearn) return "Learning is switched off.";
  if (trustLevel === "observe" || trustLevel === "suggest")
    return "The profile's trust level does not allow it.";
  return reasonNothingIsInIt(ended, config.minSkillCalls);
}

/** Why there is nothing to learn from a run, whoever asks for it. */
export function reasonNothingIsInIt(
  { run, outcome, role, mode, skills, replay }: EndedRun,
  minSkillCalls: number,
): string | undefined {
  if (outcome !== "answered") return "The run was not answered.";
  if (role !== "owner" && role !== "member") return "Nobody is signed in.";
  if (mode === "emulation") return "Nothing is learned in emulation.";
  if (replay && replay.surprise === undefined) return "It replayed a function.";
  if (run.continues !== undefined) return "It continues another run: its steps are only a part of the work.";
  if (leftUndone(run.scratchpad, skills)) return "Part of what was asked was not done.";
  const calls = run.scratchpad.filter((entry) => succeeded(entry, skills));
  if (calls.length < minSkillCalls) return "It took too few calls.";
  const alone = readRequest(run.goal, speechOf(skills), { now: new Date(run.createdAt) });
  if (leansOnEarlier(alone)) return "It leans on what was said before it.";
  return undefined;
}

/**
 * True when the last call that was to do something failed, or a person refused one, and no later call of the same skill
 * made up for it: the request says more than what was done, and would promise it as the title of a function.
 */
function leftUndone(scratchpad: readonly ScratchpadEntry[], skills: readonly Skill[]): boolean {
  const calls = scratchpad.filter((entry) => entry.observation && doesSomething(entry, skills));
  return calls.some(({ action, observation }, place) => {
    if (observation?.success) return false;
    const isLast = place === calls.length - 1;
    if (!isLast && observation?.error?.code !== "APPROVAL_DENIED") return false;
    return !calls
      .slice(place + 1)
      .some((later) => later.action?.tool === action?.tool && later.observation?.success);
  });
}

/** Asking and answering do nothing. */
function doesSomething({ action }: ScratchpadEntry, skills: readonly Skill[]): boolean {
  const skill = skills.find(({ id }) => id === action?.tool);
  return skill !== undefined && skill.category !== "agent";
}

/** A call that did something and went well. */
function succeeded(entry: ScratchpadEntry, skills: readonly Skill[]): boolean {
  return entry.observation?.success === true && doesSomething(entry, skills);
}

/** True when something in it looks like a secret: such a thing is never stored. */
export function holdsSecret(value: unknown): boolean {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return !isDeepStrictEqual(redact(plain), plain);
}
