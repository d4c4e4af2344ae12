import type {
  FunctionChange,
  FunctionExample,
  FunctionMemory,
  FunctionParameter,
  Recipe,
} from "../../contract/function.ts";
import { piecesOf, placeholder } from "../../contract/placeholders.ts";
import type { GeneralisedRun } from "./generalise-run.ts";

/** What another run of the same shape says about a function (anti-unification, Plotkin 1970). */
export type Widened =
  /** It does something else, however alike it looks. */
  | { kind: "different" }
  /** The function says it already. */
  | { kind: "same"; example: FunctionExample }
  /** The function that says both; `onlyWording` when it does the very same, and is only asked for in other words. */
  | {
      kind: "wider";
      change: FunctionChange;
      example: FunctionExample;
      reason: string;
      onlyWording: boolean;
    };

type Content = Pick<FunctionMemory, "recipe" | "parameters" | "examples">;

/** No function keeps more examples than these, the newest. */
const MOST_EXAMPLES = 8;

/** The least general function that covers what is known and the new run. */
export function widen({ recipe, parameters, examples }: Content, learned: GeneralisedRun): Widened {
  if (recipe === undefined || recipe.actions.length !== learned.actions.length) return { kind: "different" };
  const names = new Map<string, string>();
  const added: FunctionParameter[] = [];
  const earlier = new Map<string, unknown>();
  const actions: Recipe["actions"] = [];
  for (const [index, action] of recipe.actions.entries()) {
    const other = learned.actions[index];
    if (other?.skill !== action.skill || !haveSameArgs(action.args, other.args)) return { kind: "different" };
    const args: Record<string, unknown> = {};
    for (const [name, template] of Object.entries(action.args)) {
      const theirs = other.args[name];
      if (alike(template, theirs, names)) {
        args[name] = template;
        continue;
      }
      // A value that both requests said, each its own: what seemed fixed is a parameter.
      const parameter = parameterOf(theirs, learned);
      if (
        !parameter ||
        typeof template !== "string" ||
        !examples.every(({ prompt }) => prompt.includes(template))
      )
        return { kind: "different" };
      names.set(parameter.name, parameter.name);
      added.push(parameter);
      earlier.set(parameter.name, template);
      args[name] = placeholder({ kind: "parameter", name: parameter.name });
    }
    actions.push({ ...action, args });
  }
  const rename = (name: string): string => names.get(name) ?? name;
  const example = {
    ...learned.example,
    parameters: Object.fromEntries(
      Object.entries(learned.example.parameters ?? {}).map(([name, value]) => [rename(name), value]),
    ),
  };
  const template = learned.promptTemplate?.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${rename(name)}}`);
  const moved = movedDefaults(parameters, learned.parameters, names);
  const isNewTemplate = template !== undefined && !recipe.promptTemplates.includes(template);
  if (added.length === 0 && moved.length === 0 && !isNewTemplate) return { kind: "same", example };
  const known = examples.map((one) => ({
    ...one,
    parameters: { ...one.parameters, ...Object.fromEntries(earlier) },
  }));
  return {
    kind: "wider",
    example,
    onlyWording:
      added.length === 0 && moved.length === 0 && areCompatible(parameters, learned.parameters, names),
    reason: reasonFor(added, moved, template),
    change: {
      recipe: {
        // Templates in which a parameter is still a fixed word would bind it to nothing.
        promptTemplates: [
          ...(added.length > 0 ? [] : recipe.promptTemplates),
          ...(isNewTemplate ? [template] : []),
        ],
        actions,
      },
      parameters: [...parameters.map((one) => moved.find(({ name }) => name === one.name) ?? one), ...added],
      examples: [...known, example].slice(-MOST_EXAMPLES),
    },
  };
}

function haveSameArgs(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name));
}

/** True when two templates differ only in what their parameters are called; the names are noted. */
function alike(one: unknown, other: unknown, names: Map<string, string>): boolean {
  if (typeof one !== "string" || typeof other !== "string")
    return JSON.stringify(one) === JSON.stringify(other);
  const mine = piecesOf(one);
  const theirs = piecesOf(other);
  return (
    mine.length === theirs.length &&
    mine.every((piece, index) => {
      const counterpart = theirs[index];
      if (typeof piece === "string" || typeof counterpart === "string") return piece === counterpart;
      if (piece.kind !== "parameter" || counterpart?.kind !== "parameter")
        return counterpart !== undefined && placeholder(piece) === placeholder(counterpart);
      const known = names.get(counterpart.name);
      if (known !== undefined) return known === piece.name;
      names.set(counterpart.name, piece.name);
      return true;
    })
  );
}

/** Parameters that stand for each other are of one type. */
function areCompatible(
  parameters: readonly FunctionParameter[],
  theirs: readonly FunctionParameter[],
  names: ReadonlyMap<string, string>,
): boolean {
  return theirs.every(({ name, type }) => {
    const mine = parameters.find((one) => one.name === names.get(name));
    return mine === undefined || mine.type === type;
  });
}

function parameterOf(template: unknown, { parameters }: GeneralisedRun): FunctionParameter | undefined {
  if (typeof template !== "string") return undefined;
  const [only, ...more] = piecesOf(template);
  if (typeof only !== "object" || only.kind !== "parameter" || more.length > 0) return undefined;
  return parameters.find(({ name, required }) => name === only.name && required);
}

/** Parameters whose default was different this time: the newer habit counts. */
function movedDefaults(
  parameters: readonly FunctionParameter[],
  theirs: readonly FunctionParameter[],
  names: ReadonlyMap<string, string>,
): FunctionParameter[] {
  return theirs.flatMap((other) => {
    const mine = parameters.find(({ name }) => name === names.get(other.name));
    if (mine?.default === undefined || other.default === undefined) return [];
    return alike(mine.default, other.default, new Map(names)) ? [] : [{ ...mine, default: other.default }];
  });
}

function reasonFor(
  added: readonly FunctionParameter[],
  moved: readonly FunctionParameter[],
  template: string | undefined,
): string {
  if (added.length > 0) return `It also works with another ${added.map(({ name }) => name).join(" and ")}.`;
  if (moved.length > 0) return `The last time, ${moved.map(({ name }) => name).join(" and ")} was different.`;
  return `It is also asked for as “${template ?? ""}”.`;
}
