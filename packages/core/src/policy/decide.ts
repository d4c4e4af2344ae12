import type { Grant } from "../contract/approval.ts";
import {
  type CognitiveMode,
  type Effect,
  type PolicyDecision,
  Risk,
  type SkillOverride,
  type TrustLevel,
} from "../contract/trust.ts";
import { covers } from "./grant-scope.ts";

/** What one call is about to do. */
export interface CallEffects {
  skill: string;
  effect: Effect;
  risk: Risk;
  /** The skill's manifest asks for a person every time. */
  requiresApproval: boolean;
  /** The skill asks for each host it has no standing permission for, also where the trust level would not. */
  asksPerHost?: boolean;
  /** Every path it touches, canonical and relative: `out/notes/today.md`; a folder ends in a slash. */
  paths: readonly string[];
  /** Every host it talks to, as `URL.host` spells it. */
  hosts: readonly string[];
  /** For a call that deletes, overwrites, moves, sends or runs: whether the person named what. */
  target?: "named" | "unnamed" | undefined;
}

/** What the profile allows at this moment. */
export interface CallPolicy {
  mode: CognitiveMode;
  trustLevel: TrustLevel;
  /** The profile's pin for this skill. */
  override?: SkillOverride | undefined;
  grants: readonly Grant[];
  now: Date;
}

export interface Decision {
  decision: PolicyDecision;
  /** A sentence for the person and the planner. */
  reason: string;
  /** The standing permission that answered in the person's place. */
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
 * Whether one call may run, must ask, or may not. Reads no clock, file or database.
 *
 * What says no comes first and nothing lifts it: the mode, a pin `never`, the trust level's own no. Then what insists
 * on a person, whatever the trust level: a target that nobody named, a manifest that requires approval, a pin `ask`. Only then may a pin `always` or a standing permission
 * answer in the person's place, and neither may for a critical call: what cannot be taken back is looked at each time.
 * A skill that asks once for each host does so whatever the trust level, until one of these two answers.
 */
export function decide(call: CallEffects, policy: CallPolicy): Decision {
  const reads = onlyReads(call);
  if (policy.mode === "emulation" && !reads) {
    return { decision: "deny", reason: "In emulation nothing is changed; only reading is allowed." };
  }
  if (policy.override === "never") {
    return { decision: "deny", reason: `This profile never lets the operator use ${call.skill}.` };
  }
  const usual = (reads ? readRow : riskRows[call.risk])[policy.trustLevel];
  if (usual === "deny") {
    return { decision: "deny", reason: `At trust level ${policy.trustLevel} the operator may only read.` };
  }
  if (call.target === "unnamed") {
    return { decision: "ask", reason: `${call.skill} would act on something that the person did not name.` };
  }
  if (call.requiresApproval) return { decision: "ask", reason: `${call.skill} always asks a person.` };
  if (policy.override === "ask") {
    return { decision: "ask", reason: `This profile wants to be asked before each use of ${call.skill}.` };
  }
  const asksForHost = call.asksPerHost === true && call.hosts.length > 0;
  if (usual === "allow" && !asksForHost)
    return { decision: "allow", reason: allowedBecause(call, policy, reads) };
  if (call.risk === "critical") {
    return { decision: "ask", reason: "It runs programs or sends data out: a person decides each time." };
  }
  if (policy.override === "always") {
    return { decision: "allow", reason: `This profile always allows ${call.skill}.` };
  }
  const grant = policy.grants.find((candidate) => covers(candidate, call, policy.now));
  if (grant) return { decision: "allow", reason: "A standing permission covers it.", grantId: grant.id };
  if (asksForHost) {
    return { decision: "ask", reason: `${call.skill} asks a person once for each host.` };
  }
  return {
    decision: "ask",
    reason: `At trust level ${policy.trustLevel} a ${call.risk}-risk call needs a person.`,
  };
}

/** Skills of effect `agent` steer the run itself: at low risk they count as reading, above it as what they set off. */
function onlyReads({ effect, risk }: CallEffects): boolean {
  if (effect === "agent") return risk === "low";
  return effect === "read" && risk !== "critical";
}

function allowedBecause(call: CallEffects, policy: CallPolicy, reads: boolean): string {
  return reads
    ? "It only reads."
    : `At trust level ${policy.trustLevel} a ${call.risk}-risk call needs nobody.`;
}

/** True if a risk is no greater than another. */
export function isAtMost(risk: Risk, most: Risk): boolean {
  return Risk.options.indexOf(risk) <= Risk.options.indexOf(most);
}
