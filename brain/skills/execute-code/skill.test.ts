import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { installedSkills } from "../installed.ts";
import { skillCard } from "../skill-card.ts";
import { executeCode } from "./skill.ts";

const harness = skillHarness();

describe("execute_code", () => {
  it("runs code and reports the result", async () => {
    const { outputs, narrative, structured, assessment } = await harness.call(executeCode, {
      code: "console.log('adding'); const [a, b]: number[] = parameters.values; a + b",
      parameters: { values: [2, 3] },
    });
    expect(outputs).toEqual({ result: 5, logs: ["adding"] });
    expect(narrative).toBe("The code returned 5, and said 1 line.");
    expect(structured).toContain("5");
    expect(assessment.risk).toBe("low");
  });

  it("has the risk of the skills that it calls, and previews them with files and hosts", async () => {
    const assess = async (code: string, files: string[] = []) =>
      executeCode.assess(executeCode.parse({ code, files }), {
        ...harness.ports,
        catalog: () => installedSkills.map(skillCard),
      });
    expect(await assess("await skills.task_delete({ id: 'x' })")).toMatchObject({
      effect: "write",
      risk: "medium",
    });
    const get = await assess("await skills.http_get({ url: 'https://tide.example/x' })", ["out/a.md"]);
    expect(get).toMatchObject({
      effect: "network",
      nested: [{ skill: "http_get", hosts: ["tide.example"] }, {}],
    });
    expect(get.preview.facts).toContainEqual({ label: "hosts", value: "tide.example" });
    expect(get.preview.facts).toContainEqual({ label: "paths", value: "out/a.md" });
  });

  it.each([
    ["an index", 'await skills["task_delete"]({ id: "x" })'],
    ["destructuring", 'const { task_delete: remove } = skills; await remove({ id: "x" })'],
    ["an optional call", 'await skills?.task_delete?.({ id: "x" })'],
  ])("finds a skill that is called by %s", async (_way, code) => {
    const ports = { ...harness.ports, catalog: () => installedSkills.map(skillCard) };
    expect(await executeCode.assess(executeCode.parse({ code }), ports)).toMatchObject({
      effect: "write",
      risk: "medium",
    });
  });

  it("asks for no skill that only a comment or a string names", async () => {
    const code = '// not skills.task_delete\nconst text = "skills.fs_delete"; text.length';
    const ports = { ...harness.ports, catalog: () => installedSkills.map(skillCard) };
    const { preview, risk } = await executeCode.assess(executeCode.parse({ code }), ports);
    expect(risk).toBe("low");
    expect(preview.facts).toContainEqual({ label: "may use", value: "nothing: it only computes" });
  });

  it.each(["await skills[parameters.name]({})", "const all = skills; await all.fs_list({})"])(
    "refuses code that hides which skills it calls: %s",
    async (code) => {
      await expect(executeCode.assess(executeCode.parse({ code }), harness.ports)).rejects.toMatchObject({
        code: "INVALID_ARGS",
        suggestions: ["Call each skill by its name, as in skills.fs_read({ … })."],
      });
    },
  );

  it.each([
    ['parameters.files["inbox/fees.csv"].length', '"files": ["inbox/fees.csv"]'],
    ["for (const text of Object.values(parameters.files)) text", '"files": ["<path>"]'],
  ])("asks for the files that the code reads and the call does not name: %s", async (code, suggestion) => {
    await expect(executeCode.assess(executeCode.parse({ code }), harness.ports)).rejects.toMatchObject({
      code: "INVALID_ARGS",
      suggestions: [`Name them in the call: ${suggestion}`],
    });
  });

  it("returns the error of the code with its position", async () => {
    await expect(
      harness.call(executeCode, { code: "const a = 1;\nthrow new Error('no luck');" }),
    ).rejects.toMatchObject({ code: "FUNCTION_ERROR", message: expect.stringContaining("no luck (line 2)") });
  });
});
