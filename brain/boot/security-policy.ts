// What surfaces know of policies: their one door to core/policy.
export { scopeFor, scopeIncludes, securityPolicy } from "@metahuman/core/policy/security-policy";
export type { Identity, Permission, SecurityPolicy } from "@metahuman/core/policy/security-policy";
