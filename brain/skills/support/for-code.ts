import type { Skill } from "../define-skill.ts";

/** Skills that steer a run, or that run functions in turn, are none that code may call. */
export function isForCode({ category }: Pick<Skill, "category">): boolean {
  return category !== "agent" && category !== "functions";
}
