import { z } from "zod";

const fields = {
  /** Whether the operator may register functions on its own. */
  autoRegister: z.boolean(),
  /** Whether a person must approve what an agent registers; otherwise passing checks are sufficient. */
  requireApproval: z.boolean(),
  /** The maximum number of functions of the profile; never more than the installation allows. */
  maxPerProfile: z.int().min(1).max(10_000),
  /** The minimum match score: `auto` for the calibrated value, or 0 (any result) to 1. */
  searchThreshold: z.union([z.literal("auto"), z.number().min(0).max(1)]),
  /** Whether a recipe whose match is certain is replayed before a planner is asked. */
  prefer: z.boolean(),
};

/** A profile's settings for its functions. Default of each field: the value in `etc/operator.json`. */
export const FunctionSettings = z.strictObject(fields).partial();
export type FunctionSettings = z.infer<typeof FunctionSettings>;

const edits = {
  autoRegister: fields.autoRegister.nullable(),
  requireApproval: fields.requireApproval.nullable(),
  maxPerProfile: fields.maxPerProfile.nullable(),
  searchThreshold: fields.searchThreshold.nullable(),
  prefer: fields.prefer.nullable(),
} satisfies Record<keyof typeof fields, z.ZodType>;

/** A change of these settings; null restores the default. */
export const FunctionSettingsEdit = z.strictObject(edits).partial();
export type FunctionSettingsEdit = z.infer<typeof FunctionSettingsEdit>;

/** Returns the settings after a change. Call it inside the edit of the profile store to avoid lost updates. */
export function applySettingsEdit(
  current: FunctionSettings | undefined,
  edit: FunctionSettingsEdit,
): FunctionSettings {
  const changed = Object.entries({ ...current, ...edit }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return FunctionSettings.parse(Object.fromEntries(changed));
}

/** The defaults for a profile, which may exceed what a profile may set. */
export const FunctionDefaults = z.strictObject({ ...fields, maxPerProfile: z.int().min(1) });
export type FunctionDefaults = z.infer<typeof FunctionDefaults>;

/** The function settings that a profile may override. */
export function overridableSettings(config: Readonly<FunctionDefaults>): FunctionDefaults {
  return z.object(FunctionDefaults.shape).parse(config);
}

/** Returns the effective settings of a profile. */
export function effectiveFunctionSettings<Config extends FunctionDefaults>(
  config: Config,
  own: FunctionSettings,
): Config {
  const overrides = applySettingsEdit(own, {});
  const { maxPerProfile } = config;
  return {
    ...config,
    ...overrides,
    maxPerProfile: Math.min(overrides.maxPerProfile ?? maxPerProfile, maxPerProfile),
  };
}
