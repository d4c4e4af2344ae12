import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Grant } from "../contract/approval.ts";
import { CognitiveMode, Effect, Risk, SkillOverride, TrustLevel } from "../contract/trust.ts";
import { decide, type CallEffects, type CallPolicy } from "./decide.ts";

const now = new Date("2026-11-20T12:00:00.000Z");

function call(parts: Partial<CallEffects> = {}): CallEffects {
  return {
    skill: "fs_write",
    effect: "write",
    risk: "low",
    requiresApproval: false,
    paths: ["out/notes/today.md"],
    hosts: [],
    ...parts,
  };
}

function policy(parts: Partial<CallPolicy> = {}): CallPolicy {
  return { mode: "dual", trustLevel: "supervised_auto", grants: [], now, ...parts };
}

function grant(parts: Partial<Grant> = {}): Grant {
  return {
    id: `grant-${"0".repeat(26)}`,
    skill: "fs_write",
    createdAt: "2026-11-01T00:00:00.000Z",
    ...parts,
  };
}

/** The policy table: one answer per trust level. */
const rows = {
  read: ["allow", "allow", "allow", "allow"],
  low: ["deny", "ask", "allow", "allow"],
  medium: ["deny", "ask", "allow", "allow"],
  high: ["deny", "ask", "ask", "allow"],
  critical: ["deny", "ask", "ask", "ask"],
} as const;

/** Returns the row of a call. */
const rowOf: Record<Effect, Record<Risk, keyof typeof rows>> = {
  read: { low: "read", medium: "read", high: "read", critical: "critical" },
  agent: { low: "read", medium: "medium", high: "high", critical: "critical" },
  write: { low: "low", medium: "medium", high: "high", critical: "critical" },
  network: { low: "low", medium: "medium", high: "high", critical: "critical" },
  execute: { low: "low", medium: "medium", high: "high", critical: "critical" },
};

const everyCall = Effect.options.flatMap((effect) => Risk.options.map((risk) => ({ effect, risk })));
const everyProfile = CognitiveMode.options.flatMap((mode) =>
  TrustLevel.options.map((trustLevel, column) => ({ mode, trustLevel, column })),
);

describe("the table", () => {
  describe.each(everyProfile)("in $mode at $trustLevel", ({ mode, trustLevel, column }) => {
    it.each(everyCall)("$effect, $risk risk", ({ effect, risk }) => {
      const row = rowOf[effect][risk];
      const expected = mode === "emulation" && row !== "read" ? "deny" : rows[row][column];
      expect(decide(call({ effect, risk }), policy({ mode, trustLevel })).decision).toBe(expected);
    });
  });
});

describe("a manifest that requires approval", () => {
  it("names the trust level as the page does in its reasons", () => {
    const risky = call({ risk: "high" });
    for (const [trustLevel, name] of [
      ["suggest", "Suggest"],
      ["supervised_auto", "Supervised"],
      ["bounded_auto", "Bounded"],
      ["observe", "Observe"],
    ] as const) {
      const { reason } = decide(risky, policy({ trustLevel }));
      expect(reason).toContain(`At trust level ${name},`);
    }
  });

  it("changes every allow to ask, and no deny", () => {
    for (const { mode, trustLevel } of everyProfile) {
      for (const effects of everyCall) {
        const usual = decide(call(effects), policy({ mode, trustLevel })).decision;
        const strict = decide(
          call({ ...effects, requiresApproval: true }),
          policy({ mode, trustLevel }),
        ).decision;
        expect(strict).toBe(usual === "deny" ? "deny" : "ask");
      }
    }
  });

  it("asks despite a pin or a grant", () => {
    const strict = call({ risk: "high", requiresApproval: true });
    expect(decide(strict, policy({ override: "always" })).decision).toBe("ask");
    expect(decide(strict, policy({ grants: [grant({ pathPrefix: "out/" })] })).decision).toBe("ask");
  });
});

describe("an unnamed target", () => {
  it("changes every allow to ask, and no deny", () => {
    for (const { mode, trustLevel } of everyProfile) {
      for (const effects of everyCall) {
        const usual = decide(call({ ...effects, target: "named" }), policy({ mode, trustLevel })).decision;
        const unnamed = decide(call({ ...effects, target: "unnamed" }), policy({ mode, trustLevel }));
        expect(usual).toBe(decide(call(effects), policy({ mode, trustLevel })).decision);
        expect(unnamed.decision).toBe(usual === "deny" ? "deny" : "ask");
      }
    }
  });

  it("asks despite a pin or a grant", () => {
    const unnamed = call({ risk: "high", target: "unnamed" });
    expect(decide(unnamed, policy({ override: "always" })).decision).toBe("ask");
    expect(decide(unnamed, policy({ grants: [grant({ pathPrefix: "out/" })] })).decision).toBe("ask");
  });
});

