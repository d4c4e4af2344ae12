import { FunctionId } from "@metahuman/core/contract/ids";
import { type FunctionMemory, FunctionName } from "@metahuman/core/contract/function";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { PolicyDeniedError } from "@metahuman/core/errors/access-errors";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import { z } from "zod";

/** A reference to a function by id or name. */
export const FunctionReference = z.union([FunctionId, FunctionName]).describe("The function's id or name");

/** Returns the function. Throws `FunctionNotFoundError` with similar names. */
export async function findFunction(functions: FunctionsPort, reference: string): Promise<FunctionMemory> {
  if (FunctionId.safeParse(reference).success) return functions.loadFunction(reference);
  const found = await functions.findByName(reference);
  if (found) return found;
  const { items } = await functions.queryFunctions(reference.replaceAll("-", " "), { limit: 3 });
  throw new FunctionNotFoundError(`There is no function called ${reference}.`, {
    suggestions: items.map((item) => item.function.name),
  });
}

/**
 * Throws `PolicyDeniedError` unless the function may be used in this call: the operator uses verified and active
 * functions, a person any that is not disabled.
 */
export function assertUsable({ title, trust, status }: FunctionMemory, isDirect: boolean): void {
  if (status === "disabled" || status === "rejected")
    throw new PolicyDeniedError(`“${title}” is ${status}.`, {
      suggestions: ["Use another function, or do it step by step."],
    });
  if (isDirect || (trust === "verified" && status === "active")) return;
  throw new PolicyDeniedError(`“${title}” is not verified; only a person may use it until it is.`, {
    suggestions: ["Do it step by step, or ask the person to verify the function."],
  });
}
