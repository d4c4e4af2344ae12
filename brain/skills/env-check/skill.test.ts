import { afterEach, describe, expect, it, vi } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { envCheck } from "./skill.ts";

const harness = skillHarness();
afterEach(() => vi.unstubAllEnvs());

describe("env_check", () => {
  it("reports whether a variable is set, never its value", async () => {
    vi.stubEnv("MH_TEST_KEY", "sk-very-secret");
    const called = await harness.call(envCheck, { name: "MH_TEST_KEY" });
    expect(called.outputs).toEqual({ name: "MH_TEST_KEY", set: true });
    expect(called.narrative).toBe("MH_TEST_KEY is set.");
    expect(JSON.stringify(called)).not.toContain("sk-very-secret");
  });

  it("treats an empty or missing variable as not set, and supports names of Object.prototype", async () => {
    vi.stubEnv("MH_TEST_KEY", "");
    for (const name of ["MH_TEST_KEY", "MH_NO_SUCH_NAME", "constructor", "__proto__", "toString"])
      expect((await harness.call(envCheck, { name })).outputs).toMatchObject({ set: false });
  });

  it.each(["", "A B", "A=B", "$HOME", "A\0B", "1A", "a".repeat(129)])(
    "refuses %j for a name",
    async (name) => {
      await expect(harness.call(envCheck, { name })).rejects.toMatchObject({ code: "INVALID_ARGS" });
    },
  );
});
