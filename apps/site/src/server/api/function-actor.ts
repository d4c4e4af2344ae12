import type { FunctionActor } from "@metahuman/boot/brain";
import type { Caller } from "./caller.ts";

/** A signed-in person as somebody who decides about functions. */
export function functionActor({ kind, policy: { identity } }: Caller): FunctionActor {
  return {
    by: identity.username ?? "nobody",
    isPerson: true,
    isOwner: identity.role === "owner",
    surface: kind === "session" ? "page" : "api",
  };
}
