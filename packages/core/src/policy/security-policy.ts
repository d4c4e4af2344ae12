import { TokenScope } from "../contract/account.ts";
import type { CognitiveMode, Role, TrustLevel } from "../contract/trust.ts";

/** The origin of a request. */
export interface Identity {
  role: Role;
  /** Absent for `anonymous`. */
  username?: string;
  mode: CognitiveMode;
  trustLevel: TrustLevel;
}

/**
 * The permissions of one request, computed once from session, role, mode and trust level and checked inside every
 * handler.
 */
export interface SecurityPolicy {
  readonly identity: Identity;
  /** The scope of the credential: `manage` for a session. */
  readonly scope: TokenScope;
  readonly canReadMemory: boolean;
  readonly canWriteMemory: boolean;
  /** Exchanges become `conversation` memories. */
  readonly canRecordConversation: boolean;
  /** Runs may create functions. */
  readonly canLearn: boolean;
  /** May start a run (in emulation: a conversation without skills). */
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
  /** Accounts, models and flags; for owners only. */
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

/** Permissions of people with an account for their own profile. Unlisted permissions are denied. */
const own: Readonly<Record<CognitiveMode, readonly Permission[]>> = {
  dual: ofDual,
  agent: ofDual.filter((permission) => permission !== "canRecordConversation"),
  // Emulation allows no change to the profile except leaving the mode.
  emulation: ["canReadMemory", "canUseOperator", "canReadRuns", "canChangeMode", "canReadAudit", "canExport"],
};

/**
 * The minimum token scope for each permission. Deciding approvals requires `manage`, so that a token that requests a
 * call cannot approve it.
 */
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

/** Returns the minimum token scope for a permission. */
export function scopeFor(permission: Permission): TokenScope {
  return scopes[permission];
}

/** True if a scope includes another. */
export function scopeIncludes(scope: TokenScope, needed: TokenScope): boolean {
  return TokenScope.options.indexOf(scope) >= TokenScope.options.indexOf(needed);
}

/** Computes the permissions of `identity`, limited to the token's `scope` if there is one. Denies by default. */
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
    // Below supervised_auto a person decides each change, so the operator learns no functions from it.
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
      // The system is not part of the profile: its owner administers it in every mode.
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
