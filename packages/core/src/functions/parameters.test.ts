import { describe, expect, it } from "vitest";
import type { FunctionParameter } from "../contract/function.ts";
import { parseParameters, withReadValues } from "./parameters.ts";

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

describe("withReadValues", () => {
  const clock = { now: new Date("2026-11-29T19:00:00Z"), timeZone: "Europe/Oslo", locale: "en-GB" };
  const parameters = [
    parameter("name"),
    parameter("day", { type: "date" }),
    parameter("amount", { type: "number" }),
    parameter("paid", { type: "boolean" }),
  ];

  it.each([
    [{ day: "friday" }, { day: "2026-12-04" }],
    [{ day: "the 8th" }, { day: "2026-12-08" }],
    [{ day: "tomorrow at 9" }, { day: "2026-11-30T08:00:00.000Z" }],
    [{ day: "2026-12-24" }, { day: "2026-12-24" }],
    [{ amount: "750" }, { amount: 750 }],
    [{ name: 12 }, { name: "12" }],
    [{ paid: "Yes" }, { paid: "Yes" }],
    [{ paid: "true" }, { paid: true }],
  ])("reads %j as a value of its type", (given, read) => {
    expect(withReadValues(parameters, given, clock)).toEqual(read);
  });

  it.each([{ day: "soon" }, { day: "31 November" }, { amount: "750 kr" }, { other: "friday" }])(
    "leaves %j as it is",
    (given) => {
      expect(withReadValues(parameters, given, clock)).toEqual(given);
    },
  );
});
