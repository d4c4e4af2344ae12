import { describe, expect, it } from "vitest";
import type { FunctionContent, Recipe } from "../../contract/function.ts";
import { InvalidArgsError } from "../../errors/request-errors.ts";
import { withFieldsOfCalls } from "./fields-of-calls.ts";

const SUMMARIES: Readonly<Record<string, string>> = {
  fs_write: "Write a file",
  task_create: "Create a task",
  fs_delete: "Delete it",
};
const summaryOf = (skill: string): string | undefined => SUMMARIES[skill];

const action = (skill: string, args: Record<string, unknown>): Recipe["actions"][number] => ({
  skill,
  args,
  expect: [],
});
const WRITE = action("fs_write", { path: "a.md", content: "${text}" });
const TASK = action("task_create", { title: "${text}" });

function contentOf(more: Partial<FunctionContent>): FunctionContent {
  return {
    name: "note",
    title: "Note",
    summary: "",
    tags: [],
    steps: [],
    skillsUsed: [],
    examples: [],
    parameters: [],
    kind: "guide",
    ...more,
  };
}
const recipeOf = (actions: Recipe["actions"], steps: string[]): FunctionContent =>
  contentOf({ kind: "recipe", recipe: { promptTemplates: [], actions }, steps });
const codeOf = (source: string, grants: string[], steps: string[]): FunctionContent =>
  contentOf({
    kind: "code",
    code: { language: "typescript", entry: "main", source, tests: "", grants },
    steps,
    skillsUsed: ["fs_delete"],
  });

describe("the steps and skills of a recipe", () => {
  it("are written from its calls if there is not one step for each call", () => {
    expect(withFieldsOfCalls(recipeOf([WRITE, TASK], ["Do it."]), { summaryOf })).toMatchObject({
      steps: [
        "Write a file (fs_write): path = a.md, content = ${text}",
        "Create a task (task_create): title = ${text}",
      ],
      skillsUsed: ["fs_write", "task_create"],
    });
  });

  it("keep the words of a person for each call, unless they name another skill", () => {
    const steps = ["Write it down", "Delete it (fs_delete): path = a.md"];
    expect(withFieldsOfCalls(recipeOf([WRITE, TASK], steps), { summaryOf }).steps).toEqual([
      "Write it down",
      "Create a task (task_create): title = ${text}",
    ]);
  });

  it("follow a changed call, and keep the words of the others", () => {
    const before = recipeOf([WRITE, TASK], ["Write it down", "Note a task"]);
    const other = action("task_create", { title: "See to ${text}" });
    const after = recipeOf([WRITE, other], before.steps);
    expect(withFieldsOfCalls(after, { before, summaryOf }).steps).toEqual([
      "Write it down",
      "Create a task (task_create): title = See to ${text}",
    ]);
  });

  it("stay as they are if neither they nor the calls changed", () => {
    const before = recipeOf([WRITE, TASK], ["Do it."]);
    expect(withFieldsOfCalls({ ...before, title: "Other" }, { before, summaryOf })).toEqual({
      ...before,
      title: "Other",
    });
  });
});

describe("the steps and skills of code", () => {
  it("are those that it may call", () => {
    const content = codeOf("…skills.fs_write(…)", ["fs_write", "host:a.example"], ["Writes it."]);
    expect(withFieldsOfCalls(content, { summaryOf })).toMatchObject({
      skillsUsed: ["fs_write"],
      steps: ["Writes it."],
    });
  });

  it("are refused if a step names a skill that the code does not call", () => {
    const content = codeOf(
      "export function main() { return 1; }",
      [],
      ["Write a file (fs_write): path = a.md"],
    );
    expect(() => withFieldsOfCalls(content, { summaryOf })).toThrow(InvalidArgsError);
    expect(() => withFieldsOfCalls(content, { summaryOf })).toThrow(
      "Step 1 names fs_write, which the code does not call.",
    );
  });
});

it("leaves a guide as it is written", () => {
  const guide = contentOf({ steps: ["Write a file (fs_write)"], skillsUsed: ["fs_write"] });
  expect(withFieldsOfCalls(guide, { summaryOf })).toEqual(guide);
});
