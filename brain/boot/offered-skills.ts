import type { SkillsConfig } from "@metahuman/core/contract/skills-config";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { Skill } from "@metahuman/skills/define-skill";
import { installedSkills } from "@metahuman/skills/installed";
import { skillCard } from "@metahuman/skills/skill-card";
import { webSearch } from "@metahuman/skills/web-search/skill";

interface Offer {
  skills: readonly Skill[];
  cards: readonly SkillCard[];
}

const offerOf = (skills: readonly Skill[]): Offer => ({ skills, cards: skills.map(skillCard) });

/** Two lists for a whole process: what is compiled from a list is kept by it. */
const everything = offerOf(installedSkills);
const withoutSearch = offerOf(installedSkills.filter((skill) => skill !== webSearch));

/** The installed skills that have what they need: without a search server nothing is offered that would need one. */
export function offeredSkills(config: SkillsConfig): Offer {
  return config.webSearch.url === "" ? withoutSearch : everything;
}
