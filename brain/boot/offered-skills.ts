import type { Config } from "@metahuman/core/contract/config";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { Skill } from "@metahuman/skills/define-skill";
import { functionRegister } from "@metahuman/skills/function-register/skill";
import { installedSkills } from "@metahuman/skills/installed";
import { skillCard } from "@metahuman/skills/skill-card";
import { webSearch } from "@metahuman/skills/web-search/skill";

interface Offer {
  skills: readonly Skill[];
  /** Described when somebody first asks: most runs never do. */
  cards(): readonly SkillCard[];
}

/** One list for each way the switches can stand, for a whole process: what is compiled from a list is kept by it. */
const made = new Map<string, Offer>();

/**
 * The installed skills that have what they need: without a search server nothing is offered that would need one, without
 * `useFunctions` nothing that has to do with functions, without `autoLearn` nothing that registers one.
 */
export function offeredSkills({ skills: { webSearch: search }, runtime, operator }: Config): Offer {
  const searches = search.url !== "";
  const { useFunctions } = runtime.operator;
  const { autoLearn } = operator.functions;
  const key = `${searches} ${useFunctions} ${autoLearn}`;
  const known = made.get(key);
  if (known) return known;
  const skills = installedSkills.filter((skill) => {
    if (skill === webSearch) return searches;
    if (skill === functionRegister) return useFunctions && autoLearn;
    return useFunctions || skill.category !== "functions";
  });
  const offer = { skills, cards: described(skills) };
  made.set(key, offer);
  return offer;
}

function described(skills: readonly Skill[]): () => readonly SkillCard[] {
  let cards: readonly SkillCard[] | undefined;
  return () => (cards ??= skills.map(skillCard));
}
