import type { FunctionMemory, Recipe } from "@metahuman/core/contract/function";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import {
  type Bindings,
  fillPlaceholders,
  fillArgs,
  optionalNames,
  unmetExpectations,
} from "@metahuman/core/functions/recipe/instantiate";
import { chooseOption } from "@metahuman/core/language/grammar/choose-option";
import { IMPORTED } from "@metahuman/core/workspace/imported-files";
import type { Skill } from "@metahuman/skills/define-skill";

/** A call of a recipe with its arguments. */
export interface RecipeCall {
  /** From 1. */
  step: number;
  skill: string;
  args: Record<string, unknown>;
}

/** A call failed because its name is taken, and another name is free. */
export class NameTaken {
  readonly free: string;
  readonly reason: string;
  constructor(free: string, reason: string) {
    this.free = free;
    this.reason = reason;
  }
}

/** The free name in the error of a call; undefined for other errors. */
export function nameTaken({
  code,
  message,
  suggestions,
}: {
  code: string;
  message: string;
  suggestions?: readonly string[] | undefined;
}): NameTaken | undefined {
  const free = code === "ALREADY_EXISTS" ? suggestions?.[0] : undefined;
  return free === undefined ? undefined : new NameTaken(free, message);
}

export type RecipeEnd =
  | { kind: "done"; outputs: readonly Record<string, unknown>[] }
  | { kind: "deviation"; step: number; reason: string };

/**
 * Interprets a recipe: yields each call, receives its outputs, and returns after the last call or at the first
 * deviation: an argument without a value, an ambiguous choice, or unexpected outputs. It makes no calls itself, so
 * replays, called functions and the verifier share this interpreter. If the name of a file is a constant of the recipe
 * and is taken, the call is yielded again with a free, numbered name, which later calls use, too; so a recipe can be
 * repeated.
 */
export function* followRecipe(
  { recipe, parameters }: Pick<FunctionMemory, "recipe" | "parameters">,
  values: Omit<Bindings, "outputs">,
  skills: readonly Skill[],
): Generator<RecipeCall, RecipeEnd, Record<string, unknown> | NameTaken> {
  const actions = recipe?.actions ?? [];
  const renamed: Renamed[] = [];
  const optional = optionalNames(parameters);
  const outputs: Record<string, unknown>[] = [];
  const bindings: Bindings = { ...values, outputs };
  for (const [index, action] of actions.entries()) {
    const step = index + 1;
    const deviation = (reason: string) => ({ kind: "deviation", step, reason }) as const;
    const unclear = unclearChoice(action, actions, bindings, skills);
    if (unclear !== undefined) return deviation(unclear);
    const filled = fillArgs(action, bindings, optional);
    if (!filled.ok) return deviation(`${filled.missing.join(", ")} was not found.`);
    let args = withNewNames(filled.args, renamed);
    let output = yield { step, skill: action.skill, args };
    for (let attempts = 1; output instanceof NameTaken; attempts += 1) {
      const name = recipe && ownName(recipe, action, args);
      if (name === undefined || attempts > MAX_NAMES) return deviation(output.reason);
      renamed.push({ asked: filled.args[name], free: output.free });
      args = { ...args, [name]: output.free };
      output = yield { step, skill: action.skill, args };
    }
    const [unmet] = unmetExpectations(
      action.expect,
      withOldNames(beforeImport(output, args), renamed),
      bindings,
    );
    if (unmet !== undefined) return deviation(unmet);
    outputs.push(output);
  }
  return { kind: "done", outputs };
}

/** The maximum number of names to try. */
const MAX_NAMES = 3;

/** A name of the recipe and the free name that replaces it. */
interface Renamed {
  asked: unknown;
  free: string;
}

/** The argument with the name of a call's result, if the name is a constant of the recipe. */
function ownName(
  { promptTemplates }: Recipe,
  { args: templates }: Recipe["actions"][number],
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  const name = typeof args["to"] === "string" ? "to" : "path";
  const value = args[name];
  if (typeof value !== "string" || sourcesIn(templates[name]).some(({ kind }) => kind !== "today"))
    return undefined;
  const file = baseOf(value);
  return promptTemplates.some((template) => template.includes(file)) ? undefined : name;
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function withNewNames(
  args: Readonly<Record<string, unknown>>,
  renamed: readonly Renamed[],
): Record<string, unknown> {
  const latest = (value: unknown): unknown =>
    typeof value === "string" ? (renamed.findLast(({ asked }) => asked === value)?.free ?? value) : value;
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, latest(value)]));
}

/** The outputs with the path in `inbox/` that was asked for, where the import of files has moved the file. */
function beforeImport(
  output: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const asked = Object.values(args).filter((value) => typeof value === "string");
  const asAsked = (value: unknown): unknown => {
    const [, below] = (typeof value === "string" && IMPORTED_FILE.exec(value)) || [];
    return asked.find((path) => path === `inbox/${below ?? ""}`) ?? value;
  };
  return Object.fromEntries(Object.entries(output).map(([name, value]) => [name, asAsked(value)]));
}

const IMPORTED_FILE = new RegExp(`^${IMPORTED}/[^/]+/(.+)$`, "u");

/** The outputs with the original name, for comparison with the expectations. */
function withOldNames(
  output: Readonly<Record<string, unknown>>,
  renamed: readonly Renamed[],
): Record<string, unknown> {
  const asAsked = (value: unknown): unknown => {
    const one = renamed.find(({ free }) => free === value);
    return one === undefined
      ? value
      : `${one.free.slice(0, one.free.lastIndexOf("/") + 1)}${baseOf(String(one.asked))}`;
  };
  return Object.fromEntries(Object.entries(output).map(([name, value]) => [name, asAsked(value)]));
}

/**
 * The reason why the target of a change is ambiguous. As in a request, a search result is used only if exactly one
 * matches the words; otherwise the person chooses.
 */
function unclearChoice(
  action: Recipe["actions"][number],
  actions: Recipe["actions"],
  { outputs, parameters }: Bindings,
  skills: readonly Skill[],
): string | undefined {
  for (const source of sourcesIn(action.args)) {
    if (source.kind !== "step") continue;
    const lookUp = actions[source.step - 1];
    const finds = skills.find(({ id }) => id === lookUp?.skill)?.finds;
    const found = outputs[source.step - 1];
    if (finds === undefined || found === undefined) continue;
    const words = fillPlaceholders(lookUp?.args[finds.by], { parameters, outputs: [], today: "" }).value;
    const choice = chooseOption(typeof words === "string" ? words : "", finds.candidates(found));
    if (choice.kind !== "one") return `it is not clear which ${finds.kind} is meant.`;
  }
  return undefined;
}
