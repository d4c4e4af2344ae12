import type { StoredFunction } from "../store/stored-function.ts";
import type { Scope } from "./protocol.ts";

type Visibility = "offered" | "kept";

/**
 * The index partition of a function. Partitions separate functions for planners from those that only people search, and
 * separate agents and users.
 */
export function searchKind(stored: Pick<StoredFunction, "trust" | "status" | "scope">): string {
  return kind(isOffered(stored) ? "offered" : "kept", stored.scope);
}

/** The partitions to search. */
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

/** Only verified and active functions reach a planner. */
function isOffered({ trust, status }: Pick<StoredFunction, "trust" | "status">): boolean {
  return trust === "verified" && status === "active";
}

function kind(visibility: Visibility, { agentId, userId }: Scope): string {
  return JSON.stringify([visibility, agentId, userId]);
}