describe("a target of which the person denied another call", () => {
  it("changes every allow of a call that does not only read to ask, and no deny", () => {
    for (const { mode, trustLevel } of everyProfile) {
      for (const effects of everyCall) {
        const usual = decide(call(effects), policy({ mode, trustLevel }));
        const denied = decide(call({ ...effects, target: "denied" }), policy({ mode, trustLevel }));
        const isRead = usual.reason === "It only reads.";
        expect(denied.decision).toBe(usual.decision === "allow" && !isRead ? "ask" : usual.decision);
      }
    }
  });
});

describe("a skill that asks for each host", () => {
  const get = call({ skill: "http_get", effect: "network", risk: "medium", paths: [], hosts: ["a.example"] });
  const asking = { ...get, asksPerHost: true };

  it("changes every allow to ask, and no deny", () => {
    for (const { mode, trustLevel } of everyProfile) {
      const usual = decide(get, policy({ mode, trustLevel })).decision;
      expect(decide(asking, policy({ mode, trustLevel })).decision).toBe(usual === "deny" ? "deny" : "ask");
    }
  });

  it("is allowed by a grant for this host, or by a pin", () => {
    const permission = grant({ skill: "http_get", host: "a.example" });
    expect(decide(asking, policy({ grants: [permission] }))).toMatchObject({
      decision: "allow",
      grantId: permission.id,
    });
    expect(decide({ ...asking, hosts: ["b.example"] }, policy({ grants: [permission] })).decision).toBe(
      "ask",
    );
    expect(decide(asking, policy({ override: "always" })).decision).toBe("allow");
  });

  it("does not ask for a call without hosts", () => {
    expect(decide({ ...asking, hosts: [] }, policy()).decision).toBe("allow");
  });
});

describe("a pinned skill", () => {
  it("never: is denied for every effect", () => {
    for (const { mode, trustLevel } of everyProfile) {
      for (const effects of everyCall) {
        expect(decide(call(effects), policy({ mode, trustLevel, override: "never" })).decision).toBe("deny");
      }
    }
  });

  it("ask: asks unless denied, despite grants", () => {
    for (const { mode, trustLevel } of everyProfile) {
      for (const effects of everyCall) {
        const usual = decide(call(effects), policy({ mode, trustLevel })).decision;
        const pinned = decide(
          call(effects),
          policy({ mode, trustLevel, override: "ask", grants: [grant({ pathPrefix: "out/" })] }),
        );
        expect(pinned.decision).toBe(usual === "deny" ? "deny" : "ask");
      }
    }
  });

  it("always: replaces the question, but no denial and no critical risk", () => {
    for (const { mode, trustLevel } of everyProfile) {
      for (const effects of everyCall) {
        const usual = decide(call(effects), policy({ mode, trustLevel })).decision;
        const pinned = decide(call(effects), policy({ mode, trustLevel, override: "always" })).decision;
        expect(pinned).toBe(usual === "ask" && effects.risk !== "critical" ? "allow" : usual);
      }
    }
  });
});

