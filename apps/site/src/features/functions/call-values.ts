import { copy } from "./copy.ts";
import { piecesOf, placeholder, sourcesIn } from "@metahuman/core/contract/placeholders";
import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";
import { isRecord } from "@metahuman/core/text/is-record";

/** Parses the text of an argument, or returns its problem; without a known `input`, any value is accepted. */
export function readArgument(
  text: string,
  input: SkillInput | undefined,
): { value: unknown; problem?: undefined } | { problem: string } {
  const types = input?.type.split(" | ") ?? ["any"];
  if (types.includes("string")) return textOf(text, types.length === 1 ? input?.allowed : undefined);
  // A placeholder may have any value.
  if (sourcesIn(text).length > 0 && !/^\s*[[{"]/.test(text)) return { value: text };
  const value = looseValue(text);
  if (types.includes("any") || types.some((type) => isOf(value, type))) return { value };
  return { problem: copy.notOfType(types.join(" or ")) };
}

/** Parses JSON; text that is not JSON is returned as it is. */
export function looseValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** Returns the problem of the placeholders in a call's value; `place` is the index of the call. */
export function placeholderProblem(
  value: unknown,
  index: number,
  skills: readonly string[],
  { parameters, card }: { parameters: readonly string[]; card: (skill: string) => SkillCard | undefined },
): string | undefined {
  for (const source of sourcesIn(value)) {
    if (source.kind === "parameter" && !parameters.includes(source.name))
      return copy.noParameter(source.name);
    if (source.kind !== "step") continue;
    const earlier = source.step <= index ? skills[source.step - 1] : undefined;
    if (earlier === undefined) return copy.notBefore(placeholder(source), source.step);
    const [field = ""] = source.field.split(".");
    if (card(earlier)?.outputs.includes(field) === false) return copy.noOutput(earlier, field);
  }
  return undefined;
}

/** Renumbers every `${steps.N.…}` of a text. */
export function renumbered(text: string, numberOf: (step: number) => number): string {
  const pieces = piecesOf(text);
  const hasChanges = pieces.some(
    (piece) => typeof piece !== "string" && piece.kind === "step" && numberOf(piece.step) !== piece.step,
  );
  if (!hasChanges) return text;
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
