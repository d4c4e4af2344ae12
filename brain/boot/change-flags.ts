import { changeConfig } from "@metahuman/core/config/change-config";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import { OperatorFlag, type RuntimeConfig } from "@metahuman/core/contract/config";

/**
 * Writes switches to `etc/runtime.json` of the data root; each counts from the next run on. Throws `ConfigInvalidError`
 * while the configuration is not in use as it stands; nothing is written then.
 */
export async function changeFlags(
  flags: Partial<Record<OperatorFlag, boolean>>,
  { config, places }: { config: ConfigSource; places: { home: string; shippedEtc: string } },
): Promise<RuntimeConfig> {
  await config.refresh();
  const problem = config.problem();
  if (problem) throw problem;
  for (const flag of OperatorFlag.options) {
    const value = flags[flag];
    if (value !== undefined)
      await changeConfig(places, { section: "runtime", keyPath: ["operator", flag], value });
  }
  return (await config.refresh()).runtime;
}
