import type { Grant } from "../contract/approval.ts";
import {
  type CognitiveMode,
  type Effect,
  type PolicyDecision,
  Risk,
  type SkillOverride,
  type TrustLevel,
} from "../contract/trust.ts";
import { TRUST_LABELS } from "../text/policy-labels.ts";

export interface CallEffects {
  skill: string;
  effect: Effect;
  risk: Risk;
  /** Whether the skill's manifest requires an approval for every call. */
  requiresApproval: boolean;
  /** Whether the skill requires an approval for each host without a grant, at every trust level. */
  asksPerHost?: boolean;
  /** All affected paths, canonical and relative: `out/notes/today.md`; a folder ends with a slash. */
  paths: readonly string[];
  /** All contacted hosts, as `URL.host` spells them. */
  hosts: readonly string[];
  /**
   * For a call that deletes, overwrites, moves, sends or executes: whether the person named its target. `denied` for any call on a target
   * of which the person denied another call in this run.
   */
  target?: "named" | "unnamed" | "denied" | undefined;
}

/** The policy of a profile at this moment. */
export interface CallPolicy {
  mode: CognitiveMode;
  trustLevel: TrustLevel;
  /** The profile's override for this skill. */
  override?: SkillOverride | undefined;
  grants: readonly Grant[];
  now: Date;
}

export interface Decision {
  decision: PolicyDecision;
  /** The reason in one sentence, for the person and the planner. */
  reason: string;
  /** True if the profile's override for the skill denies it. */
  isOverridden?: boolean;
  /** The id of the grant that allowed the call. */
  grantId?: string;
}

type Row = Readonly<Record<TrustLevel, PolicyDecision>>;

const readRow: Row = { observe: "allow", suggest: "allow", supervised_auto: "allow", bounded_auto: "allow" };
const riskRows: Readonly<Record<Risk, Row>> = {
  low: { observe: "deny", suggest: "ask", supervised_auto: "allow", bounded_auto: "allow" },
  medium: { observe: "deny", suggest: "ask", supervised_auto: "allow", bounded_auto: "allow" },
  high: { observe: "deny", suggest: "ask", supervised_auto: "ask", bounded_auto: "allow" },
  critical: { observe: "deny", suggest: "ask", supervised_auto: "ask", bounded_auto: "ask" },
};

/**
 * Decides whether a call is allowed, needs an approval, or is denied. Pure. Denials come first and cannot be
 * overridden: the mode, an override `never`, the trust level. Next come the reasons for an approval at every trust
 * level: a target that the person did not name or denied a call on, a manifest that requires approval, an override `ask`. Only then can an
 * override `always` or a grant replace the approval, and neither can for a critical call, which is reviewed each time.
 * A skill that asks once per host does so at every trust level unless one of these two applies.
 */
export function decide(call: CallEffects, policy: CallPolicy): Decision {
  const reads = onlyReads(call);
  if (policy.mode === "emulation" && !reads) {
    return { decision: "deny", reason: "In emulation mode, the operator can only read." };
  }
  if (policy.override === "never") {
    return { decision: "deny", reason: `Your settings never allow ${call.skill}.`, isOverridden: true };
  }
  const byTrust = (reads ? readRow : riskRows[call.risk])[policy.trustLevel];
  if (byTrust === "deny") {
    return {
      decision: "deny",
      reason: `At trust level ${TRUST_LABELS[policy.trustLevel]}, the operator can only read.`,
    };
  }
  if (call.target === "unnamed") {
    return { decision: "ask", reason: `${call.skill} would act on something that you did not name.` };
  }
  if (call.target === "denied" && !reads) {
    return { decision: "ask", reason: "You denied another call on the same target in this run." };
  }
  if (call.requiresApproval) return { decision: "ask", reason: `${call.skill} always needs your approval.` };
  if (policy.override === "ask") {
    return { decision: "ask", reason: `Your settings require approval for each use of ${call.skill}.` };
  }
  const asksForHost = call.asksPerHost === true && call.hosts.length > 0;
  if (byTrust === "allow" && !asksForHost)
    return { decision: "allow", reason: allowedBecause(call, policy, reads) };
  if (call.risk === "critical") {
    return { decision: "ask", reason: "It runs programs or sends data out, so it needs approval each time." };
  }
  if (policy.override === "always") {
    return { decision: "allow", reason: `Your settings always allow ${call.skill}.` };
  }
  const grant = policy.grants.find((candidate) => covers(candidate, call, policy.now));
  if (grant) return { decision: "allow", reason: "A standing permission allows it.", grantId: grant.id };
  if (asksForHost) {
    return { decision: "ask", reason: `${call.skill} needs approval once for each host.` };
  }
  return {
    decision: "ask",
    reason: `At trust level ${TRUST_LABELS[policy.trustLevel]}, a ${call.risk}-risk call needs approval.`,
  };
}

/**
 * Skills with the effect `agent` control the run itself. At low risk they count as reading, otherwise as the calls they
 * cause.
 */
function onlyReads({ effect, risk }: CallEffects): boolean {
  if (effect === "agent") return risk === "low";
  return effect === "read" && risk !== "critical";
}

function allowedBecause(call: CallEffects, policy: CallPolicy, reads: boolean): string {
  return reads
    ? "It only reads."
    : `At trust level ${TRUST_LABELS[policy.trustLevel]}, a ${call.risk}-risk call needs no approval.`;
}

/** True if a risk is no greater than another. */
export function isAtMost(risk: Risk, limit: Risk): boolean {
  return Risk.options.indexOf(risk) <= Risk.options.indexOf(limit);
}

/** The part of a call that a grant covers. */
interface GrantedCall {
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
function covers(grant: Grant, call: GrantedCall, now: Date): boolean {
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
