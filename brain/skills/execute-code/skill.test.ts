import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { installedSkills } from "../installed.ts";
import { skillCard } from "../skill-card.ts";
import { executeCode } from "./skill.ts";

const bench = skillBench();

describe("execute_code", () => {
  it("runs code and reports the result", async () => {
    const { outputs, narrative, structured, assessment } = await bench.call(executeCode, {
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
        ...bench.ports,
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

  it("returns the error of the code with its position", async () => {
    await expect(
      bench.call(executeCode, { code: "const a = 1;\nthrow new Error('no luck');" }),
    ).rejects.toMatchObject({ code: "FUNCTION_ERROR", message: expect.stringContaining("no luck (line 2)") });
  });
});
