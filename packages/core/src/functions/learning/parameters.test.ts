import { describe, expect, it } from "vitest";
import { deriveDefaults, describeParameter } from "./parameters.ts";
import type { FunctionParameter } from "../../contract/function.ts";

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

const parameter = (name: string, type: FunctionParameter["type"] = "string"): FunctionParameter => ({
  name,
  type,
  description: "",
  required: true,
});
const runs = (...values: Record<string, unknown>[]) => values.map((parameters) => ({ parameters }));

describe("three runs", () => {
  it("show a text that is always the same while others vary", () => {
    const parameters = [parameter("item"), parameter("path", "path"), parameter("due", "date")];
    const examples = runs(
      { item: "milk", path: "shopping.md", due: "2026-11-30" },
      { item: "oats", path: "shopping.md", due: "2026-11-30" },
      { item: "rye", path: "shopping.md", due: "2026-11-30" },
    );
    expect(deriveDefaults(parameters, examples)).toEqual([
      parameter("item"),
      { ...parameter("path", "path"), required: false, default: "shopping.md" },
      parameter("due", "date"),
    ]);
    expect(deriveDefaults(parameters, examples.slice(1))).toBeUndefined();
  });

  it("show nothing if one of them lacks the value", () => {
    const examples = runs({ name: "Anna", path: "a.md" }, { name: "Tomi", path: "a.md" }, { name: "Ruth" });
    expect(deriveDefaults([parameter("name"), parameter("path", "path")], examples)).toBeUndefined();
  });

  it("show nothing if nothing varies", () => {
    const examples = runs({ name: "Anna" }, { name: "Anna" }, { name: "Anna" });
    expect(deriveDefaults([parameter("name")], examples)).toBeUndefined();
  });
});
