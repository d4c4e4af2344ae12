import type { CodeDraft, Registered } from "@metahuman/core/contract/curation";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import { registerCode } from "@metahuman/skills/support/register-code";

/**
 * Stores code that a person wrote. A new function is verified; an existing name gets a proposal, which is verified when
 * it is accepted.
 */
export async function registerFunction(
  functions: FunctionsPort,
  draft: CodeDraft,
  actor: FunctionActor,
): Promise<Omit<Registered, "verification"> & Partial<Pick<Registered, "verification">>> {
  const registered = await registerCode(functions, draft, { actor, origin: "written" });
  if (registered.proposalId !== undefined) return registered;
  const { ok, checks } = await functions.verifyFunction(registered.id, actor);
  return { ...registered, verification: { ok, checks } };
}
