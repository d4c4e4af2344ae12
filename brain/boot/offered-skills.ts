import type { Config } from "@metahuman/core/contract/config";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { Installation } from "./installation.ts";
import type { Skill } from "@metahuman/skills/define-skill";
import { functionRegister } from "@metahuman/skills/function-register/skill";
import { installedSkills } from "@metahuman/skills/installed";
import { shellSafe } from "@metahuman/skills/shell-safe/skill";
import { skillCard } from "@metahuman/skills/skill-card";
import { webSearch } from "@metahuman/skills/web-search/skill";

interface OfferedSkills {
  skills: readonly Skill[];
  /**
   * The descriptions for people and models, created on first use, because most runs need none. In an installation without folders, the
   * skills that need one are left out; a request for one of them gets an answer that says why it is unavailable.
   */
  cards(installation: Pick<Installation, "hasFolders">): readonly SkillCard[];
}

const needsFolder = (skill: Skill): boolean => skill.category === "git" || skill === shellSafe;

/** One list per combination of flags for the whole process, because compiled grammars are cached per list. */
const offers = new Map<string, OfferedSkills>();

/**
 * Returns the installed skills that are usable: no web search without a server, no function skills without
 * `useFunctions`, and no registration of functions without `autoLearn`.
 */
export function offeredSkills({ skills: { webSearch: search }, runtime, operator }: Config): OfferedSkills {
  const searches = search.url !== "";
  const { useFunctions } = runtime.operator;
  const { autoLearn } = operator.functions;
  const key = `${searches} ${useFunctions} ${autoLearn}`;
  const known = offers.get(key);
  if (known) return known;
  const skills = installedSkills.filter((skill) => {
    if (skill === webSearch) return searches;
    if (skill === functionRegister) return useFunctions && autoLearn;
    return useFunctions || skill.category !== "functions";
  });
  const offer = { skills, cards: cardsOf(skills) };
  offers.set(key, offer);
  return offer;
}

function cardsOf(skills: readonly Skill[]): OfferedSkills["cards"] {
  let all: readonly SkillCard[] | undefined;
  let withoutFolders: readonly SkillCard[] | undefined;
  return ({ hasFolders }) =>
    hasFolders
      ? (all ??= skills.map(skillCard))
      : (withoutFolders ??= skills.filter((skill) => !needsFolder(skill)).map(skillCard));
}
