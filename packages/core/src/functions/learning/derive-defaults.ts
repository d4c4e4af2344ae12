import { isDeepStrictEqual } from "node:util";
import type { FunctionExample, FunctionParameter } from "../../contract/function.ts";

/** The number of runs that show what a parameter is when a request does not say. */
const MIN_RUNS = 3;

/**
 * The parameters with defaults for those that have the same value in all examples while others vary. A request may still say another one.
 * Days get no default. Undefined if nothing can be derived, or if there are fewer than three examples.
 */
export function deriveDefaults(
  parameters: readonly FunctionParameter[],
  examples: readonly Pick<FunctionExample, "parameters">[],
): FunctionParameter[] | undefined {
  if (examples.length < MIN_RUNS) return undefined;
  const valuesOf = (name: string): unknown[] => examples.map((one) => one.parameters?.[name]);
  if (!parameters.some(({ name, required }) => required && isVarying(valuesOf(name)))) return undefined;
  const result = parameters.map((parameter) => {
    const values = valuesOf(parameter.name);
    const [preset] = values;
    const mayVary = parameter.type === "date" || isVarying(values);
    if (!parameter.required || mayVary || preset === undefined) return parameter;
    return { ...parameter, required: false, default: preset };
  });
  return isDeepStrictEqual(result, parameters) ? undefined : result;
}

const isVarying = ([first, ...others]: readonly unknown[]): boolean =>
  others.some((one) => !isDeepStrictEqual(one, first));
