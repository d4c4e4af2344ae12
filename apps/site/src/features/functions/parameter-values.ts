import { piecesOf, sourceLabel } from "@metahuman/core/contract/placeholders";
import { capitalize } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";
import { copy } from "./copy.ts";
import type { FunctionParameter } from "@metahuman/core/contract/function";

/** The typed value of each parameter, by name; a checked box is "true". */
export type Typed = Readonly<Record<string, string>>;

/** The label of a parameter's field: "fileName" → "File name". */
export function parameterLabel(name: string): string {
  const words = name.replaceAll(/[_-]+/gu, " ").replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return capitalize(words.toLowerCase());
}

/** Parses the typed values of a function's parameters, or returns the problems by name. */
export function readParameters(
  parameters: readonly FunctionParameter[],
  typed: Typed,
): { values: Record<string, unknown>; problems: Record<string, string> } {
  const values: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const parameter of parameters) {
    const { name, type, required } = parameter;
    const text = (typed[name] ?? "").trim();
    if (type === "boolean") values[name] = text === "true";
    else if (text === "") {
      if (required) problems[name] = copy.required;
    } else {
      const read = readValue(type, text);
      if (read.problem === undefined) values[name] = read.value;
      else problems[name] = read.problem;
    }
  }
  return { values, problems };
}

function readValue(
  type: FunctionParameter["type"],
  text: string,
): { value: unknown; problem?: undefined } | { problem: string } {
  switch (type) {
    case "number": {
      const value = Number(text);
      return Number.isFinite(value) ? { value } : { problem: copy.notANumber };
    }
    case "list":
      // A list of words can be typed without brackets.
      return text.startsWith("[")
        ? readJson(text, Array.isArray, copy.notAList)
        : { value: text.split(",").map((word) => word.trim()) };
    case "object":
      return readJson(text, isRecord, copy.notAnObject);
    case "boolean":
    case "string":
    case "path":
    case "date":
      return { value: text };
    default:
      return type satisfies never;
  }
}

function readJson(
  text: string,
  fits: (value: unknown) => boolean,
  problem: string,
): { value: unknown } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? { value } : { problem };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem };
    throw error;
  }
}

/**
 * The initial text of a parameter's field: its default. A default that is made of other values is left out, as the server
 * makes it when the function runs.
 */
export function presetText(parameter: FunctionParameter): string {
  const text = defaultText(parameter);
  return hasSource(text) ? "" : text;
}

/** How the server makes the default from other values, in words; absent for a default that is the same for each run. */
export function madeDefault(parameter: FunctionParameter): string | undefined {
  const text = defaultText(parameter);
  if (!hasSource(text)) return undefined;
  return piecesOf(text)
    .map((piece) => (typeof piece === "string" ? piece : `‹${sourceLabel(piece)}›`))
    .join("");
}

function defaultText({ default: preset }: FunctionParameter): string {
  if (preset === undefined) return "";
  return typeof preset === "string" ? preset : JSON.stringify(preset);
}

const hasSource = (text: string): boolean => piecesOf(text).some((piece) => typeof piece !== "string");
