import { z } from "zod";

/** What the operator may do without asking, from least to most. */
export const TrustLevel = z.enum(["observe", "suggest", "supervised_auto", "bounded_auto"]);
export type TrustLevel = z.infer<typeof TrustLevel>;

/** Which parts of the system are enabled: all, skills without conversation memory, or conversation only. */
export const CognitiveMode = z.enum(["dual", "agent", "emulation"]);
export type CognitiveMode = z.infer<typeof CognitiveMode>;

/** The role of a caller. `guest`: a visitor of a public profile. `anonymous`: not signed in. */
export const Role = z.enum(["owner", "member", "guest", "anonymous"]);
export type Role = z.infer<typeof Role>;

/** The effect of a skill. `agent` skills control the run itself and have no effect outside it. */
export const Effect = z.enum(["read", "write", "network", "execute", "agent"]);
export type Effect = z.infer<typeof Effect>;

/** The worst possible outcome of a call, from least to most. */
export const Risk = z.enum(["low", "medium", "high", "critical"]);
export type Risk = z.infer<typeof Risk>;

/** A fixed decision of a profile for one skill. */
export const SkillOverride = z.enum(["always", "ask", "never"]);
export type SkillOverride = z.infer<typeof SkillOverride>;

/** The decision about a call: execute it, request an approval, or refuse it. */
export const PolicyDecision = z.enum(["allow", "ask", "deny"]);
export type PolicyDecision = z.infer<typeof PolicyDecision>;
