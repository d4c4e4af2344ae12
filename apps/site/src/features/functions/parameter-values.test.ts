import type { FunctionParameter } from "@metahuman/core/contract/function";
import { describe, expect, it } from "vitest";
import { madeDefault, presetText, readParameters } from "./parameter-values.ts";

const parameter = (
  name: string,
  type: FunctionParameter["type"],
  more: Partial<FunctionParameter> = {},
): FunctionParameter => ({ name, type, description: "", required: true, ...more });

describe("values typed for parameters", () => {
  it.each([
    ["string", "two words", "two words"],
    ["number", "1.5", 1.5],
    ["boolean", "true", true],
    ["boolean", "", false],
    ["list", "a, b", ["a", "b"]],
    ["list", "[1, 2]", [1, 2]],
    ["object", `{"a": 1}`, { a: 1 }],
    ["date", "2026-11-20", "2026-11-20"],
  ] as const)("are parsed as %s: %s", (type, text, value) => {
    expect(readParameters([parameter("it", type)], { it: text })).toEqual({
      values: { it: value },
      problems: {},
    });
  });

  it("are refused if they are missing or invalid", () => {
    const parameters = [
      parameter("count", "number"),
      parameter("options", "object"),
      parameter("name", "string"),
      parameter("note", "string", { required: false }),
    ];
    expect(readParameters(parameters, { count: "many", options: "[1]", name: " " })).toEqual({
      values: {},
      problems: {
        count: "Enter a number.",
        options: "Enter a JSON object.",
        name: "Required.",
      },
    });
  });
});

it("leave a default that is made of other values to the server, and tell it in words", () => {
  const path = parameter("path", "path", { default: "trips/${place|slug}/notes.md" });
  expect(presetText(path)).toBe("");
  expect(madeDefault(path)).toBe("trips/‹place as a file name›/notes.md");
  expect(madeDefault(parameter("a", "string", { default: "tea" }))).toBeUndefined();
});

it("start with the defaults of the parameters", () => {
  expect(presetText(parameter("a", "string", { default: "tea" }))).toBe("tea");
  expect(presetText(parameter("a", "number", { default: 3 }))).toBe("3");
  expect(presetText(parameter("a", "string"))).toBe("");
});
