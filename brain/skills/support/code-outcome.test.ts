import { expect, it } from "vitest";
import { resultMarkdown } from "./code-outcome.ts";

const call = (title: string) => ({
  skill: "task_create",
  args: { title },
  sentence: `Added “${title}”.`,
  outputs: {},
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
