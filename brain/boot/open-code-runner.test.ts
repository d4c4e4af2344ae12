import type { FunctionRun } from "@metahuman/sandbox/sandbox";
import { describe, expect, it } from "vitest";
import { openCodeRunner } from "./open-code-runner.ts";

const open = () => openCodeRunner(() => undefined);

/** Code that waits for a skill, which the test answers. */
function waiting() {
  const [called, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Record<string, unknown>>()];
  const run: FunctionRun = {
    module: "export const main = async () => (await skills.wait({})).said;",
    parameters: {},
    skills: ["wait"],
    callSkill: () => {
      called.resolve();
      return answer.promise;
    },
    limits: { wallMs: 25_000 },
  };
  return { run, called: called.promise, answer: answer.resolve };
}

describe("a code runner that is closed", () => {
  it("ends its runs, rejects further ones, and does not affect other runners", async () => {
    const [closed, other] = [open(), open()];
    const [ended, kept] = [waiting(), waiting()];
    const ending = closed.sandbox.run(ended.run).catch((error: unknown) => error);
    const keeping = other.sandbox.run(kept.run);
    await Promise.all([ended.called, kept.called]);
    closed.close();
    expect(await ending).toMatchObject({ code: "SANDBOX_CRASHED" });
    kept.answer({ said: "still here" });
    expect(await keeping).toMatchObject({ result: "still here" });
    await expect(closed.sandbox.run(ended.run)).rejects.toMatchObject({ code: "SANDBOX_CRASHED" });
    await expect(closed.tools.compileSnippet("'never read before'")).rejects.toMatchObject({
      code: "SANDBOX_CRASHED",
    });
    other.close();
  });
});

describe("a code runner for one person", () => {
  it("starts at once while eight functions of another person are running", async () => {
    const runner = open();
    const spinning = new AbortController();
    const spin: FunctionRun = {
      module: "export const main = async () => { for (;;); };",
      parameters: {},
      skills: [],
      callSkill: async () => ({}),
      limits: { wallMs: 3_600_000 },
      signal: spinning.signal,
    };
    const spins = Array.from({ length: 8 }, () =>
      runner
        .forOwner("greg")
        .sandbox.run(spin)
        .catch((error: unknown) => error),
    );
    const { result } = await runner.forOwner("anna").sandbox.run({
      ...spin,
      module: "export const main = async () => 'in time';",
    });
    expect(result).toBe("in time");
    spinning.abort(new Error("enough"));
    await Promise.all(spins);
    runner.close();
  });

  it("has its code checked before the second piece of another person's", async () => {
    const runner = open();
    const checked: string[] = [];
    const check = async (owner: string, text: string): Promise<void> => {
      await runner.forOwner(owner).tools.compileSnippet(`return "${owner}: ${text}";`);
      checked.push(owner);
    };
    await Promise.all([
      ...["one", "two", "three", "four"].map((text) => check("greg", text)),
      check("anna", "one"),
    ]);
    expect(checked).toEqual(["greg", "anna", "greg", "greg", "greg"]);
    runner.close();
  });
});
