import { copy } from "./copy.ts";
import { piecesOf, placeholder, sourcesIn } from "@metahuman/core/contract/placeholders";
import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";
import { isRecord } from "@metahuman/core/text/is-record";

/** What a recipe's value looks like in a field: text as it is, everything else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What was typed for an argument, or what is wrong with it; of an `input` that nobody knows, any value will do. */
export function readArgument(
  text: string,
  input: SkillInput | undefined,
): { value: unknown; problem?: undefined } | { problem: string } {
  const types = input?.type.split(" | ") ?? ["any"];
  if (types.includes("string")) return textOf(text, types.length === 1 ? input?.allowed : undefined);
  // A placeholder stands for whatever it is filled in with.
  if (sourcesIn(text).length > 0 && !/^\s*[[{"]/.test(text)) return { value: text };
  const value = looseValue(text);
  if (types.includes("any") || types.some((type) => isOf(value, type))) return { value };
  return { problem: copy.notOfType(types.join(" or ")) };
}

/** JSON where it is JSON, the text itself otherwise. */
export function looseValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** What is wrong with the placeholders of a value in the call at that place, counted from 0. */
export function placeholderProblem(
  value: unknown,
  at: number,
  skills: readonly string[],
  { parameters, card }: { parameters: readonly string[]; card: (skill: string) => SkillCard | undefined },
): string | undefined {
  for (const source of sourcesIn(value)) {
    if (source.kind === "parameter" && !parameters.includes(source.name))
      return copy.noParameter(source.name);
    if (source.kind !== "step") continue;
    const earlier = source.step <= at ? skills[source.step - 1] : undefined;
    if (earlier === undefined) return copy.notBefore(placeholder(source), source.step);
    const [field = ""] = source.field.split(".");
    if (card(earlier)?.outputs.includes(field) === false) return copy.noOutput(earlier, field);
  }
  return undefined;
}

/** The text with every `${steps.N.…}` counted anew. */
export function renumbered(text: string, numberOf: (step: number) => number): string {
  const pieces = piecesOf(text);
  const changes = pieces.some(
    (piece) => typeof piece !== "string" && piece.kind === "step" && numberOf(piece.step) !== piece.step,
  );
  if (!changes) return text;
  return pieces
    .map((piece) => {
      if (typeof piece === "string") return piece;
      return placeholder(piece.kind === "step" ? { ...piece, step: numberOf(piece.step) } : piece);
    })
    .join("");
}

function textOf(text: string, allowed: readonly string[] | undefined) {
  const fits = !allowed || allowed.includes(text) || sourcesIn(text).length > 0;
  return fits ? { value: text } : { problem: copy.oneOf(allowed.join(", ")) };
}

function isOf(value: unknown, type: string): boolean {
  if (type.endsWith("[]")) return Array.isArray(value);
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}
