import type { CodeDraft, Registered } from "@metahuman/core/contract/curation";
import { grantsNeeded, skillGrants } from "@metahuman/core/contract/grants";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { Profile } from "./brain.ts";
import { registerCode } from "@metahuman/skills/support/register-code";

/**
 * Stores code that a person wrote. A new function is verified; an existing name gets a proposal, which is verified when
 * it is accepted.
 */
export async function registerFunction(
  { functions, inspectCode }: { functions: FunctionsPort } & Pick<Profile, "inspectCode">,
  draft: CodeDraft,
  actor: FunctionActor,
): Promise<Omit<Registered, "verification"> & Partial<Pick<Registered, "verification">>> {
  const grants = draft.grants ?? (await grantsOf(draft, inspectCode));
  const registered = await registerCode(functions, { ...draft, grants }, { actor, origin: "written" });
  if (registered.proposalId !== undefined) return registered;
  const { ok, checks } = await functions.verifyFunction(registered.id, actor);
  return { ...registered, verification: { ok, checks } };
}

/** The grants that the code needs: every skill, host and secret that it uses. */
async function grantsOf(
  { code, tests, parameters }: CodeDraft,
  inspectCode: Profile["inspectCode"],
): Promise<string[]> {
  const { ungranted } = await inspectCode({ source: code, tests, parameters, grants: [] });
  return grantsNeeded(code, parameters, skillGrants(ungranted));
}
