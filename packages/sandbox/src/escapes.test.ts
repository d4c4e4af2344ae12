import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { describe, expect, it } from "vitest";
import { sandbox } from "./open-sandbox.ts";
import type { FunctionRun } from "./sandbox.ts";
import { type Attack, attacks } from "./testing/escape-corpus.ts";

/** An endless attack exceeds any limit. For all others, the limit must be long enough for a slow machine. */
const wallMs = (ends: Attack["ends"]): number => (ends === "SANDBOX_TIMEOUT" ? 100 : 25_000);

async function carryOut({ before = "", main, parameters = {}, limits, ends }: Attack): Promise<unknown> {
  const run: FunctionRun = {
    module: `${before}\nexport async function main(p) { ${main} }`,
    parameters,
    skills: ["echo"],
    callSkill: async (_skill, args) => ({ args }),
    limits: { wallMs: wallMs(ends), ...limits },
  };
  return sandbox.run(run).then(
    ({ result }) => ({ result }),
    (error: unknown) => error,
  );
}

describe("code in the sandbox", () => {
  it.each(attacks)("$what: ends correctly without side effects", async (attack) => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const ending = await carryOut(attack);
    if (typeof attack.ends === "string") {
      expect(ending).toBeInstanceOf(MetahumanError);
      expect(ending).toMatchObject({ code: attack.ends });
    } else expect(ending).toEqual(attack.ends);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    expect({}).not.toHaveProperty("polluted");
  });

  it("covers at least sixty attacks", () => {
    expect(new Set(attacks.map(({ what }) => what)).size).toBeGreaterThanOrEqual(60);
  });

  it("leaves nothing for the next run", async () => {
    const first = {
      what: "",
      ends: { result: null },
      main: "globalThis.left = Array.prototype.left = 'behind'",
    };
    expect(await carryOut({ ...first })).toEqual({ result: null });
    const second = { what: "", ends: { result: null }, main: "return [typeof left, typeof [].left]" };
    expect(await carryOut({ ...second })).toEqual({ result: ["undefined", "undefined"] });
  });

  it("does not reveal this machine in its errors", async () => {
    for (const main of ["null.x", "return import('node:fs')", "return eval('(')"]) {
      const error = await carryOut({ what: "", ends: "FUNCTION_ERROR", main });
      expect(JSON.stringify(error instanceof MetahumanError && error.toDetail())).not.toContain(
        process.cwd(),
      );
    }
  });
});
