import type { ProfileSettings } from "@metahuman/core/contract/profile";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import type { RunRequest } from "@metahuman/core/runs/run-store";

const MODES: readonly CognitiveMode[] = ["emulation", "agent", "dual"];
const LEVELS: readonly TrustLevel[] = ["observe", "suggest", "supervised_auto", "bounded_auto"];

/**
 * What a run may do: what its request was made with, or what the profile says by now, whichever is less. A person who
 * takes trust back is obeyed at once; trust given later counts from the next request on.
 */
export function effectivePolicy(
  asked: RunRequest["identity"],
  now: Pick<ProfileSettings, "mode" | "trustLevel">,
) {
  return {
    mode: MODES[Math.min(MODES.indexOf(asked.mode), MODES.indexOf(now.mode))] ?? "emulation",
    trustLevel:
      LEVELS[Math.min(LEVELS.indexOf(asked.trustLevel), LEVELS.indexOf(now.trustLevel))] ?? "observe",
  };
}
