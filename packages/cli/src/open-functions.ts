import { EVERY_AGENT, type FunctionMemory } from "@metahuman/core/contract/function";
import type { FunctionActor, Profile } from "@metahuman/boot/brain";
import { requirePermission, openSession, type CommandContext, type Session } from "./session.ts";

type Functions = ReturnType<Profile["functions"]["of"]>;

/** An open session with its functions, and the person as the actor of changes. */
export interface OpenedFunctions {
  session: Session;
  functions: Functions;
  actor: FunctionActor;
}

export async function openFunctionsForReading(context: CommandContext): Promise<OpenedFunctions> {
  const session = await openSession(context);
  requirePermission(session.policy.canReadMemory, session, "read functions");
  return { session, functions: session.profile.functions.of(EVERY_AGENT), actor: actorOf(session) };
}

/** Returns the person at this terminal as the actor of function changes. */
export function actorOf({ identity: { username = "nobody", role } }: Session): FunctionActor {
  return { by: username, isPerson: true, isOwner: role === "owner", surface: "cli" };
}

export async function openFunctionsForManaging(context: CommandContext): Promise<OpenedFunctions> {
  const opened = await openFunctionsForReading(context);
  requirePermission(opened.session.policy.canManageFunctions, opened.session, "manage functions");
  return opened;
}

export async function findFunction(functions: Functions, idOrName: string): Promise<FunctionMemory> {
  return (await functions.findByName(idOrName)) ?? (await functions.loadFunction(idOrName));
}
