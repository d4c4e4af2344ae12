import { z } from "zod";
import { OperatorFlag, RuntimeConfig } from "./config.ts";
import { FunctionDefaults, FunctionSettingsEdit } from "./function-settings.ts";
import { ProfileSettings } from "./profile.ts";
import { Locale, TimeZone } from "./region.ts";

/** The settings of a profile and the flags of the installation. */
export const SettingsAnswer = z.strictObject({
  settings: ProfileSettings,
  /** Whether guests may chat with the persona without a password. */
  publicProfile: z.boolean(),
  flags: RuntimeConfig,
  /** The values used where the profile's `settings.functions` has none. */
  functionDefaults: FunctionDefaults,
  /** The reason why the files in `etc/` are not in use in their current form. */
  configProblem: z.string().optional(),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

/**
 * A change of settings; absent fields stay unchanged. Only the owner may change `publicProfile`, `workspaceRoots` and
 * `flags`. Mode and trust level have their own endpoints.
 */
export const SettingsEdit = z.strictObject({
  displayName: ProfileSettings.shape.displayName.optional(),
  publicProfile: z.boolean().optional(),
  workspaceRoots: z
    .record(
      ProfileSettings.shape.workspaceRoots
        .unwrap()
        .keyType.refine((name) => name !== "out" && name !== "inbox", "out and inbox are there already"),
      z.string().regex(/^(\/|[A-Za-z]:[\\/])/, "write the whole path of the folder"),
    )
    .optional(),
  flags: z.strictObject({ operator: z.partialRecord(OperatorFlag, z.boolean()) }).optional(),
  /** Null selects the server's time zone. */
  timeZone: TimeZone.nullable().optional(),
  locale: Locale.nullable().optional(),
  functions: FunctionSettingsEdit.optional(),
});
export type SettingsEdit = z.infer<typeof SettingsEdit>;
