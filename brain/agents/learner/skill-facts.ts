import type { FactsOf, SkillFacts } from "@metahuman/core/functions/learning/learnable-run";
import type { Skill } from "@metahuman/skills/define-skill";
import { z } from "zod";
import { skillCard } from "@metahuman/skills/skill-card";

/** The names of arguments that are paths. */
const PATH_ARGUMENTS = /^(?:path|from|to|folder)$/;

/** The names of arguments that are prose. */
const TEXT_ARGUMENTS = /^(?:content|text)$/;

/** The properties of each skill that generalization needs. */
export function factsAbout(skills: readonly Skill[]): FactsOf {
  const known = new Map(skills.map((skill) => [skill.id, factsOf(skill)]));
  return (id) => known.get(id);
}

/** True for skills that ask, answer or search functions; they neither change nor read data of the task. */
export function controlsRun({ category, id }: Pick<Skill, "category" | "id">): boolean {
  return category === "agent" || (category === "functions" && id !== "execute_code");
}

function factsOf(skill: Skill): SkillFacts {
  const { inputs, category, effect, summary, id } = skillCard(skill);
  return {
    id,
    summary,
    controlsRun: controlsRun(skill),
    reads: effect === "read",
    finds: effect === "read" || effect === "network",
    defaults: Object.fromEntries(
      inputs.flatMap((input) => (input.default === undefined ? [] : [[input.name, input.default]])),
    ),
    fixedArgs: inputs.flatMap(({ name, allowed, type }) => (allowed || type === "boolean" ? [name] : [])),
    pathArgs:
      category === "files" ? inputs.flatMap(({ name }) => (PATH_ARGUMENTS.test(name) ? [name] : [])) : [],
    textArgs:
      effect === "write" ? inputs.flatMap(({ name }) => (TEXT_ARGUMENTS.test(name) ? [name] : [])) : [],
    optionalOutputs: optionalIn(skill.output),
    ...(id === "calculate" && { calculates: true }),
    ...(skill.results?.path !== undefined && { resultPath: skill.results.path }),
  };
}

const optionalIn = (output: Skill["output"]): string[] =>
  output instanceof z.ZodObject
    ? Object.entries(output.shape).flatMap(([name, field]) => (field instanceof z.ZodOptional ? [name] : []))
    : [];
