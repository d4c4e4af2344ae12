import { z } from "zod";
import { FunctionSettings } from "./function-settings.ts";
import { Timestamp, Username } from "./ids.ts";
import { Locale, TimeZone } from "./region.ts";
import { CognitiveMode, Role, SkillOverride, TrustLevel } from "./trust.ts";

/** One person's settings as kept in `profiles/<user>/profile.json`. */
export const ProfileSettings = z.strictObject({
  displayName: z.string().trim().min(1).max(100),
  mode: CognitiveMode.default("dual"),
  trustLevel: TrustLevel.default("supervised_auto"),
  skillOverrides: z.record(z.string(), SkillOverride).default({}),
  /** Folders outside the profile that the owner opened to the operator: root name → absolute path. */
  workspaceRoots: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), z.string()).default({}),
  /** Used for requests that name none; the server's own when missing. */
  timeZone: TimeZone.optional(),
  locale: Locale.optional(),
  functions: FunctionSettings.optional(),
});
export type ProfileSettings = z.infer<typeof ProfileSettings>;

/** What the operator is called until a person names it. */
export const DEFAULT_OPERATOR_NAME = "MetaHuman";

/** Who answers: the operator, not the person it works for. */
export const Persona = z.strictObject({
  name: z.string().trim().min(1).max(100),
  role: z.string().max(500),
  values: z.array(z.string().max(200)).max(32),
  voice: z.string().max(1_000),
  goals: z.array(z.string().max(500)).max(32),
});
export type Persona = z.infer<typeof Persona>;

/** Who is asking, as every surface shows it. */
export const Me = z.strictObject({
  username: Username,
  displayName: z.string(),
  role: Role,
  mode: CognitiveMode,
  trustLevel: TrustLevel,
  createdAt: Timestamp,
});
export type Me = z.infer<typeof Me>;
