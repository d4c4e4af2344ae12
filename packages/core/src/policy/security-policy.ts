import { TokenScope } from "../contract/account.ts";
import type { CognitiveMode, Role, TrustLevel } from "../contract/trust.ts";

/** Who a request comes from. */
export interface Identity {
  role: Role;
  /** Absent for `anonymous`. */
  username?: string;
  mode: CognitiveMode;
  trustLevel: TrustLevel;
}

/** What one request may do; computed once from session, role, mode and trust, and checked inside every handler. */
export interface SecurityPolicy {
  readonly identity: Identity;
  /** The most that the credential is good for: `manage` for a session. */
  readonly scope: TokenScope;
  readonly canReadMemory: boolean;
  readonly canWriteMemory: boolean;
  /** Exchanges become `conversation` memories. */
  readonly canRecordConversation: boolean;
  /** Runs may teach functions. */
  readonly canLearn: boolean;
  /** May start a run at all (in emulation: a conversation without skills). */
  readonly canUseOperator: boolean;
  readonly canUseSkills: boolean;
  /** May read and use the workspace archive, runs and approvals of their own profile. */
  readonly canReadRuns: boolean;
  readonly canDecideApprovals: boolean;
  readonly canManageFunctions: boolean;
  readonly canChangeMode: boolean;
  readonly canChangeTrust: boolean;
  readonly canChangePersona: boolean;
  readonly canReadAudit: boolean;
  readonly canExport: boolean;
  /** Accounts, models, flags: the owner's. */
  readonly canAdminister: boolean;
}

export type Permission = Exclude<keyof SecurityPolicy, "identity" | "scope">;

const ofDual = [
  "canReadMemory",
  "canWriteMemory",
  "canRecordConversation",
  "canLearn",
  "canUseOperator",
  "canUseSkills",
  "canReadRuns",
  "canDecideApprovals",
  "canManageFunctions",
  "canChangeMode",
  "canChangeTrust",
  "canChangePersona",
  "canReadAudit",
  "canExport",
] as const satisfies readonly Permission[];

/** What people with an account may do with their own profile; what a line does not name is denied. */
const own: Readonly<Record<CognitiveMode, readonly Permission[]>> = {
  dual: ofDual,
  agent: ofDual.filter((permission) => permission !== "canRecordConversation"),
  // Nothing of the profile changes but the way out.
  emulation: ["canReadMemory", "canUseOperator", "canReadRuns", "canChangeMode", "canReadAudit", "canExport"],
};

/** The least scope of a token for each permission. To decide about calls is to manage: whoever asks must not also allow. */
const scopes: Readonly<Record<Permission, TokenScope>> = {
  canReadMemory: "read",
  canReadRuns: "read",
  canReadAudit: "read",
  canExport: "read",
  canWriteMemory: "operate",
  canRecordConversation: "operate",
  canLearn: "operate",
  canUseOperator: "operate",
  canUseSkills: "operate",
  canDecideApprovals: "manage",
  canManageFunctions: "manage",
  canChangeMode: "manage",
  canChangeTrust: "manage",
  canChangePersona: "manage",
  canAdminister: "manage",
};

/** The least scope that a token needs for something. */
export function scopeFor(permission: Permission): TokenScope {
  return scopes[permission];
}

/** Whether a scope includes another. */
export function scopeIncludes(scope: TokenScope, needed: TokenScope): boolean {
  return TokenScope.options.indexOf(scope) >= TokenScope.options.indexOf(needed);
}

/** Computes what `identity` may do, with a token of `scope` where it comes with one; denies by default. */
export function securityPolicy(identity: Identity, scope: TokenScope = "manage"): SecurityPolicy {
  const granted = new Set(
    permissionsOf(identity).filter((permission) => scopeIncludes(scope, scopes[permission])),
  );
  const may = (permission: Permission): boolean => granted.has(permission);
  return Object.freeze({
    identity: Object.freeze({ ...identity }),
    scope,
    canReadMemory: may("canReadMemory"),
    canWriteMemory: may("canWriteMemory"),
    canRecordConversation: may("canRecordConversation"),
    // Below supervised_auto a person decides each change; a habit made of such decisions is not the operator's own.
    canLearn: may("canLearn") && actsByItself(identity.trustLevel),
    canUseOperator: may("canUseOperator"),
    canUseSkills: may("canUseSkills"),
    canReadRuns: may("canReadRuns"),
    canDecideApprovals: may("canDecideApprovals"),
    canManageFunctions: may("canManageFunctions"),
    canChangeMode: may("canChangeMode"),
    canChangeTrust: may("canChangeTrust"),
    canChangePersona: may("canChangePersona"),
    canReadAudit: may("canReadAudit"),
    canExport: may("canExport"),
    canAdminister: may("canAdminister"),
  });
}

function permissionsOf({ role, username, mode }: Identity): readonly Permission[] {
  switch (role) {
    case "owner":
      // The system is not the profile: its owner administers it in every mode.
      return username === undefined ? [] : [...own[mode], "canAdminister"];
    case "member":
      return username === undefined ? [] : own[mode];
    case "guest":
      return username !== undefined && mode === "emulation" ? ["canUseOperator"] : [];
    case "anonymous":
      return [];
    default:
      return role satisfies never;
  }
}

function actsByItself(trustLevel: TrustLevel): boolean {
  return trustLevel === "supervised_auto" || trustLevel === "bounded_auto";
}
