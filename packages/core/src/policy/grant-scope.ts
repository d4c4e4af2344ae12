import type { Grant } from "../contract/approval.ts";

/** The part of a call that a standing permission is about. */
export interface GrantedCall {
  skill: string;
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
  return (
    call.paths.every((path) => grant.pathPrefix !== undefined && isUnder(path, grant.pathPrefix)) &&
    call.hosts.every((host) => grant.host === host) &&
    // A scope that the call has no part in was meant for other calls.
    (grant.pathPrefix === undefined || call.paths.length > 0) &&
    (grant.host === undefined || call.hosts.length > 0)
  );
}

/** `notes` and `notes/` cover `notes` and `notes/today.md`, not `notes2`. Both must be canonical; anything else is outside. */
function isUnder(path: string, prefix: string): boolean {
  const outer = segmentsOf(prefix);
  const inner = segmentsOf(path);
  return (
    outer !== undefined && inner !== undefined && outer.every((segment, index) => inner[index] === segment)
  );
}

function segmentsOf(path: string): string[] | undefined {
  const segments = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
  return segments.some(
    (segment) => segment === "" || segment === "." || segment === ".." || segment.includes("\\"),
  )
    ? undefined
    : segments;
}
