import type { StoredFunction } from "../store/stored-function.ts";
import type { Scope } from "./protocol.ts";

type Shelf = "offered" | "kept";

/**
 * The partition of the index that a function stands in: what planners may be shown apart from what only people search,
 * each agent's and each user's apart from all others'.
 */
export function searchKind(stored: Pick<StoredFunction, "trust" | "status" | "scope">): string {
  return kind(isOffered(stored) ? "offered" : "kept", stored.scope);
}

/** The partitions that hold what may be found. */
export function searchedKinds(scope: Scope, trust: "verified" | "draft" | "any"): string[] {
  switch (trust) {
    case "verified":
      return [kind("offered", scope)];
    case "draft":
      return [kind("kept", scope)];
    case "any":
      return [kind("offered", scope), kind("kept", scope)];
    default:
      return trust satisfies never;
  }
}

/** Only what is verified and active ever reaches a planner. */
function isOffered({ trust, status }: Pick<StoredFunction, "trust" | "status">): boolean {
  return trust === "verified" && status === "active";
}

function kind(shelf: Shelf, { agentId, userId }: Scope): string {
  return JSON.stringify([shelf, agentId, userId]);
}
