import { describe, expect, it } from "vitest";
import { deriveDefaults, describeParameter, namesForWords } from "./parameters.ts";
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

describe("the names for a path in a request", () => {
  it.each([
    ["write to the parents with her marks from class/marks.csv", "class/marks.csv", ["marks", "path"]],
    ["a letter for omar: template class/a.md, please", "class/a.md", ["template", "path"]],
    ["write the letter as class/letters/lena.md", "class/letters/lena.md", ["path", "letter"]],
    ["scale recipes/buns.md to 30 pieces", "recipes/buns.md", ["path", "recipe"]],
    ["add milk to shopping.md", "shopping.md", ["path"]],
    ["the parents of lena from class/template.md", "class/template.md", ["path"]],
    ["read the file notes/a.md", "notes/a.md", ["path"]],
  ])("are what the request calls it, or its folder: %s", (request, value, names) => {
    const start = request.indexOf(value);
    const span = { value, start, end: start + value.length, type: "path" as const, kind: "named" as const };
    expect(namesForWords("path", span, request)).toEqual(names);
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
