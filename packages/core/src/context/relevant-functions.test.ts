import { describe, expect, it } from "vitest";
import type { RelevantFunction } from "../contract/context.ts";
import { formatFunctionsForPrompt, withoutChangesForQuestion } from "./relevant-functions.ts";

const guide = (more: Partial<RelevantFunction["guide"]>): RelevantFunction => ({
  id: "func-20261128-abc123",
  title: "Summarize a note",
  score: 1,
  rank: 1,
  matchReason: "keyword",
  reason: "",
  guide: {
    title: "Summarize a note",
    summary: "Reads a note and writes a summary.",
    kind: "recipe",
    skillsUsed: ["fs_read", "fs_write"],
    steps: [],
    parameters: [],
    examples: [],
    ...more,
  },
});

describe("a guide in a prompt", () => {
  it("names no call for a text that its recipe composes, because a planner writes it itself", () => {
    const shown = formatFunctionsForPrompt([
      guide({
        steps: [
          "Read a text file (fs_read): path = ${path}",
          "Compose a text with a model each time (conversational_response): goal = Write the content, context = ${steps.1.content}",
          "Write a text file (fs_write): path = ${path2}, content = ${steps.2.response}",
        ],
      }),
    ]);
    expect(shown).not.toContain("conversational_response");
    expect(shown).not.toContain("steps.2.response");
    expect(shown).toContain("2. No call: write the text for the next step yourself");
    expect(shown).toContain("content = the text of step 2");
  });

  it("has no placeholder for a value that a model composed", () => {
    const parameter = { name: "day", type: "date" as const, description: "", required: true };
    const shown = formatFunctionsForPrompt([
      guide({
        kind: "guide",
        steps: ["Create a task (task_create): title = ${title|capital}, due = ${day}"],
        parameters: [parameter],
      }),
    ]);
    expect(shown).toContain("title = yours to write, due = ${day}");
  });

  it("shows what a model composed last time with its lines, and no value that the request has", () => {
    const shown = formatFunctionsForPrompt([
      guide({
        examples: [
          {
            prompt: "summarize harbour.md",
            parameters: { path: "harbour.md", content: "# Harbour\n\n  - two boats" },
          },
        ],
      }),
    ]);
    expect(shown).toContain("content, last time:\n  # Harbour\n  \n    - two boats");
    expect(shown).not.toContain("path, last time");
  });
});

describe("the guides for a request that only asks", () => {
  const found = [
    { function: { id: "func-20261128-abc123", title: "Plan a visit", skillsUsed: ["fs_write"] }, score: 0.8 },
    { function: { id: "func-20261128-def456", title: "Sum receipts", skillsUsed: ["fs_read"] }, score: 0.7 },
  ];
  const titles = (request: string) => {
    const { items, rejected } = withoutChangesForQuestion(
      request,
      { items: found, rejected: [] },
      (skill) => skill === "fs_write",
    );
    expect([...items, ...rejected]).toHaveLength(2);
    return items.map((item) => item.function.title);
  };

  it.each(["is the guest room ready for Lena?", "When does Lena visit?"])(
    "do not include functions that change something: %s",
    (request) => expect(titles(request)).toEqual(["Sum receipts"]),
  );

  it.each([
    "can you plan a visit for Karin?",
    "plan Karin's visit",
    "What is next? Then write it to plan.md",
  ])("include them if it also orders something: %s", (request) =>
    expect(titles(request)).toEqual(["Plan a visit", "Sum receipts"]),
  );
});
