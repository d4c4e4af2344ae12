import { z } from "zod";
import { AgentName } from "./agents.ts";
import { FunctionSettings } from "./function-settings.ts";
import { Timestamp, Username } from "./ids.ts";
import { Locale, TimeZone } from "./region.ts";
import { CognitiveMode, Role, SkillOverride, TrustLevel } from "./trust.ts";

/** The settings of one person in `profiles/<user>/profile.json`. */
export const ProfileSettings = z.strictObject({
  displayName: z.string().trim().min(1).max(100),
  mode: CognitiveMode.default("dual"),
  trustLevel: TrustLevel.default("supervised_auto"),
  skillOverrides: z.record(z.string(), SkillOverride).default({}),
  /** Folders outside the profile that the owner opened to the operator: root name → absolute path. */
  workspaceRoots: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), z.string()).default({}),
  /** The default for requests without a time zone; absent: that of the server. */
  timeZone: TimeZone.optional(),
  locale: Locale.optional(),
  functions: FunctionSettings.optional(),
  /** Background agents that do not start by themselves here. */
  pausedAgents: z.array(AgentName).optional(),
});
export type ProfileSettings = z.infer<typeof ProfileSettings>;

/** The operator's name until a person changes it. */
export const DEFAULT_OPERATOR_NAME = "MetaHuman";

/** The persona of the operator, which answers. */
export const Persona = z.strictObject({
  name: z.string().trim().min(1).max(100),
  role: z.string().max(500),
  values: z.array(z.string().max(200)).max(32),
  voice: z.string().max(1_000),
  goals: z.array(z.string().max(500)).max(32),
});
export type Persona = z.infer<typeof Persona>;

/** The signed-in person, as every surface shows it. */
export const Me = z.strictObject({
  username: Username,
  displayName: z.string(),
  role: Role,
  mode: CognitiveMode,
  trustLevel: TrustLevel,
  createdAt: Timestamp,
});
export type Me = z.infer<typeof Me>;
