import { describe, expect, it } from "vitest";
import { describeParameter } from "./describe-parameter.ts";

describe("the description of a learned parameter", () => {
  it.each([
    ["due", "task_create", "When the task is due."],
    ["title", "task_create", "What the task is called."],
    ["path", "fs_append", "The file to add to."],
    ["path", "json_update", "The file or folder."],
    ["maxWords", "summarize_file", "The max words."],
    ["commit_message", "git_commit", "The commit message."],
  ])("says what %s of %s is, without the name of a skill", (argument, skill, description) => {
    expect(describeParameter(argument, skill)).toBe(description);
  });
});
