import type { Grant } from "../contract/approval.ts";

/** The part of a call that a standing permission is about. */
export interface GrantedCall {
  skill: string;
  /** Canonical; a folder ends in a slash. */
  paths: readonly string[];
  hosts: readonly string[];
}

/**
 * Whether a standing permission answers for this call: the same skill, not expired, and every path and host of the call
 * inside its scope. A permission without a path covers no call that touches paths, one without a host none that talks
 * to hosts, so a permission never reaches further than what the person saw when giving it.
 */
export function covers(grant: Grant, call: GrantedCall, now: Date): boolean {
  if (grant.skill !== call.skill) return false;
  if (grant.expires !== undefined && Date.parse(grant.expires) <= now.getTime()) return false;
  const scopes = pathsOf(grant);
  return (
    call.paths.every((path) => scopes?.some((scope) => isInScope(path, scope)) ?? false) &&
    call.hosts.every((host) => grant.host === host) &&
    // A scope that the call has no part in was meant for other calls.
    (scopes === undefined || call.paths.length > 0) &&
    (grant.host === undefined || call.hosts.length > 0)
  );
}

function pathsOf({ pathPrefix, paths }: Grant): readonly string[] | undefined {
  return pathPrefix === undefined ? paths : [pathPrefix, ...(paths ?? [])];
}

/**
 * `notes/` covers the folder and everything in it, not `notes2`; `notes` covers a file of that name and nothing else.
 * Both must be canonical; anything else is outside.
 */
function isInScope(path: string, scope: string): boolean {
  const outer = segmentsOf(scope);
  const inner = segmentsOf(path);
  if (outer === undefined || inner === undefined) return false;
  return scope.endsWith("/") ? outer.every((segment, index) => inner[index] === segment) : path === scope;
}

function segmentsOf(path: string): string[] | undefined {
  const segments = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
  return segments.some(
    (segment) => segment === "" || segment === "." || segment === ".." || segment.includes("\\"),
  )
    ? undefined
    : segments;
}
