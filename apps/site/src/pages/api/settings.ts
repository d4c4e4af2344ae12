import { SettingsAnswer, SettingsEdit } from "@metahuman/core/contract/settings";
import type { Brain } from "@metahuman/boot/brain";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { checkOpenedFolders } from "@metahuman/boot/file-manager";
import { applySettingsEdit, overridableSettings } from "@metahuman/core/contract/function-settings";
import type { ProfileSettings } from "@metahuman/core/contract/profile";
import { type Caller, auditAction } from "../../server/api/caller.ts";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { toProblem } from "../../server/http/problem.ts";
import { route } from "../../server/api/route.ts";

export const GET = route(
  {
    summary: "The profile's settings and the installation's switches",
    needs: "sign-in",
    scope: "read",
    input: {},
    output: SettingsAnswer,
  },
  async ({ caller, brain }) => settingsAnswer(await caller.profile.store.settings(), caller, brain),
);

const change = route(
  {
    summary:
      "Change display name, time zone, locale and function settings; owners also guest access, shared folders outside the profile, and the switches",
    needs: "canChangePersona",
    input: { body: SettingsEdit },
    output: SettingsAnswer,
  },
  async ({ body, caller, brain }) => {
    const { flags, publicProfile, functions, ...settings } = body;
    const { store } = caller.profile;
    if (publicProfile !== undefined) {
      if (!caller.policy.canAdminister) throw new ForbiddenError("Only an owner can make a profile public.");
      await brain.accounts.setPublic(caller.me.username, publicProfile);
      await auditAction(caller, "public_profile_changed", { publicProfile });
    }
    if (settings.workspaceRoots !== undefined) {
      if (!caller.policy.canAdminister)
        throw new ForbiddenError("Only an owner can share further folders with the operator.");
      const { workspaceRoots } = await caller.profile.store.settings();
      await checkOpenedFolders(brain, workspaceRoots, settings.workspaceRoots);
    }
    if (flags) {
      if (!caller.policy.canAdminister) throw new ForbiddenError("Only an owner can change the switches.");
      await brain.changeFlags(flags.operator);
      await auditAction(caller, "flags_changed", flags.operator);
    }
    return settingsAnswer(
      await store.changeSettings((current) => ({
        ...settings,
        ...(functions && { functions: applySettingsEdit(current.functions, functions) }),
      })),
      caller,
      brain,
    );
  },
);

export { change as PATCH, change as POST, change as PUT };

async function settingsAnswer(
  settings: ProfileSettings,
  { me }: Caller,
  { accounts, config }: Brain,
): Promise<SettingsAnswer> {
  const problem = config.problem();
  return omitUndefined({
    settings,
    publicProfile: (await accounts.publicProfiles()).includes(me.username),
    flags: config.current().runtime,
    functionDefaults: overridableSettings(config.current().operator.functions),
    configProblem: problem && toProblem(problem).body.error.message,
  });
}
