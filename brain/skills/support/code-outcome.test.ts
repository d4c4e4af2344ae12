import { expect, it } from "vitest";
import { functionRun } from "../function-run/skill.ts";
import { resultMarkdown } from "./code-outcome.ts";

const call = (title: string) => ({
  skill: "task_create",
  args: { title },
  sentence: `Added “${title}”.`,
  outputs: {},
});

it("tells code that returns steps apart from a recipe", () => {
  const narrative = (kind: string) =>
    functionRun.narrate({
      function: { id: "func-1", title: "Plan the walk", kind },
      result: { steps: [{ hours: 3 }] },
      logs: ["to the lake"],
      durationMs: 3,
    });
  expect(narrative("recipe")).toBe("to the lake");
  expect(narrative("code")).toBe('“Plan the walk” returned {"steps":[{"hours":3}]}, and said 1 line.');
});

it("counts calls above a list of calls", () => {
  const calls = Array.from({ length: 31 }, (_, index) => call(`Task ${index}`));
  const text = resultMarkdown({ result: null, logs: [], calls });
  expect(text).toContain("31 calls changed something:\n- task_create: Added “Task 0”.");
  expect(text).toMatch(/- and 1 more call$/u);
  expect(resultMarkdown({ result: null, logs: [], calls: calls.slice(0, 1) })).toContain(
    "1 call changed something:",
  );
});
