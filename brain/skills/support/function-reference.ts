import { FunctionId } from "@metahuman/core/contract/ids";
import {
  FunctionKind,
  type FunctionMemory,
  FunctionName,
  FunctionStatus,
  FunctionTrust,
} from "@metahuman/core/contract/function";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { PolicyDeniedError } from "@metahuman/core/errors/access-errors";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import { z } from "zod";

/** A reference to a function by id, name or title. */
export const FunctionReference = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe("The function's id, name or title");

/** The fields of each function in lists. */
export const FunctionOverview = z.strictObject({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  summary: z.string(),
  kind: FunctionKind,
  status: FunctionStatus,
  trust: FunctionTrust,
});

export function overviewOf(entry: FunctionMemory): z.infer<typeof FunctionOverview> {
  const { id, name, title, summary, kind, status, trust } = entry;
  return { id, name, title, summary, kind, status, trust };
}

/** How many functions are compared by title. */
export const MAX_TITLES = 50;

const titleOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^["'“‘](.*)["'”’]$/su, "$1")
    .replace(/[.!?]+$/u, "")
    .replace(/\s+/gu, " ")
    .trim();

/**
 * Returns the function with this id, name or title; letter case and quotation marks of a title do not count. Throws
 * `FunctionNotFoundError` with similar names, also if several functions have the title.
 */
export async function findFunction(functions: FunctionsPort, reference: string): Promise<FunctionMemory> {
  if (FunctionId.safeParse(reference).success) return functions.loadFunction(reference);
  const named = FunctionName.safeParse(reference).success ? await functions.findByName(reference) : undefined;
  if (named) return named;
  const title = titleOf(reference);
  const { items: listed } = await functions.listFunctions({ query: title, limit: MAX_TITLES });
  const titled = listed.filter((listedFunction) => titleOf(listedFunction.title) === title);
  const [only] = titled;
  if (titled.length === 1 && only) return only;
  if (titled.length > 1)
    throw new FunctionNotFoundError(`Several functions are called ${title}.`, {
      suggestions: titled.map(({ name }) => name),
    });
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
      suggestions: ["Use another function, or work step by step."],
    });
  if (isDirect || (trust === "verified" && status === "active")) return;
  throw new PolicyDeniedError(`“${title}” is not verified, so only a person can run it.`, {
    suggestions: ["Do it step by step, or ask the person to verify the function."],
  });
}
