import { plainIssue } from "@metahuman/core/contract/plain-issue";
import type { SkillShapes } from "@metahuman/core/functions/verify/argument-shapes";
import type { Skill } from "@metahuman/skills/define-skill";

/** What checks need to know of the installed skills, from their own schemas. */
export function skillShapes(skill: (id: string) => Skill | undefined): SkillShapes {
  return {
    has: (id) => skill(id) !== undefined,
    problems(id, args) {
      const parsed = skill(id)?.input.safeParse(args, { error: plainIssue });
      if (!parsed || parsed.success) return [];
      return parsed.error.issues.map(({ path, message }) => ({ path, message }));
    },
    hasOutput(id, field) {
      const [first = field] = field.split(".");
      return Object.hasOwn(skill(id)?.output.shape ?? {}, first);
    },
  };
}
