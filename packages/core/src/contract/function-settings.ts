import { z } from "zod";

/** A profile's settings for its functions. Default of each field: the value in `etc/operator.json`. */
export const FunctionSettings = z.strictObject({
  /** Whether the operator may register functions on its own. */
  autoRegister: z.boolean().optional(),
  /** Whether a person must approve what an agent registers; otherwise passing checks are sufficient. */
  requireApproval: z.boolean().optional(),
  /** The maximum number of functions of the profile; never more than the installation allows. */
  maxPerProfile: z.int().min(1).max(10_000).optional(),
  /** The minimum match score: `auto` for the calibrated value, or 0 (any result) to 1. */
  searchThreshold: z.union([z.literal("auto"), z.number().min(0).max(1)]).optional(),
  /** Whether a recipe with a certain match is replayed before a planner is asked. */
  prefer: z.boolean().optional(),
});
export type FunctionSettings = z.infer<typeof FunctionSettings>;

/** A change of these settings; null restores the default. */
export const FunctionSettingsEdit = z.strictObject({
  autoRegister: FunctionSettings.shape.autoRegister.nullable(),
  requireApproval: FunctionSettings.shape.requireApproval.nullable(),
  maxPerProfile: FunctionSettings.shape.maxPerProfile.nullable(),
  searchThreshold: FunctionSettings.shape.searchThreshold.nullable(),
  prefer: FunctionSettings.shape.prefer.nullable(),
});
export type FunctionSettingsEdit = z.infer<typeof FunctionSettingsEdit>;

/** Returns the settings after a change. Call it inside the edit of the profile store to avoid lost updates. */
export function changedFunctionSettings(
  now: FunctionSettings | undefined,
  edit: FunctionSettingsEdit,
): FunctionSettings {
  const changed = Object.entries({ ...now, ...edit }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return FunctionSettings.parse(Object.fromEntries(changed));
}

/** The defaults for a profile. */
export const FunctionDefaults = FunctionSettings.required().extend({ maxPerProfile: z.int().min(1) });
export type FunctionDefaults = z.infer<typeof FunctionDefaults>;

/** The function settings that a profile may override. */
export function overridableSettings(config: Readonly<FunctionDefaults>): FunctionDefaults {
  const { autoRegister, requireApproval, maxPerProfile, searchThreshold, prefer } = config;
  return { autoRegister, requireApproval, maxPerProfile, searchThreshold, prefer };
}

/** Returns the effective settings of a profile. */
export function effectiveFunctionSettings<Config extends FunctionDefaults>(
  config: Config,
  own: FunctionSettings,
): Config {
  return {
    ...config,
    autoRegister: own.autoRegister ?? config.autoRegister,
    requireApproval: own.requireApproval ?? config.requireApproval,
    maxPerProfile: Math.min(own.maxPerProfile ?? config.maxPerProfile, config.maxPerProfile),
    searchThreshold: own.searchThreshold ?? config.searchThreshold,
    prefer: own.prefer ?? config.prefer,
  };
}
