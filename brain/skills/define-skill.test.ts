import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineSkill } from "./define-skill.ts";
import { skillHarness } from "../../tests/support/skill-harness.ts";
import { skillGrammar } from "./skill-card.ts";

const harness = skillHarness();

const add = defineSkill({
  id: "add_up",
  summary: "Add numbers",
  category: "system",
  input: z.strictObject({
    first: z.int().describe("The first"),
    second: z.int().min(0).default(1),
    unit: z.enum(["metre", "mile"]).optional(),
    labels: z.array(z.string()).optional(),
  }),
  output: z.strictObject({
    sum: z.int().max(100),
    parts: z.array(z.strictObject({ name: z.string(), value: z.int() })),
  }),
  effects: "read",
  risk: "low",
  phrases: ["add {first} and {second}"],
  narrate: ({ sum }) => `The sum is ${sum}.`,
  run: async ({ first, second }) => ({ sum: first + second, parts: [{ name: "a|b", value: first }] }),
});

function problem(args: unknown): InvalidArgsError {
  try {
    add.parse(args);
  } catch (error) {
    if (error instanceof InvalidArgsError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("defineSkill: arguments", () => {
  it("applies defaults and guesses nothing", () => {
    expect(add.parse({ first: 2 })).toEqual({ first: 2, second: 1 });
    for (const first of ["two", "", "2.5", 2.5, true, null, [2], Number.NaN])
      expect(() => add.parse({ first })).toThrow(InvalidArgsError);
  });

  it("reports every problem at once", () => {
    const error = problem({ second: -1, unit: "mlie", labels: { x: 1 }, frist: 2 });
    expect(error.context["problems"]).toEqual([
      "first is missing",
      "second: must be at least 0",
      "unit must be one of metre, mile; did you mean mile?",
      "labels must be a list, not an object",
      "frist is not an input; did you mean first?",
    ]);
    expect(error.message).toMatch(
      /^add_up cannot take these arguments: first is missing; .*did you mean first\?$/u,
    );
    expect(error.suggestions).toEqual([
      "unit is one of metre, mile.",
      "The inputs are first, second, unit, labels.",
    ]);
  });

  it("rejects an unknown argument and names the valid ones", () => {
    const error = problem({ first: 1, zebra: 1 });
    expect(error.message).toBe("add_up cannot take these arguments: zebra is not an input.");
    expect(error.suggestions).toEqual(["The inputs are first, second, unit, labels."]);
  });

  it.each([[undefined], [null], ["text"], [7], [[]]])("rejects %j", (args) => {
    expect(problem(args).message).toBe(
      "add_up cannot take these arguments: the arguments must be an object.",
    );
  });

  it("never repeats a value", () => {
    const secret = "hunter2-hunter2";
    const error = problem({ first: secret, unit: secret, labels: [secret, 3] });
    expect(JSON.stringify(error.toDetail())).not.toContain(secret);
  });

  it("handles names of Object.prototype", () => {
    expect(problem(JSON.parse('{"first": 1, "__proto__": {"second": 5}}')).message).toContain(
      "__proto__ is not an input",
    );
    expect(problem({ first: 1, constructor: 1 }).message).toContain("constructor is not an input");
  });

  it("requires a strict schema", () => {
    const loose = {
      id: "loose",
      summary: "Loose",
      category: "system",
      effects: "read",
      risk: "low",
      phrases: [],
    } as const;
    const define = () =>
      defineSkill({
        ...loose,
        input: z.object({}),
        output: z.strictObject({}),
        narrate: () => "",
        run: async () => ({}),
      });
    expect(define).toThrow("loose: its input is not a strict object");
  });
});

describe("defineSkill: outputs", () => {
  it("runs and reports only what the outputs contain", async () => {
    const { outputs, narrative, structured, assessment } = await harness.call(add, { first: 2 });
    expect(outputs).toEqual({ sum: 3, parts: [{ name: "a|b", value: 2 }] });
    expect(narrative).toBe("The sum is 3.");
    expect(structured).toBe("- sum: 3\n\nparts:\n\n| name | value |\n| --- | --- |\n| a\\|b | 2 |");
    expect(assessment).toEqual({
      risk: "low",
      preview: {
        title: "Add numbers?",
        facts: [
          { label: "first", value: "2" },
          { label: "second", value: "1" },
        ],
      },
      paths: [],
      hosts: [],
    });
  });

  it("rejects a result that does not match the output schema", async () => {
    await expect(harness.call(add, { first: 200 })).rejects.toMatchObject({
      code: "UNEXPECTED_ERROR",
      context: { skill: "add_up", problems: ["sum: must be at most 100"] },
    });
  });
});

describe("skillGrammar", () => {
  it("returns what the grammar needs, and marks reads", () => {
    expect(skillGrammar(add)).toEqual({
      id: "add_up",
      reads: true,
      phrases: ["add {first} and {second}"],
      slots: {},
    });
  });
});
