import { EVERY_AGENT } from "@metahuman/core/contract/function";
import type { FunctionActor, Profile } from "@metahuman/boot/brain";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import { demand, openSession } from "./session.ts";
import type { CommandContext, Session } from "./session.ts";

type Functions = ReturnType<Profile["functions"]["of"]>;

/** What the person at this terminal decides. */
export interface OpenedFunctions {
  session: Session;
  functions: Functions;
  actor: FunctionActor;
}

export async function openFunctionsForReading(context: CommandContext): Promise<OpenedFunctions> {
  const session = await openSession(context);
  demand(session.policy.canReadMemory, session, "read functions");
  return { session, functions: session.profile.functions.of(EVERY_AGENT), actor: actorOf(session) };
}

/** The person at this terminal, as somebody who decides about functions. */
export function actorOf({ identity: { username = "nobody", role } }: Session): FunctionActor {
  return { by: username, isPerson: true, isOwner: role === "owner", surface: "cli" };
}

export async function openFunctionsForManaging(context: CommandContext): Promise<OpenedFunctions> {
  const opened = await openFunctionsForReading(context);
  demand(opened.session.policy.canManageFunctions, opened.session, "manage functions");
  return opened;
}

/** By id, or by the name that is easier to type. */
export async function functionOf(functions: Functions, idOrName: string): Promise<FunctionMemory> {
  return (await functions.findByName(idOrName)) ?? (await functions.loadFunction(idOrName));
}
