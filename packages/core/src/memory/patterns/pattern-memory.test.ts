import { describe, expect, it } from "vitest";
import { NewFunction } from "../../contract/function.ts";
import { functionFromPattern, type PatternFacts } from "./pattern-memory.ts";

const facts: PatternFacts = {
  key: "0123456789abcdef",
  template: "add {text} to {file} and read it",
  kind: "request",
  slots: [
    { name: "text", kind: "text", values: ['"milk"', '"tea"'] },
    { name: "file", kind: "file", values: ["list.md", "shop.md"] },
  ],
  skills: ["fs_append", "fs_read"],
  examples: [{ id: "evt-1", request: 'add "milk" to list.md and read it' }],
  occurrences: 4,
  confidence: 0.7,
  firstSeen: "2026-11-20T10:00:00.000Z",
  lastSeen: "2026-11-21T10:00:00.000Z",
  context: {},
  countedThrough: "evt-1",
};

describe("a function made of a pattern", () => {
  const made = functionFromPattern(facts, (skill) => `Do ${skill}`);

  it("is a guide with the skills as steps, the slots as parameters and the requests as examples", () => {
    expect(made).toMatchObject({
      kind: "guide",
      title: "Add … to … and read it",
      steps: ["Do fs_append (fs_append)", "Do fs_read (fs_read)"],
      skillsUsed: ["fs_append", "fs_read"],
      parameters: [
        { name: "text", type: "string", required: true },
        { name: "file", type: "path", description: "For example: list.md, shop.md" },
      ],
      examples: [{ prompt: facts.examples[0]?.request, skillSequence: ["fs_append", "fs_read"] }],
    });
  });

  it("can be saved, and is found again by its pattern", () => {
    expect(NewFunction.safeParse(made).success).toBe(true);
    expect(made.tags).toEqual(["pattern:0123456789abcdef"]);
  });
});
