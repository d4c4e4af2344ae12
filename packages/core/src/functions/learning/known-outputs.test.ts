import { expect, it } from "vitest";
import { knownOutputs } from "./known-outputs.ts";

it("takes no day for a result of a call that only repeats it, and the path and the text of one", () => {
  const due = "2026-12-04";
  const calls = [
    { skill: "fs_write", args: { path: "a.md" }, outputs: { path: "out/a.md" }, success: true },
    {
      skill: "task_create",
      args: { title: "Boots", due },
      outputs: { task: { title: "Boots", due } },
      success: true,
    },
    { skill: "web_watch", args: {}, outputs: { since: "2026-11-01" }, success: true },
    { skill: "task_create", args: { title: "Skates", due }, outputs: {}, success: true },
  ];
  const known = knownOutputs(calls, { request: "make a task for each line of dates.md", answers: [] });
  const fieldOf = (text: string) => known.sourceOf(text, 3)?.source.field;
  expect(fieldOf(due)).toBeUndefined();
  expect(fieldOf("out/a.md")).toBe("path");
  expect(fieldOf("Boots")).toBe("task.title");
  expect(fieldOf("2026-11-01")).toBe("since");
});
