import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { executeCode } from "./skill.ts";

const bench = skillBench();

describe("execute_code", () => {
  it("computes, and says what came of it", async () => {
    const { outputs, narrative, structured, assessment } = await bench.call(executeCode, {
      code: "console.log('adding'); const [a, b]: number[] = parameters.values; a + b",
      parameters: { values: [2, 3] },
    });
    expect(outputs).toEqual({ result: 5, logs: ["adding"] });
    expect(narrative).toBe("The code returned 5, and said 1 line.");
    expect(structured).toContain("5");
    expect(assessment.risk).toBe("low");
  });

  it("may use no skill", async () => {
    await expect(
      bench.call(executeCode, { code: "await skills.fs_read({ path: 'out/a.md' })" }),
    ).rejects.toMatchObject({
      code: "FUNCTION_ERROR",
      message: expect.stringContaining("fs_read is not for one-off code"),
    });
  });

  it("hands the code's own failure back, with its place", async () => {
    await expect(
      bench.call(executeCode, { code: "const a = 1;\nthrow new Error('no luck');" }),
    ).rejects.toMatchObject({ code: "FUNCTION_ERROR", message: expect.stringContaining("no luck (line 2)") });
  });
});
