import { describe, expect, it } from "vitest";
import type { FunctionParameter } from "../contract/function.ts";
import { parseParameters } from "./parameters.ts";

const parameter = (name: string, more: Partial<FunctionParameter> = {}): FunctionParameter => ({
  name,
  type: "string",
  description: `The ${name}`,
  required: true,
  ...more,
});

describe("parseParameters", () => {
  it("fills in defaults and leaves out what is optional", () => {
    const parameters = [
      parameter("path", { type: "path" }),
      parameter("count", { type: "number", required: false, default: 3 }),
      parameter("due", { type: "date", required: false }),
    ];
    expect(parseParameters(parameters, { path: "a.md" })).toEqual({ path: "a.md", count: 3 });
  });

  it.each([
    ["string", "words", 7],
    ["path", "out/a.md", ""],
    ["date", "2026-11-22", "tomorrow"],
    ["number", 1.5, "1.5"],
    ["boolean", false, "no"],
    ["list", [1, "a"], { 0: 1 }],
    ["object", { a: 1 }, [1]],
  ] as const)("accepts a %s and refuses other values without repeating them", (type, right, wrong) => {
    const parameters = [parameter("value", { type })];
    expect(parseParameters(parameters, { value: right })).toEqual({ value: right });
    expect(() => parseParameters(parameters, { value: wrong })).toThrow(/value: /u);
  });

  it("reports every problem at once, with the valid values", () => {
    const parameters = [parameter("a"), parameter("b", { type: "number" })];
    expect(() => parseParameters(parameters, { c: 1 })).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGS",
        context: {
          problems: [
            expect.stringContaining("a:"),
            expect.stringContaining("b:"),
            expect.stringContaining("c"),
          ],
        },
        suggestions: ["It takes a (string, required), b (number, required)."],
      }),
    );
  });
});
