import type { FunctionContent } from "../../contract/function.ts";
import { sourcesIn } from "../../contract/placeholders.ts";

/** What is wrong with one argument. */
export interface ArgumentProblem {
  path: readonly PropertyKey[];
  message: string;
}

/** What checks need to know of the installed skills. */
export interface SkillShapes {
  has(skill: string): boolean;
  /** What the skill's schema says against the arguments; empty when they fit. */
  problems(skill: string, args: Record<string, unknown>): readonly ArgumentProblem[];
  /** Whether the skill's output can have the field; a dotted place is judged by its beginning. */
  hasOutput(skill: string, field: string): boolean;
}

/** What is wrong with a recipe's calls as they are written, one sentence each. */
export function recipeProblems(content: FunctionContent, skills: SkillShapes): string[] {
  const { recipe, parameters } = content;
  if (!recipe) return [];
  const declared = new Set(parameters.map(({ name }) => name));
  return recipe.actions.flatMap(({ skill, args, expect }, at) => {
    const place = `Action ${at + 1} (${skill})`;
    if (!skills.has(skill)) return [];
    const dangling = sourcesIn([args, expect]).flatMap((source) => {
      if (source.kind === "parameter" && !declared.has(source.name))
        return [`${place} names the parameter ${source.name}, which the function does not have.`];
      if (source.kind !== "step") return [];
      const earlier = source.step <= at ? recipe.actions[source.step - 1] : undefined;
      if (!earlier)
        return [`${place} takes something from action ${source.step}, which does not come before it.`];
      if (skills.has(earlier.skill) && !skills.hasOutput(earlier.skill, source.field))
        return [`${place} takes ${source.field} from ${earlier.skill}, which gives no such thing.`];
      return [];
    });
    const unfit = skills
      .problems(skill, args)
      // What stands for a value cannot be judged before it is filled in.
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
