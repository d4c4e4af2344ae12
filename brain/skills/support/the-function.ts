import { FunctionId } from "@metahuman/core/contract/ids";
import { type FunctionMemory, FunctionName } from "@metahuman/core/contract/function";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { PolicyDeniedError } from "@metahuman/core/errors/access-errors";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import { z } from "zod";

/** How a function is meant: by its id, or by its name. */
export const FunctionReference = z.union([FunctionId, FunctionName]).describe("The function's id or name");

/** Throws `FunctionNotFoundError`, with the names of functions that sound alike. */
export async function theFunction(functions: FunctionsPort, reference: string): Promise<FunctionMemory> {
  if (FunctionId.safeParse(reference).success) return functions.loadFunction(reference);
  const found = await functions.findByName(reference);
  if (found) return found;
  const { items } = await functions.queryFunctions(reference.replaceAll("-", " "), { limit: 3 });
  throw new FunctionNotFoundError(`There is no function called ${reference}.`, {
    suggestions: items.map((item) => item.function.name),
  });
}

/**
 * Throws `PolicyDeniedError` unless the function may serve this call: the operator uses what is verified and active, a
 * person may try out anything that is not switched off.
 */
export function mustServe({ title, trust, status }: FunctionMemory, isDirect: boolean): void {
  if (status === "disabled" || status === "rejected")
    throw new PolicyDeniedError(`“${title}” is ${status}.`, {
      suggestions: ["Use another function, or do it step by step."],
    });
  if (isDirect || (trust === "verified" && status === "active")) return;
  throw new PolicyDeniedError(`“${title}” is not verified; only a person may use it until it is.`, {
    suggestions: ["Do it step by step, or ask the person to verify the function."],
  });
}
