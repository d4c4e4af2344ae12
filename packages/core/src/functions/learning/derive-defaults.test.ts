import { describe, expect, it } from "vitest";
import type { FunctionParameter } from "../../contract/function.ts";
import { deriveDefaults } from "./derive-defaults.ts";

const parameter = (name: string, type: FunctionParameter["type"] = "string"): FunctionParameter => ({
  name,
  type,
  description: "",
  required: true,
});
const runs = (...values: Record<string, unknown>[]) => values.map((parameters) => ({ parameters }));

describe("three runs", () => {
  it("show a text that always contains the value of another parameter", () => {
    const parameters = [parameter("name"), parameter("title"), parameter("due", "date")];
    const examples = runs(
      { name: "Anna Berg", title: "call Anna Berg", due: "2026-11-30" },
      { name: "Tomi Laine", title: "call Tomi Laine", due: "2026-12-04" },
      { name: "Ruth Oyelaran", title: "call Ruth Oyelaran", due: "2026-12-03" },
    );
    expect(deriveDefaults(parameters, examples)).toEqual([
      parameter("name"),
      { ...parameter("title"), required: false, default: "call ${name}" },
      parameter("due", "date"),
    ]);
    expect(deriveDefaults(parameters, examples.slice(1))).toBeUndefined();
  });

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
  });

  it.each([
    ["in one of them the text is another one", { name: "Ruth Oyelaran", title: "ring Ruth Oyelaran" }],
    ["one of them lacks the value", { name: "Ruth Oyelaran" }],
    ["the value is only a part of a word", { name: "Ruth", title: "call Ruthless" }],
  ])("show nothing if %s", (_, last) => {
    const examples = runs(
      { name: "Anna Berg", title: "call Anna Berg" },
      { name: "Tomi Laine", title: "call Tomi Laine" },
      last,
    );
    expect(deriveDefaults([parameter("name"), parameter("title")], examples)).toBeUndefined();
  });

  it("show nothing if nothing varies", () => {
    const examples = runs({ name: "Anna" }, { name: "Anna" }, { name: "Anna" });
    expect(deriveDefaults([parameter("name")], examples)).toBeUndefined();
  });
});
