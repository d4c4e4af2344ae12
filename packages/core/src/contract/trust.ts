import { z } from "zod";

/** What a profile lets the operator do without asking, from least to most. */
export const TrustLevel = z.enum(["observe", "suggest", "supervised_auto", "bounded_auto"]);
export type TrustLevel = z.infer<typeof TrustLevel>;

/** How much of the system takes part: everything, skills without conversation memory, or conversation only. */
export const CognitiveMode = z.enum(["dual", "agent", "emulation"]);
export type CognitiveMode = z.infer<typeof CognitiveMode>;

export const Role = z.enum(["owner", "member", "guest", "anonymous"]);
export type Role = z.infer<typeof Role>;

/** What a skill does to the world. `agent` skills steer the run itself and touch nothing outside it. */
export const Effect = z.enum(["read", "write", "network", "execute", "agent"]);
export type Effect = z.infer<typeof Effect>;

/** What a call may do at worst, from least to most. */
export const Risk = z.enum(["low", "medium", "high", "critical"]);
export type Risk = z.infer<typeof Risk>;

/** A profile may pin one skill to a fixed answer. */
export const SkillOverride = z.enum(["always", "ask", "never"]);
export type SkillOverride = z.infer<typeof SkillOverride>;

export const PolicyDecision = z.enum(["allow", "ask", "deny"]);
export type PolicyDecision = z.infer<typeof PolicyDecision>;
