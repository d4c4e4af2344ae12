import type { SkillGrammar } from "@metahuman/core/language/grammar/phrase";
import type { Skill } from "./define-skill.ts";

/** Returns the part of a skill that the grammar of the built-in planner uses. */
export function skillGrammar(skill: Skill): SkillGrammar {
  return {
    id: skill.id,
    reads: skill.effects === "read",
    phrases: skill.phrases,
    slots: skill.slots,
    ...(skill.finds && { finds: skill.finds }),
    ...(skill.results && { results: skill.results }),
    ...(skill.answers !== undefined && { answers: skill.answers }),
    ...(skill.keeps !== undefined && { keeps: skill.keeps }),
    ...(skill.views && { views: skill.views }),
    ...(skill.reverse && { reverse: skill.reverse }),
    ...(skill.amend && { amend: skill.amend }),
    ...(skill.moves && { moves: skill.moves }),
    ...(skill.checks && { checks: skill.checks }),
  };
}
