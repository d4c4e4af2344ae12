import { describe, expect, it } from "vitest";
import type { RelevantFunction } from "../contract/context.ts";
import { formatFunctionsForPrompt } from "./relevant-functions.ts";

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
