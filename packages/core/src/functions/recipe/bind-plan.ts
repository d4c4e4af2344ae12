import { escapeRegExp } from "../../text/words.ts";
import { isDeepStrictEqual } from "node:util";
import type { FunctionMemory } from "../../contract/function.ts";
import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import type { PlannedCall, PlannedValue } from "../../language/grammar/plan.ts";
import type { Bound } from "./bind-template.ts";
import { fillArgs } from "./instantiate.ts";
import { type Piece, piecesOf, placeholder } from "../../contract/placeholders.ts";

/**
 * Unifies a plan of the grammar with a recipe: the same calls in the same order, equal constants, references to the
 * same earlier calls, and one value per parameter. So a request in new words replays only what it says.
 */
export function bindByPlan(
  calls: readonly PlannedCall[],
  { recipe }: Pick<FunctionMemory, "recipe">,
  { skillGrammars, today }: { skillGrammars: readonly SkillGrammar[]; today: string },
): Bound | undefined {
  if (recipe?.actions.length !== calls.length) return undefined;
  const values: Record<string, unknown> = {};
  const derived: Unifying["derived"] = [];
  for (const [index, action] of recipe.actions.entries()) {
    const call = calls[index];
    if (call?.skill !== action.skill) return undefined;
    const names = Object.keys(call.args);
    if (names.some((name) => !Object.hasOwn(action.args, name))) return undefined;
    for (const [name, template] of Object.entries(action.args)) {
      const planned = call.args[name];
      // The request may leave out only what a parameter's default fills in.
      if (planned === undefined) {
        if (typeof template === "string" && isOneParameter(template)) continue;
        return undefined;
      }
      if (!unify(template, planned, { values, derived, calls, skillGrammars, today })) return undefined;
    }
  }
  for (const { pieces, value } of derived) if (!unifyText(pieces, value, { values, today })) return undefined;
  const literals = new Set(calls.flatMap((call) => call.clause.split(/\s+/))).size;
  return { values, literals, reason: "The skills plan the request as the function's calls." };
}

interface Unifying {
  values: Record<string, unknown>;
  /**
   * Texts that contain a part of another parameter, such as the name of a path. They are compared when that parameter
   * is known.
   */
  derived: { pieces: readonly Piece[]; value: string }[];
  calls: readonly PlannedCall[];
  skillGrammars: readonly SkillGrammar[];
  today: string;
}

function unify(template: unknown, planned: PlannedValue, unifying: Unifying): boolean {
  if (planned.from === "call") return haveSameReferent(template, planned, unifying);
  // A recipe carries out one request, independently of earlier ones.
  if (planned.from === "earlier" || planned.from === "answer") return false;
  if (typeof template !== "string") return isDeepStrictEqual(template, planned.value);
  const pieces = piecesOf(template);
  const only = pieces.length === 1 ? pieces[0] : undefined;
  if (only !== undefined && typeof only !== "string") {
    if (only.kind === "parameter" && !isPartOfPath(only))
      return bind(only.name, planned.value, unifying.values);
    if (only.kind !== "parameter") return only.kind === "today" && planned.value === unifying.today;
  }
  if (typeof planned.value !== "string") return false;
  if (!pieces.some(isPartOfPath)) return unifyText(pieces, planned.value, unifying);
  unifying.derived.push({ pieces, value: planned.value });
  return true;
}

/** Unifies a text with a template that has at most one parameter without a value. */
function unifyText(
  pieces: readonly Piece[],
  value: string,
  { values, today }: Pick<Unifying, "values" | "today">,
): boolean {
  const names: string[] = [];
  let pattern = "";
  for (const piece of pieces) {
    const isKnown = isPartOfPath(piece) || (pieces.some(isPartOfPath) && isBound(piece, values));
    if (typeof piece === "string") pattern += escapeRegExp(piece);
    else if (piece.kind === "today") pattern += escapeRegExp(today);
    else if (piece.kind === "step") return false;
    else if (isKnown) {
      const filled = fillArgs(
        { args: { text: placeholder(piece) } },
        { parameters: values, outputs: [], today },
      );
      if (!filled.ok) return false;
      pattern += escapeRegExp(String(filled.args["text"]).replace(/(?<=[^/])\/$/u, ""));
    } else if (names.length > 0) return false;
    else {
      names.push(piece.name);
      pattern += "(.+)";
    }
  }
  const found = new RegExp(`^${pattern}$`, "su").exec(value);
  if (found === null) return false;
  return names.every((name) => bind(name, found[1], values));
}

const isBound = (piece: Piece, values: Readonly<Record<string, unknown>>): boolean =>
  typeof piece === "object" && piece.kind === "parameter" && Object.hasOwn(values, piece.name);

const isPartOfPath = (piece: Piece): boolean =>
  typeof piece === "object" &&
  piece.kind === "parameter" &&
  (piece.form === "folder" || piece.form === "name" || piece.form === "stem");

function bind(name: string, value: unknown, values: Record<string, unknown>): boolean {
  if (Object.hasOwn(values, name)) return isDeepStrictEqual(values[name], value);
  values[name] = value;
  return true;
}

function haveSameReferent(
  template: unknown,
  planned: Extract<PlannedValue, { from: "call" }>,
  { calls, skillGrammars }: Unifying,
): boolean {
  if (typeof template !== "string" || planned.folder !== undefined) return false;
  const pieces = piecesOf(template);
  const only = pieces.length === 1 ? pieces[0] : undefined;
  if (only === undefined || typeof only === "string" || only.kind !== "step") return false;
  if (only.step !== planned.call + 1) return false;
  const results = skillGrammars.find(({ id }) => id === calls[planned.call]?.skill)?.results;
  switch (planned.take) {
    case "path":
      return only.field === results?.path;
    case "reference":
      return only.field === results?.reference?.[planned.kind ?? ""];
    case "text":
      return only.field === "content" && results?.text !== undefined;
    default:
      return planned.take satisfies never;
  }
}

function isOneParameter(template: string): boolean {
  const pieces = piecesOf(template);
  const [only] = pieces;
  return pieces.length === 1 && typeof only === "object" && only.kind === "parameter";
}
