import type { FunctionMemory } from "@metahuman/core/contract/function";
import { FunctionError } from "@metahuman/core/errors/sandbox-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { parseParameters } from "@metahuman/core/functions/parameters";
import { regionOf } from "@metahuman/core/contract/region";
import { withDefaults, type Bindings } from "@metahuman/core/functions/recipe/instantiate";
import { dayOf } from "@metahuman/core/functions/recipe/match-recipe";
import type { RecipePort, SkillPorts } from "@metahuman/skills/ports";
import { afterAction, nextAction } from "../../planners/replay/next-action.ts";
import type { RunContext } from "../../loop/run-context.ts";
import { composingResponder } from "../../composer.ts";
import { type ParentCall, nestedCalls } from "./nested-calls.ts";

/** Carries recipes out inside one call of a run: each action passes the door, as the calls of code do. */
export function recipePort(carrying: ParentCall, context: RunContext, ports: () => SkillPorts): RecipePort {
  const today = (): string => {
    const { timeZone } = regionOf(context.request.request);
    return dayOf({ now: new Date(context.run().createdAt), timeZone });
  };

  return {
    async carryOut(followed, given, signal) {
      const grants = (followed.recipe?.actions ?? []).map(({ skill }) => skill);
      const responder = composingResponder(context.composer, context.state());
      const call = nestedCalls(carrying, grants, context, {
        ports: { ...ports(), responder },
        portsWithin: ports,
        called: [],
        mayCompose: true,
      });
      const logs: string[] = [];
      let bindings: Bindings = { ...bound(followed, given, today()), outputs: [] };
      for (;;) {
        signal.throwIfAborted();
        const next = nextAction(followed, bindings, context.skills);
        if (next.kind === "done") return { result: { steps: bindings.outputs }, logs };
        const step = bindings.outputs.length + 1;
        if (next.kind === "deviation") throw unexpected(step, next.reason);
        const outputs = await call(next.skill, next.args, signal).catch((error: unknown) => {
          // What stopped it is told as it is; what a skill refused is told with its place.
          if (signal.aborted || !(error instanceof MetahumanError)) throw error;
          throw unexpected(step, error.message, error);
        });
        logs.push(narrated(next.skill, outputs, context));
        const after = afterAction(followed, bindings, outputs);
        if (after.deviation !== undefined) throw unexpected(step, after.deviation);
        ({ bindings } = after);
      }
    },
  };
}

/** What was given, checked as a function's parameters are, with defaults that may name other values. */
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
    suggestions: ["What the steps before it did is done; go on from there by single calls."],
    ...(cause && { cause }),
  });
}
