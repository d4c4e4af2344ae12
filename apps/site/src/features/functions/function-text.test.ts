import type { FunctionContent } from "@metahuman/core/contract/function";
import { expect, it } from "vitest";
import { functionText, stepText } from "./function-text.ts";

const CONTENT: FunctionContent = {
  name: "weigh-post",
  title: "Weigh the post",
  summary: "Says what it weighs.",
  tags: ["post"],
  steps: ["Weigh it."],
  skillsUsed: ["fs_write"],
  examples: [{ prompt: "weigh the post" }],
  parameters: [
    { name: "what", type: "string", description: "Which letter", required: true },
    { name: "unit", type: "string", description: "", required: false, default: "g" },
  ],
  kind: "recipe",
  recipe: {
    promptTemplates: ["weigh {what}"],
    actions: [
      {
        skill: "fs_write",
        args: { path: "out/${what}.md" },
        expect: [
          { field: "path", is: "equals", value: "out/${what}.md" },
          { field: "bytes", is: "type", value: "number" },
        ],
      },
    ],
  },
};

it("formats a function completely, line by line", () => {
  expect(functionText(CONTENT)).toBe(`Weigh the post
Says what it weighs.
recipe, called weigh-post
tags: post
skills: fs_write

Steps
· Weigh it.

Parameters
what: string, required (Which letter)
unit: string, default "g"

Examples
“weigh the post”

Triggers
“weigh {what}”

Calls
1. fs_write
   path = "out/\${what}.md"
   then path equals "out/\${what}.md"
   then bytes is of type number`);
  const { recipe: _, ...rest } = CONTENT;
  const grants = ["fs_write"];
  expect(
    functionText({
      ...rest,
      kind: "code",
      code: { language: "typescript", source: "a\n", entry: "main", tests: "b\n", grants },
    }),
  ).toContain("Code\na\n\nTests\nb\n\nMay use\nfs_write");
});

it("shows a learned step without the names of skills, and a step in other words as it is", () => {
  expect(stepText("Create a task (task_create): title = call ${name}, due = ${due}")).toBe(
    "Create a task: call ${name}, ${due}",
  );
  expect(
    stepText("Write a text file. (fs_write): path = ${path}, content = a, b = c, overwrite = true"),
  ).toBe("Write a text file: ${path}, a, b c, overwrite true");
  expect(stepText("List the files (fs_list)")).toBe("List the files");
  expect(stepText("Ask Ann (the neighbour): she knows")).toBe("Ask Ann (the neighbour): she knows");
});
