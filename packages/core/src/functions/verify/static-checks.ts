import { FunctionContent, type Verification } from "../../contract/function.ts";
import { valueOrigins } from "../../contract/function-report.ts";
import { capitalize } from "../../text/format.ts";
import { plainIssue } from "../../contract/plain-issue.ts";
import { composeSteps } from "../recipe/compose-steps.ts";
import { contentHoldsSecret } from "../store/content-rules.ts";
import { recipeProblems, type SkillShapes } from "./argument-shapes.ts";
import { ORIGIN_CHECK } from "./proof.ts";

export type Check = Verification["checks"][number];

/** The checks that need only the function's content and the installed skills. */
export function staticChecks(content: FunctionContent, skills: SkillShapes): Check[] {
  return [
    schemaCheck(content),
    check("skills exist", unknownSkills(content, skills)),
    check("arguments fit", recipeProblems(content, skills)),
    check(
      "no secrets",
      contentHoldsSecret(content) ? ["It contains something that looks like a password, key or token."] : [],
    ),
    check("no hidden text", hiddenPlaces(content)),
    check("no instructions to the planner", instructions(content)),
    ...originCheck(content),
  ];
}

/** A check without problems passes. */
export function check(name: string, problems: readonly string[]): Check {
  if (problems.length === 0) return { name, ok: true };
  return { name, ok: false, detail: problems.slice(0, 20).join("\n") };
}

/** Reports the origin of each value of a learned function. It always passes. */
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
  for (const { skill } of content.recipe?.actions ?? [])
    if (!content.skillsUsed.includes(skill))
      problems.push(`Its skills do not list ${skill}, which it calls.`);
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
    .map(({ place }) => `${placeName(place)} contains invisible characters.`);
}

function instructions({ recipe, code: _code, examples, ...content }: FunctionContent): string[] {
  // A planner never sees fixtures. Arguments of a recipe are plain values, except the task of a composed text; those of a guide are shown.
  const tasks = [...composeSteps(recipe)].map((at) => recipe?.actions[at]?.args["goal"]);
  const values = recipe === undefined ? examples.map(({ parameters }) => parameters) : [];
  const shown = { ...content, prompts: examples.map(({ prompt }) => prompt), tasks, values };
  return textsIn(shown).flatMap(({ place, text }) => {
    const found = instructionIn(text);
    return found === undefined ? [] : [`${placeName(place)} reads like an order to the planner: “${found}”.`];
  });
}

const NUMBERED: Readonly<Record<string, string>> = { steps: "Step", prompts: "Example", tags: "Tag" };

/** A place in words, such as “Step 1”; its path in quotes if it has none. */
function placeName(place: string): string {
  const [field = "", index, ...rest] = place.split(".");
  const name = NUMBERED[field];
  if (name !== undefined && index !== undefined && rest.length === 0) return `${name} ${Number(index) + 1}`;
  return index === undefined ? capitalize(field) : `“${place}”`;
}

/** Every text in a value, with its path. */
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

/** Invisible and direction-changing characters, which a model reads and a person does not see. */
const HIDDEN =
  /[\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\u3164\uFEFF\uFFA0\u{E0000}-\u{E007F}]/u;
/** Control characters other than tab and line ends. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** True when a text contains hidden characters. Joiners inside words and emoji are allowed. */
function holdsHiddenText(text: string): boolean {
  return HIDDEN.test(text) || CONTROL.test(text);
}

/**
 * Sentences that address the model instead of describing a task (prompt injection). The list catches common copied forms
 * and cannot be complete; a person reads the text before promoting it.
 */
const FORMS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|earlier|above|prior|all|any|your|system|other)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|context)\b/isu,
  /\byou are (?:now|no longer)\b/iu,
  /\b(?:reveal|print|repeat|show|output|leak)\b.{0,30}\b(?:system prompt|hidden prompt|your instructions|your prompt)\b/isu,
  /<\/?\s*(?:system|assistant|instructions?|developer)\b[^>]{0,80}>/iu,
  /\[\/?(?:INST|SYS(?:TEM)?)\]|<<\/?SYS>>|<\|im_(?:start|end)\|>/iu,
  /^[^\S\n]*(?:system|assistant|developer)\s*:/imu,
  /\b(?:do not|don['’]?t|never|without)\b.{0,20}\b(?:tell|telling|inform|informing|ask|asking|mention|show)\b.{0,25}\b(?:user|person|owner|human)\b/isu,
  /\b(?:approve|promote|verify|register|grant|allow)\b.{0,40}\b(?:yourself|itself|automatically|without (?:asking|approval|confirmation))\b/isu,
  /\b(?:change|raise|set|switch)\b.{0,20}\b(?:trust level|policy|permissions?)\b/isu,
];

/** The first passage that looks like an instruction to the planner; undefined if there is none. */
function instructionIn(text: string): string | undefined {
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match) return match[0].slice(0, 80);
  }
  return undefined;
}
