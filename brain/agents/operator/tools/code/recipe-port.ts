import type { FunctionMemory } from "@metahuman/core/contract/function";
import { FunctionError } from "@metahuman/core/errors/sandbox-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { parseParameters } from "@metahuman/core/functions/parameters";
import { regionOf } from "@metahuman/core/contract/region";
import { withDefaults, type Bindings } from "@metahuman/core/functions/recipe/instantiate";
import { dayOf } from "@metahuman/core/functions/recipe/match-recipe";
import type { RecipePort, SkillPorts } from "@metahuman/skills/ports";
import { followRecipe, NameTaken, nameTaken } from "../../planners/replay/follow-recipe.ts";
import type { RunContext } from "../../loop/run-context.ts";
import { composingWriter } from "../../composer.ts";
import { type ParentCall, nestedCalls } from "./nested-calls.ts";

/** Runs recipes inside one call of a run; each action is a nested call, as for code. */
export function recipePort(parent: ParentCall, context: RunContext, ports: () => SkillPorts): RecipePort {
  const today = (): string => {
    const { timeZone } = regionOf(context.request.request);
    return dayOf({ now: new Date(context.run().createdAt), timeZone });
  };

  return {
    async run(followed, given, signal) {
      const grants = (followed.recipe?.actions ?? []).map(({ skill }) => skill);
      const answerWriter = composingWriter(context.composer, context.state());
      const call = nestedCalls(parent, grants, context, {
        ports: { ...ports(), answerWriter },
        portsWithin: ports,
        called: [],
        mayCompose: true,
      });
      const logs: string[] = [];
      let failure: MetahumanError | undefined;
      const recipe = followRecipe(followed, bound(followed, given, today()), context.skills);
      let next = recipe.next();
      while (!next.done) {
        signal.throwIfAborted();
        const { step, skill, args } = next.value;
        failure = undefined;
        const outputs = await call(skill, args, signal).catch((error: unknown) => {
          // An interruption keeps its own error; the error of a skill is reported with its step.
          if (signal.aborted || !(error instanceof MetahumanError)) throw error;
          failure = error;
          const taken = nameTaken(error);
          if (taken) return taken;
          throw unexpected(step, error.message, error);
        });
        if (!(outputs instanceof NameTaken)) logs.push(narrated(skill, outputs, context));
        next = recipe.next(outputs);
      }
      const end = next.value;
      if (end.kind === "deviation") throw unexpected(end.step, end.reason, failure);
      return { result: { steps: end.outputs }, logs };
    },
  };
}

/** The parameters, parsed and completed with defaults. Throws `InvalidArgsError` for those that are missing or wrong. */
function bound(
  { parameters }: Pick<FunctionMemory, "parameters">,
  given: Record<string, unknown>,
  today: string,
): Omit<Bindings, "outputs"> {
  const undefaulted = parameters.map(({ default: preset, ...rest }) =>
    preset === undefined ? rest : { ...rest, required: false },
  );
  const completed = withDefaults(parameters, parseParameters(undefaulted, given), today);
  if (completed.ok) return { parameters: completed.values, today };
  throw new InvalidArgsError(`The function needs ${completed.missing.join(", ")} as well.`);
}

function narrated(
  skill: string,
  outputs: Record<string, unknown>,
  { skills }: Pick<RunContext, "skills">,
): string {
  return skills.find(({ id }) => id === skill)?.narrate(outputs) ?? skill;
}

function unexpected(step: number, reason: string, cause?: MetahumanError): FunctionError {
  return new FunctionError(`Step ${step}: ${reason}`, {
    suggestions: ["The steps before it are done; continue from there with single calls."],
    ...(cause && { cause }),
  });
}
