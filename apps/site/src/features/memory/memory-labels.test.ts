import { describe, expect, it } from "vitest";
import { listText, titleText, usageSentence, withoutTables } from "./memory-labels.ts";

const NONE = { cited: 0, followed: 0, opened: 0, useful: 0, not_useful: 0, restored: 0 };

it("shows the cells of a table without its lines", () => {
  expect(withoutTables("Answered: | memory | type | | --- | --- | | the key | fact |")).toBe(
    "Answered: · memory · type · the key · fact ·",
  );
  expect(withoutTables("either a | b, or c - d")).toBe("either a | b, or c - d");
});

describe("the text of a record in a list", () => {
  it("is the request and the answer of a conversation", () => {
    const content = "Asked: where is the boat?\nAnswered: At berth 14.";
    expect(listText({ type: "conversation", content, metadata: {} })).toBe(
      "where is the boat? → At berth 14.",
    );
    expect(listText({ type: "curated", content, metadata: {} })).toBe(content);
  });

  it("is the result of a skill call, without the id of the skill", () => {
    const content = "task_create: Created the task “caulk: today”.";
    const metadata = { toolName: "task_create" };
    expect(listText({ type: "tool_invocation", content, metadata })).toBe("Created the task “caulk: today”.");
    expect(listText({ type: "tool_invocation", content, metadata: {} })).toBe(content);
  });
});

describe("the title of an archived or linked memory", () => {
  it("is shown like the text of a record", () => {
    expect(titleText("Asked: where is the boat? Answered: At berth 14.")).toBe(
      "where is the boat? → At berth 14.",
    );
    expect(titleText("Asked: sail it Not answered (the run ended failed): No wind.")).toBe(
      "sail it → No wind.",
    );
    expect(titleText("memory_remember: Remembered: the boat is blue.")).toBe("Remembered: the boat is blue.");
    expect(titleText("note: it leaks")).toBe("note: it leaks");
  });
});

describe("the number of uses of a memory", () => {
  it("is described by kind, with the last use", () => {
    const words = usageSentence(
      { ...NONE, cited: 2, useful: 1, lastUsedAt: "2026-01-02T03:04:05.000Z" },
      0.6,
    );
    expect(words).toMatch(
      /^Cited in an answer 2 times, found useful once, last .*2026.*\. Importance 0\.60\.$/,
    );
  });

  it("is described if there is none", () => {
    expect(usageSentence(NONE, 1)).toBe("Not used yet. Importance 1.00.");
  });
});
