import { z } from "zod";
import type { OperatorConfig } from "./config.ts";

/** A profile's own choices about its functions; what is missing is as `etc/operator.json` says. */
export const FunctionSettings = z.strictObject({
  /** Whether the operator may register functions by itself. */
  autoRegister: z.boolean().optional(),
  /** Whether what an agent registers waits for a person; otherwise passing checks decide. */
  requireApproval: z.boolean().optional(),
  /** The most functions of the profile; never more than the installation allows. */
  maxPerProfile: z.int().min(1).max(10_000).optional(),
  /** How well a function must fit: `auto` as measured, or from 0 (whatever comes nearest) to 1. */
  searchThreshold: z.union([z.literal("auto"), z.number().min(0).max(1)]).optional(),
  /** Whether a recipe that certainly fits is replayed before a planner is asked. */
  prefer: z.boolean().optional(),
});
export type FunctionSettings = z.infer<typeof FunctionSettings>;

/** A change of them; null returns to what the installation says. */
export const FunctionSettingsEdit = z.strictObject({
  autoRegister: FunctionSettings.shape.autoRegister.nullable(),
  requireApproval: FunctionSettings.shape.requireApproval.nullable(),
  maxPerProfile: FunctionSettings.shape.maxPerProfile.nullable(),
  searchThreshold: FunctionSettings.shape.searchThreshold.nullable(),
  prefer: FunctionSettings.shape.prefer.nullable(),
});
export type FunctionSettingsEdit = z.infer<typeof FunctionSettingsEdit>;

/** What is left of a profile's choices after a change. Call it inside the edit of the profile store, so that none is lost. */
export function changedFunctionSettings(
  now: FunctionSettings | undefined,
  edit: FunctionSettingsEdit,
): FunctionSettings {
  const changed = Object.entries({ ...now, ...edit }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return FunctionSettings.parse(Object.fromEntries(changed));
}

/** What applies where a profile chose nothing. */
export const FunctionDefaults = FunctionSettings.required().extend({ maxPerProfile: z.int().min(1) });
export type FunctionDefaults = z.infer<typeof FunctionDefaults>;

/** Of all settings of functions, those that a profile may override. */
export function overridableSettings(config: OperatorConfig["functions"]): FunctionDefaults {
  const { autoRegister, requireApproval, maxPerProfile, searchThreshold, prefer } = config;
  return { autoRegister, requireApproval, maxPerProfile, searchThreshold, prefer };
}

/** What counts for a profile: its own choices over those of the installation. */
export function effectiveFunctionSettings(
  config: OperatorConfig["functions"],
  own: FunctionSettings,
): OperatorConfig["functions"] {
  return {
    ...config,
    autoRegister: own.autoRegister ?? config.autoRegister,
    requireApproval: own.requireApproval ?? config.requireApproval,
    maxPerProfile: Math.min(own.maxPerProfile ?? config.maxPerProfile, config.maxPerProfile),
    searchThreshold: own.searchThreshold ?? config.searchThreshold,
    prefer: own.prefer ?? config.prefer,
  };
}
