import { expect, it } from "vitest";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import { effectivePolicy } from "./effective-policy.ts";

it.each<[CognitiveMode, TrustLevel, CognitiveMode, TrustLevel, CognitiveMode, TrustLevel]>([
  ["dual", "supervised_auto", "dual", "supervised_auto", "dual", "supervised_auto"],
  ["dual", "supervised_auto", "agent", "observe", "agent", "observe"],
  ["agent", "observe", "dual", "bounded_auto", "agent", "observe"],
  ["dual", "bounded_auto", "emulation", "suggest", "emulation", "suggest"],
])(
  "asked in %s at %s, the profile now %s at %s: %s at %s",
  (mode, trustLevel, modeNow, trustNow, expectedMode, expectedTrust) => {
    const asked = { role: "owner", username: "ada", mode, trustLevel } as const;
    expect(effectivePolicy(asked, { mode: modeNow, trustLevel: trustNow })).toEqual({
      mode: expectedMode,
      trustLevel: expectedTrust,
    });
  },
);
