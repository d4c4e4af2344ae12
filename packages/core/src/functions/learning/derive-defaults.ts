import { isDeepStrictEqual } from "node:util";
import type { FunctionExample, FunctionParameter } from "../../contract/function.ts";
import { placeholder, sourcesIn } from "../../contract/placeholders.ts";
import { containsWords, replaceInPieces } from "./text-pieces.ts";

/** The number of runs that show what a parameter is when a request does not say. */
const MIN_RUNS = 3;
const MIN_LENGTH = 3;

/**
 * The parameters with defaults for those whose values all examples show to be the same text, or a constant text with the value of
 * another parameter: "call Anna Berg" beside "Anna Berg" in every run is `call ${name}`. A request may still say another one. Days
 * get no default. Undefined if nothing can be derived, or if there are fewer than three examples.
 */
export function deriveDefaults(
  parameters: readonly FunctionParameter[],
  examples: readonly Pick<FunctionExample, "parameters">[],
): FunctionParameter[] | undefined {
  if (examples.length < MIN_RUNS) return undefined;
  const valuesOf = (name: string): unknown[] => examples.map((one) => one.parameters?.[name]);
  const derived = new Set<string>();
  const used = new Set<string>();
  const result = parameters.map((parameter) => {
    const values = valuesOf(parameter.name);
    const mayVary = parameter.type === "date" || used.has(parameter.name);
    if (!parameter.required || mayVary || values.includes(undefined)) return parameter;
    const others = parameters.filter(
      ({ name, required }) => required && name !== parameter.name && !derived.has(name),
    );
    const varying = others.filter(({ name }) => isVarying(valuesOf(name)));
    const preset = isVarying(values) ? templateFor(values, varying, valuesOf) : values[0];
    if (preset === undefined || varying.length === 0) return parameter;
    derived.add(parameter.name);
    for (const source of sourcesIn(preset)) if (source.kind === "parameter") used.add(source.name);
    return { ...parameter, required: false, default: preset };
  });
  return derived.size > 0 ? result : undefined;
}

const isVarying = ([first, ...others]: readonly unknown[]): boolean =>
  others.some((one) => !isDeepStrictEqual(one, first));

/** The one text with the value of another parameter that all values are. */
function templateFor(
  values: readonly unknown[],
  others: readonly FunctionParameter[],
  valuesOf: (name: string) => unknown[],
): string | undefined {
  for (const { name, type } of others) {
    if (type !== "string") continue;
    const parts = valuesOf(name);
    const templates = values.map((value, index) => {
      const part = parts[index];
      if (typeof value !== "string" || typeof part !== "string" || part.length < MIN_LENGTH) return undefined;
      if (value === part || !containsWords(value, part)) return undefined;
      return replaceInPieces([value], part, { slot: placeholder({ kind: "parameter", name }) })
        .map((piece) => (typeof piece === "string" ? piece : piece.slot))
        .join("");
    });
    const [template] = templates;
    if (template !== undefined && !isVarying(templates)) return template;
  }
  return undefined;
}
