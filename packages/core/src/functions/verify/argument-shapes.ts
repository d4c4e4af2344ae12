import type { FunctionContent } from "../../contract/function.ts";
import { sourcesIn } from "../../contract/placeholders.ts";

export interface ArgumentProblem {
  path: readonly PropertyKey[];
  message: string;
}

/** The installed skills, for checks. */
export interface SkillShapes {
  has(skill: string): boolean;
  /** The schema problems of the arguments; empty when they are valid. */
  problems(skill: string, args: Record<string, unknown>): readonly ArgumentProblem[];
  /** True when the skill's output can have the field. Only the first segment of a dotted path counts. */
  hasOutput(skill: string, field: string): boolean;
}

/** The problems of a recipe's calls, one sentence each. */
export function recipeProblems(content: FunctionContent, skills: SkillShapes): string[] {
  const { recipe, parameters } = content;
  if (!recipe) return [];
  const declared = new Set(parameters.map(({ name }) => name));
  return recipe.actions.flatMap(({ skill, args, expect }, index) => {
    const place = `Action ${index + 1} (${skill})`;
    if (!skills.has(skill)) return [];
    const dangling = sourcesIn([args, expect]).flatMap((source) => {
      if (source.kind === "parameter" && !declared.has(source.name))
        return [`${place} names the parameter ${source.name}, which the function does not have.`];
      if (source.kind !== "step") return [];
      const earlier = source.step <= index ? recipe.actions[source.step - 1] : undefined;
      if (!earlier)
        return [`${place} takes something from action ${source.step}, which does not come before it.`];
      if (skills.has(earlier.skill) && !skills.hasOutput(earlier.skill, source.field))
        return [`${place} takes ${source.field} from ${earlier.skill}, which has no such output.`];
      return [];
    });
    const unfit = skills
      .problems(skill, args)
      // A placeholder can only be checked once it is filled in.
      .filter(({ path }) => sourcesIn(valueAt(args, path)).length === 0)
      .map(({ path, message }) => `${place}: ${path.map(String).join(".") || "arguments"}: ${message}`);
    return [...dangling, ...unfit];
  });
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    args,
  );
}
