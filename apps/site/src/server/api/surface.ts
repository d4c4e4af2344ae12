import type { StartOptions } from "@metahuman/boot/brain";
import type { Caller } from "./caller.ts";

/** As whom, and through which door, a caller starts work: the page carries a cookie, scripts a token. */
export function startOptions({ kind, policy }: Pick<Caller, "kind" | "policy">): StartOptions {
  return { identity: policy.identity, surface: kind === "session" ? "page" : "api" };
}
