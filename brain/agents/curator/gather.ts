import type { CurationRequest } from "@metahuman/core/contract/curation";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";

/** What there is already. */
export interface Known {
  /** Functions like it that are verified and active, as examples: nobody looked at the others yet. */
  similar: readonly FunctionMemory[];
  /** The one that is to be improved. */
  existing: FunctionMemory | undefined;
}

const SIMILAR = 3;

/** What fails to be read stops everything: only what is known to be absent may be created. */
export async function gather(
  { userRequest, functionName }: CurationRequest,
  functions: FunctionsPort,
  signal: AbortSignal,
): Promise<Known> {
  const existing = await functions.findByName(functionName);
  const { items } = await functions.queryFunctions(userRequest, { limit: SIMILAR + 1, signal });
  const similar = items.map((item) => item.function).filter(({ id }) => id !== existing?.id);
  return { similar: similar.slice(0, SIMILAR), existing };
}

/** The same in words. */
export function gathered({ similar, existing }: Known): string {
  const known = existing ? `“${existing.title}” is there in version ${existing.version}` : "the name is free";
  return `${known}; like it: ${similar.map(({ title }) => `“${title}”`).join(", ") || "nothing"}`;
}
