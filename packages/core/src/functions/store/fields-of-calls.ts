import { skillGrants } from "../../contract/code-grants.ts";
import type { FunctionContent, Recipe } from "../../contract/function.ts";
import { InvalidArgsError } from "../../errors/request-errors.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";
import { stepOfCall } from "../../text/step-of-call.ts";
import { COMPOSE_SKILL } from "../recipe/compose-steps.ts";

/** The summary of an installed skill. */
export type SummaryOf = (skill: string) => string | undefined;

type Action = Recipe["actions"][number];

/** The calls of a recipe as steps in words. */
export const stepsOfCalls = (actions: readonly Action[], summaryOf: SummaryOf): string[] =>
  actions.map((action) => stepOfCall(action, summaryOfCall(action.skill, summaryOf)));

/** What a call of a recipe does, in words. */
export const summaryOfCall = (skill: string, summaryOf: SummaryOf): string =>
  skill === COMPOSE_SKILL ? "Compose a text with a model each time" : (summaryOf(skill) ?? skill);

/**
 * The content with the steps and skills that its calls have, wherever they come from: a recipe has one step for each call, in the
 * words of a person or in those of its skill, and code uses the skills that it is granted. Throws `InvalidArgsError` for
 * a step of code that names a skill which the code does not call. Content whose calls and steps are those of `before` is unchanged.
 */
export function withFieldsOfCalls(
  content: FunctionContent,
  { before, summaryOf }: { before?: FunctionContent; summaryOf: SummaryOf },
): FunctionContent {
  if (before && isSameWork(before, content)) return content;
  const { kind, recipe, code } = content;
  if (kind === "recipe" && recipe)
    return {
      ...content,
      steps: stepsOfRecipe(content, recipe.actions, { before, summaryOf }),
      skillsUsed: [...new Set(recipe.actions.map(({ skill }) => skill))],
    };
  if (kind === "code" && code) {
    const skillsUsed = skillGrants(code.grants);
    for (const [index, step] of content.steps.entries()) {
      const named = skillNamedBy(step, summaryOf);
      if (named !== undefined && !skillsUsed.includes(named))
        throw new InvalidArgsError(
          `Step ${String(index + 1)} names ${named}, which the code does not call.`,
          {
            suggestions: ["Say in the step what the code does, or leave the step out."],
          },
        );
    }
    return { ...content, skillsUsed };
  }
  return content;
}

const isSameWork = (one: FunctionContent, other: FunctionContent): boolean =>
  canonicalJson(workOf(one)) === canonicalJson(workOf(other));

const workOf = ({ kind, steps, skillsUsed, recipe, code }: FunctionContent): unknown => ({
  kind,
  steps,
  skillsUsed,
  actions: recipe?.actions,
  code,
});

function stepsOfRecipe(
  { steps }: FunctionContent,
  actions: readonly Action[],
  { before, summaryOf }: { before: FunctionContent | undefined; summaryOf: SummaryOf },
): string[] {
  const fromCalls = stepsOfCalls(actions, summaryOf);
  const earlier = before?.recipe?.actions ?? [];
  if (before && canonicalJson(steps) === canonicalJson(before.steps)) {
    const wordsOf = new Map(
      steps.length === earlier.length ? earlier.map((call, at) => [callKey(call), steps[at]]) : [],
    );
    return actions.map((call, at) => wordsOf.get(callKey(call)) ?? fromCalls[at] ?? call.skill);
  }
  if (steps.length !== actions.length) return fromCalls;
  return actions.map(({ skill }, at) => {
    const written = steps[at] ?? skill;
    return (skillNamedBy(written, summaryOf) ?? skill) === skill ? written : (fromCalls[at] ?? skill);
  });
}

/** What a step says of a call: its expectations are left out. */
const callKey = ({ skill, args }: Action): string => canonicalJson([skill, args]);

/** The installed skill that a step names: `task_create` in "Create a task (task_create): title = Order epoxy". */
function skillNamedBy(step: string, summaryOf: SummaryOf): string | undefined {
  const named = /\(([a-z][a-z0-9_]*)\)(?::|$)/u.exec(step)?.[1];
  return named !== undefined && summaryOf(named) !== undefined ? named : undefined;
}
