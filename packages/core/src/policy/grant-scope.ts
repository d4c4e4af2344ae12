import type { Grant } from "../contract/approval.ts";

/** The part of a call that a grant covers. */
export interface GrantedCall {
  skill: string;
  /** Canonical; a folder ends in a slash. */
  paths: readonly string[];
  hosts: readonly string[];
}

/**
 * True if a grant covers this call: the same skill, not expired, and every path and host of the call in its scope. A
 * grant without a path covers no call that touches paths, and one without a host covers no call that contacts hosts,
 * so a grant never exceeds what the person saw when approving it.
 */
export function covers(grant: Grant, call: GrantedCall, now: Date): boolean {
  if (grant.skill !== call.skill) return false;
  if (grant.expires !== undefined && Date.parse(grant.expires) <= now.getTime()) return false;
  const scopes = pathsOf(grant);
  return (
    call.paths.every((path) => scopes?.some((scope) => isInScope(path, scope)) ?? false) &&
    call.hosts.every((host) => grant.host === host) &&
    // A grant with a scope does not apply to calls without paths or hosts.
    (scopes === undefined || call.paths.length > 0) &&
    (grant.host === undefined || call.hosts.length > 0)
  );
}

function pathsOf({ pathPrefix, paths }: Grant): readonly string[] | undefined {
  return pathPrefix === undefined ? paths : [pathPrefix, ...(paths ?? [])];
}

/**
 * `notes/` covers the folder and its content, but not `notes2`; `notes` covers only a file of that name. Both
 * arguments must be canonical; anything else is outside.
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
