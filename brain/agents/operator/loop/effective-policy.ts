import type { ProfileSettings } from "@metahuman/core/contract/profile";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import type { RunRequest } from "@metahuman/core/runs/run-store";

const MODES: readonly CognitiveMode[] = ["emulation", "agent", "dual"];
const LEVELS: readonly TrustLevel[] = ["observe", "suggest", "supervised_auto", "bounded_auto"];

/**
 * The policy of a run: the lower of what its request was made with and what the profile allows now. Lowered trust applies
 * at once; raised trust applies from the next request on.
 */
export function effectivePolicy(
  requested: RunRequest["identity"],
  current: Pick<ProfileSettings, "mode" | "trustLevel">,
) {
  return {
    mode: MODES[Math.min(MODES.indexOf(requested.mode), MODES.indexOf(current.mode))] ?? "emulation",
    trustLevel:
      LEVELS[Math.min(LEVELS.indexOf(requested.trustLevel), LEVELS.indexOf(current.trustLevel))] ?? "observe",
  };
}