describe("a grant", () => {
  const overwrite = call({ risk: "high" });
  const decided = (
    permission: Partial<Grant>,
    effects: Partial<CallEffects> = {},
    parts: Partial<CallPolicy> = {},
  ): string =>
    decide({ ...overwrite, ...effects }, policy({ grants: [grant(permission)], ...parts })).decision;

  it.each(["out/", "out/notes/", "out/notes/today.md"])("for %s covers out/notes/today.md", (pathPrefix) => {
    expect(decided({ pathPrefix })).toBe("allow");
  });

  it.each([
    "ou",
    "out",
    "out/notes",
    "out/note",
    "out/notes/today",
    "out/notes/today.md/x",
    "inbox",
    "OUT",
    "",
    "/",
    ".",
    "out/..",
    "out//notes",
    "../out",
  ])("for %j does not", (pathPrefix) => {
    expect(decided({ pathPrefix })).toBe("ask");
  });

  it.each(["out/../secret.md", "out//notes", "out/./notes", "/out/notes", "out\\notes", ""])(
    "covers no path that is not canonical: %j",
    (path) => {
      expect(decided({ pathPrefix: "out/" }, { paths: [path] })).toBe("ask");
    },
  );

  it("must cover every path of the call", () => {
    expect(decided({ pathPrefix: "out/a/" }, { paths: ["out/a/x", "out/b/x"] })).toBe("ask");
    expect(decided({ pathPrefix: "out/" }, { paths: ["out/a/x", "out/b/x"] })).toBe("allow");
  });

  it("for a file covers only that file, even if a folder has its name", () => {
    expect(decided({ pathPrefix: "out/notes" }, { paths: ["out/notes"] })).toBe("allow");
    expect(decided({ pathPrefix: "out/notes" }, { paths: ["out/notes/today.md"] })).toBe("ask");
    expect(decided({ pathPrefix: "out/notes" }, { paths: ["out/notes/"] })).toBe("ask");
  });

  it("for a folder covers the folder and everything in it", () => {
    expect(decided({ pathPrefix: "out/notes/" }, { paths: ["out/notes/"] })).toBe("allow");
    expect(decided({ pathPrefix: "out/notes/" }, { paths: ["out/notes/deep/"] })).toBe("allow");
    expect(decided({ pathPrefix: "out/notes/" }, { paths: ["out/notes2"] })).toBe("ask");
  });

  it("for several paths covers calls that touch no others", () => {
    const pair = { paths: ["out/a.md", "docs/b/"] };
    expect(decided(pair, { paths: ["out/a.md", "docs/b/a.md"] })).toBe("allow");
    expect(decided(pair, { paths: ["out/a.md", "docs/c.md"] })).toBe("ask");
    expect(decided({ paths: [] }, { paths: ["out/a.md"] })).toBe("ask");
    expect(decided(pair, { paths: [] })).toBe("ask");
  });

  it("for a host covers that host exactly", () => {
    const get = { effect: "network", paths: [], hosts: ["example.org"] } as const;
    expect(decided({ host: "example.org" }, get)).toBe("allow");
    for (const host of ["www.example.org", "example.org:8080", "org", "example.org.evil.net"]) {
      expect(decided({ host }, get)).toBe("ask");
    }
    expect(decided({ host: "example.org" }, { ...get, hosts: ["example.org", "evil.net"] })).toBe("ask");
  });

  it("covers only its own skill", () => {
    expect(decided({ skill: "fs_delete", pathPrefix: "out/" })).toBe("ask");
  });

  it("without a scope covers only calls that touch neither paths nor hosts, and with one only those that do", () => {
    expect(decided({})).toBe("ask");
    expect(decided({}, { paths: [] })).toBe("allow");
    expect(decided({ pathPrefix: "out/" }, { paths: [] })).toBe("ask");
    expect(decided({ pathPrefix: "out/" }, { hosts: ["example.org"] })).toBe("ask");
  });

  it("expires at its time", () => {
    expect(decided({ pathPrefix: "out/", expires: "2026-11-20T12:00:00.001Z" })).toBe("allow");
    expect(decided({ pathPrefix: "out/", expires: "2026-11-20T12:00:00.000Z" })).toBe("ask");
  });

  it("never covers a critical call or a denied one", () => {
    expect(decided({ pathPrefix: "out/" }, { risk: "critical" }, { trustLevel: "bounded_auto" })).toBe("ask");
    expect(decided({ pathPrefix: "out/" }, {}, { trustLevel: "observe" })).toBe("deny");
    expect(decided({ pathPrefix: "out/" }, {}, { mode: "emulation" })).toBe("deny");
  });

  it("is named in its decision", () => {
    const permission = grant({ pathPrefix: "out/" });
    expect(decide(overwrite, policy({ grants: [permission] }))).toEqual({
      decision: "allow",
      reason: "A standing permission allows it.",
      grantId: permission.id,
    });
    expect(decide(call(), policy({ grants: [permission] })).grantId).toBeUndefined();
  });
});

describe("any combination", () => {
  const anyCall = fc.record({
    skill: fc.constantFrom("fs_write", "fs_delete"),
    effect: fc.constantFrom(...Effect.options),
    risk: fc.constantFrom(...Risk.options),
    requiresApproval: fc.boolean(),
    paths: fc.array(fc.constantFrom("out/a", "out/b/c", "inbox/x")),
    hosts: fc.array(fc.constantFrom("example.org", "evil.net")),
  });
  const anyPolicy = fc.record({
    mode: fc.constantFrom(...CognitiveMode.options),
    override: fc.option(fc.constantFrom(...SkillOverride.options), { nil: undefined }),
    grants: fc.array(
      fc
        .record({
          pathPrefix: fc.constantFrom("out/", "out/b/", "inbox/x"),
          skill: fc.constantFrom("fs_write", "fs_delete"),
        })
        .map(grant),
    ),
  });
  const permissive = { deny: 0, ask: 1, allow: 2 };

  it("is never more permissive at a lower trust level", () => {
    fc.assert(
      fc.property(anyCall, anyPolicy, (effects, parts) => {
        const answers = TrustLevel.options.map(
          (trustLevel) => permissive[decide(effects, policy({ ...parts, trustLevel })).decision],
        );
        expect(answers).toEqual(answers.toSorted());
      }),
    );
  });

  it("always has a reason", () => {
    fc.assert(
      fc.property(anyCall, anyPolicy, (effects, parts) => {
        expect(decide(effects, policy(parts)).reason).toMatch(/^[A-Za-z].*\.$/);
      }),
    );
  });
});
