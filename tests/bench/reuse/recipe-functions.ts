import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FunctionMemory, FunctionParameter } from "@metahuman/core/contract/function";
import { functionPath } from "@metahuman/core/functions/store/function-files";
import type { StoredFunction } from "@metahuman/core/functions/store/stored-function";
import type { ProfilePaths } from "@metahuman/core/paths/profile-paths";
import type { LabelledRecipe } from "./labelled-requests.ts";

const PRIORITIES: Readonly<Record<string, string>> = { low: "P3", normal: "P2", high: "P1" };
const SKILLS: Readonly<Record<string, string>> = { shell_exec: "shell_safe" };
const TYPES: Readonly<Record<LabelledRecipe["parameters"][number]["type"], FunctionParameter["type"]>> = {
  string: "string",
  number: "number",
  date: "date",
  path: "path",
  url: "string",
  enum: "string",
};

/** The recipe as a verified, active function. Its id is `number` in the order of the data. */
export function functionOf(recipe: LabelledRecipe, number: number): StoredFunction {
  const at = "2026-11-01T00:00:00.000Z";
  return {
    id: `func-20261101-${number.toString(36).padStart(6, "0")}`,
    name: recipe.id,
    title: recipe.functionPrompt.slice(0, 200),
    summary: recipe.summary,
    tags: [],
    steps: [recipe.summary],
    skillsUsed: [...new Set(recipe.actions.map(({ skill }) => SKILLS[skill] ?? skill))],
    examples: [{ prompt: recipe.functionPrompt, parameters: learnedValues(recipe) }],
    parameters: recipe.parameters.map(({ name, type, description, required, options }) => ({
      name,
      type: TYPES[type],
      description: options ? `One of: ${options.join(", ")}` : description,
      required,
    })),
    kind: "recipe",
    recipe: { promptTemplates: recipe.promptTemplates, actions: recipe.actions.map(actionOf) },
    trust: "verified",
    status: "active",
    origin: "learned",
    createdBy: "ada",
    createdAt: at,
    updatedAt: at,
    version: 1,
    scope: { agentId: "operator", userId: "ada" },
  };
}

/** Writes functions where a profile keeps them, as if they had been there before. */
export function storeFunctions(paths: ProfilePaths, functions: readonly StoredFunction[]): void {
  for (const stored of functions) {
    const path = join(paths.memory.functions, functionPath(stored));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(stored));
  }
}

function learnedValues({ parameters, learnedValues: values }: LabelledRecipe): Record<string, unknown> {
  return Object.fromEntries(parameters.map(({ name }) => [name, values[name]]));
}

type Action = NonNullable<FunctionMemory["recipe"]>["actions"][number];

/** The labelled data's arguments in the terms of the installed skills. */
function actionOf({ skill, args }: LabelledRecipe["actions"][number]): Action {
  if (skill === "json_update" && typeof args["pointer"] === "string") {
    const { pointer, value, ...rest } = args;
    const set = `${pointer.slice(1).replaceAll("/", ".")} = ${String(value)}`;
    return { skill, args: { ...rest, set }, expect: [] };
  }
  const priority = args["priority"];
  const known = typeof priority === "string" ? PRIORITIES[priority] : undefined;
  return {
    skill: SKILLS[skill] ?? skill,
    args: known === undefined ? args : { ...args, priority: known },
    expect: [],
  };
}
