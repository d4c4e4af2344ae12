import { describe, expect, it } from "vitest";
import {
  errorForPerson,
  isLongValue,
  observationSentence,
  outputsSummary,
  reasonInWords,
} from "./observation-text.ts";

it("tells a person that they denied a call, without the advice for planners", () => {
  const error = {
    code: "APPROVAL_DENIED" as const,
    message: "The person denied this call: keep it",
    suggestions: ["Do not repeat the call."],
    context: { isDecided: true, reason: "keep it" },
  };
  expect(errorForPerson(error)).toEqual({ text: "You denied this: keep it", suggestions: [] });
  const expired = { ...error, message: "Nobody decided on this call in time.", context: {} };
  expect(errorForPerson(expired)).toEqual({
    text: "Nobody decided on this call in time.",
    suggestions: [],
  });
});

it("formats outputs on one line", () => {
  const outputs = {
    path: "out/a.md",
    content: "two\nlines",
    bytes: 9,
    entries: [1, 2],
    task: { id: 1 },
    truncated: false,
  };
  expect(outputsSummary(outputs)).toBe(
    "path out/a.md · content (9 characters) · 9 bytes · entries (2) · task {…}",
  );
  expect(outputsSummary({ exitCode: 0, waitMs: 40 })).toBe("exit code 0 · wait 40 ms");
  expect(outputsSummary({})).toBe("nothing");
});

it("puts long and multi-line values on their own lines", () => {
  expect(isLongValue("out/pizza.txt")).toBe(false);
  expect(isLongValue("two\nlines")).toBe(true);
  expect(isLongValue({ a: 1 })).toBe(true);
});

describe("the outcome of a call on one line", () => {
  const observation = { mode: "structured" as const, content: "", success: true };
  const read = { tool: "fs_read", args: { path: "camping.md" } };

  it("starts with the action, and does not repeat the path", () => {
    const outputs = { path: "out/camping.md", content: "tent\nlamp", bytes: 9 };
    expect(observationSentence({ ...observation, outputs }, read)).toBe(
      "Read camping.md: content (9 characters) · 9 bytes",
    );
  });

  it("counts the results", () => {
    const list = { tool: "task_list", args: {} };
    expect(observationSentence({ ...observation, outputs: { tasks: [], total: 2 } }, list)).toBe(
      "Listed tasks: 2 results.",
    );
  });

  it("does not repeat an answer", () => {
    const answered = { ...observation, mode: "narrative" as const, content: "It is **well** [1].\n\n| a |" };
    const write = { tool: "conversational_response", args: {} };
    expect(observationSentence(answered, write)).toBe("Wrote an answer.");
  });

  it("is the sentence of the skill, or names and values for an unknown skill", () => {
    const outputs = { rows: 3 };
    const narrated = { ...observation, mode: "narrative" as const, content: "Created a.md.", outputs };
    expect(observationSentence(narrated, read)).toBe("Created a.md.");
    expect(observationSentence({ ...observation, outputs }, { tool: "mine", args: {} })).toBe("rows 3");
  });
});

it("leaves the names and the figures of the terms out of a reason", () => {
  const reason = "words (has 50 % of the words of the request), meaning (similar in meaning (0.65 of 1))";
  expect(reasonInWords(reason)).toBe("has 50 % of the words of the request, similar in meaning");
  expect(reasonInWords("importance (importance 0.80), pattern (a pattern)")).toBe("importance, a pattern");
  expect(reasonInWords("below the threshold (0.62 of 1)")).toBe("below the threshold");
  expect(reasonInWords("5 others fit better")).toBe("5 others fit better");
});
