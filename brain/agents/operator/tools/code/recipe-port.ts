import type { FunctionMemory } from "@metahuman/core/contract/function";
import { FunctionError } from "@metahuman/core/errors/sandbox-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { parseParameters } from "@metahuman/core/functions/parameters";
import { formatCount } from "@metahuman/core/text/format";
import { regionOf } from "@metahuman/core/contract/region";
import { withDefaults, type Bindings } from "@metahuman/core/functions/recipe/instantiate";
import type { CodeCall, RecipePort, SkillPorts } from "@metahuman/skills/ports";
import { followRecipe, NameTaken, nameTaken } from "../../planners/replay/follow-recipe.ts";
import type { RunContext } from "../../loop/run-context.ts";
import { composingWriter } from "../../composer.ts";
import { type ParentCall, nestedCalls } from "./nested-calls.ts";
import { localDay } from "@metahuman/core/language/dates/clock";

/** Runs recipes inside one call of a run; each action is a nested call, as for code. */
export function recipePort(parent: ParentCall, context: RunContext, ports: () => SkillPorts): RecipePort {
  const today = (): string => {
    const { timeZone } = regionOf(context.request.request);
    return localDay(context.run().createdAt, timeZone);
  };

  return {
    async run(recipeFunction, values, signal) {
      const grants = (recipeFunction.recipe?.actions ?? []).map(({ skill }) => skill);
      const answerWriter = composingWriter(context.composer, context.state());
      const calls: CodeCall[] = [];
      const call = nestedCalls(parent, grants, context, {
        ports: { ...ports(), answerWriter },
        portsWithin: ports,
        called: [],
        mayCompose: true,
        onChange: (one) => calls.push(one),
      });
      const logs: string[] = [];
      let lastError: MetahumanError | undefined;
      let done = 0;
      const bindings = bindParameters(recipeFunction, values, today());
      const interpreter = followRecipe(recipeFunction, bindings, context.skills);
      let next = interpreter.next();
      while (!next.done) {
        signal.throwIfAborted();
        const { step, skill, args } = next.value;
        lastError = undefined;
        const outputs = await call(skill, args, signal).catch((error: unknown) => {
          // An interruption keeps its own error; the error of a skill is reported with its step.
          if (signal.aborted || !(error instanceof MetahumanError)) throw error;
          lastError = error;
          const taken = nameTaken(error);
          if (taken) return taken;
          throw stepError({ step, reason: error.message }, done, error);
        });
        if (!(outputs instanceof NameTaken)) {
          done += 1;
          logs.push(sentenceFor(skill, outputs, context));
        }
        next = interpreter.next(outputs);
      }
      const end = next.value;
      if (end.kind === "deviation") throw stepError(end, done, lastError);
      return { result: { steps: end.outputs }, logs, ...(calls.length > 0 && { calls }) };
    },
  };
}

/** The parameters, parsed and completed with defaults. Throws `InvalidArgsError` for those that are missing or wrong. */
function bindParameters(
  { parameters }: Pick<FunctionMemory, "parameters">,
  values: Record<string, unknown>,
  today: string,
): Omit<Bindings, "outputs"> {
  const withoutDefaults = parameters.map(({ default: preset, ...rest }) =>
    preset === undefined ? rest : { ...rest, required: false },
  );
  const completed = withDefaults(parameters, parseParameters(withoutDefaults, values), today);
  if (completed.ok) return { parameters: completed.values, today };
  throw new InvalidArgsError(`The function also needs ${completed.missing.join(" and ")}.`);
}

function sentenceFor(
  skill: string,
  outputs: Record<string, unknown>,
  { skills, request }: Pick<RunContext, "skills" | "request">,
): string {
  return skills.find(({ id }) => id === skill)?.narrate(outputs, regionOf(request.request)) ?? skill;
}

/** The error of a step, with what the failed call suggests and how many calls need not be made again. */
function stepError(
  { step, reason }: { step: number; reason: string },
  done: number,
  cause?: MetahumanError,
): FunctionError {
  const next =
    done === 0
      ? "No step is done. The steps can be carried out one by one."
      : `${formatCount(done, "step")} ${done === 1 ? "is" : "are"} done. The others can be carried out one by one.`;
  return new FunctionError(`Step ${step}: ${reason}`, {
    suggestions: [...(cause?.suggestions ?? []), next],
    ...(cause && { cause }),
  });
}
