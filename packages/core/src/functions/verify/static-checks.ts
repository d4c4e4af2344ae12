import { FunctionContent } from "../../contract/function.ts";
import type { Verification } from "../../contract/function.ts";
import { valueOrigins } from "../../contract/function-report.ts";
import { plainIssue } from "../../contract/plain-issue.ts";
import { composeSteps } from "../recipe/compose-steps.ts";
import { holdsSecret } from "../store/content-rules.ts";
import { recipeProblems } from "./argument-shapes.ts";
import type { SkillShapes } from "./argument-shapes.ts";
import { holdsHiddenText } from "./hidden-text.ts";
import { instructionIn } from "./instruction-text.ts";
import { ORIGIN_CHECK } from "./proof.ts";

export type Check = Verification["checks"][number];

/** The checks that need nothing but the function itself and the list of skills (design 5.5, "all"). */
export function staticChecks(content: FunctionContent, skills: SkillShapes): Check[] {
  return [
    schemaCheck(content),
    check("skills exist", unknownSkills(content, skills)),
    check("arguments fit", recipeProblems(content, skills)),
    check("no secrets", holdsSecret(content) ? ["Something in it looks like a password, key or token."] : []),
    check("no hidden text", hiddenPlaces(content)),
    check("no instructions to the planner", instructions(content)),
    ...originCheck(content),
  ];
}

/** A check passes when nothing speaks against it. */
export function check(name: string, problems: readonly string[]): Check {
  if (problems.length === 0) return { name, ok: true };
  return { name, ok: false, detail: problems.slice(0, 20).join("\n") };
}

/** Tells where each value of a learned function comes from; it speaks against none. */
function originCheck(content: FunctionContent): Check[] {
  const origins = valueOrigins(content);
  return origins.length === 0 ? [] : [{ name: ORIGIN_CHECK, ok: true, detail: origins.join("\n") }];
}

function schemaCheck(content: FunctionContent): Check {
  const parsed = FunctionContent.safeParse(content, { error: plainIssue });
  const issues = parsed.success ? [] : parsed.error.issues;
  const problems = issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
  if (content.kind === "recipe" && !content.recipe) problems.push("A recipe has no actions.");
  if (content.kind === "code" && !content.code) problems.push("A code function has no code.");
  if (content.kind === "guide" && content.steps.length === 0) problems.push("A guide has no steps.");
  return check("schema", problems);
}

function unknownSkills(content: FunctionContent, skills: SkillShapes): string[] {
  const named = [...content.skillsUsed, ...(content.recipe?.actions.map(({ skill }) => skill) ?? [])];
  return [...new Set(named)]
    .filter((skill) => !skills.has(skill))
    .map((skill) => `There is no skill ${skill}.`);
}

function hiddenPlaces(content: FunctionContent): string[] {
  return textsIn(content)
    .filter(({ text }) => holdsHiddenText(text))
    .map(({ place }) => `${place} holds characters that cannot be seen.`);
}

function instructions({ recipe, code: _code, examples, ...content }: FunctionContent): string[] {
  // A fixture is the state of a workspace, never shown to a planner; arguments are values of calls, but for the task of
  // a text that a model composes.
  const tasks = [...composeSteps(recipe)].map((at) => recipe?.actions[at]?.args["goal"]);
  const shown = { ...content, prompts: examples.map(({ prompt }) => prompt), tasks };
  return textsIn(shown).flatMap(({ place, text }) => {
    const found = instructionIn(text);
    return found === undefined ? [] : [`${place} reads like an order to the planner: “${found}”.`];
  });
}

/** Every text in a value with the place it stands at. */
function textsIn(value: unknown, place = ""): { place: string; text: string }[] {
  if (typeof value === "string") return [{ place, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const inner = place === "" ? key : `${place}.${key}`;
    const named: { place: string; text: string }[] = Array.isArray(value)
      ? []
      : [{ place: inner, text: key }];
    return [...named, ...textsIn(part, inner)];
  });
}
