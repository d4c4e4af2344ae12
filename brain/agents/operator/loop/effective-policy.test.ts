import { describe, expect, it } from "vitest";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import { effectivePolicy, limitToGrants } from "./effective-policy.ts";

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

describe("the policy of a scheduled run", () => {
  const skills = [
    { id: "fs_read", effects: "read", asksPerHost: false },
    { id: "fs_write", effects: "write", asksPerHost: false },
    { id: "http_get", effects: "network", asksPerHost: true },
    { id: "web_watch", effects: "network", asksPerHost: true },
  ] as const;
  const policy = { mode: "dual", trustLevel: "bounded_auto", overrides: {}, grants: [] } as const;
  const goal = "check https://example.org/a and https://example.org:8443/b, not ftp://example.net";
  const limited = (grants: string[]) =>
    limitToGrants(policy, { grants }, { skills, goal, now: new Date("2026-11-23T10:30:00Z") });

  it("asks for every skill that does more than read and was not granted", () => {
    expect(limited(["web_watch"]).overrides).toEqual({ fs_write: "ask", http_get: "ask" });
  });

  it("lets a granted skill reach the hosts that the request names, and no other skill", () => {
    expect(limited(["web_watch", "fs_write"]).grants).toMatchObject([
      { skill: "web_watch", host: "example.org" },
      { skill: "web_watch", host: "example.org:8443" },
    ]);
    expect(limited(["fs_write"]).grants).toEqual([]);
  });
});
