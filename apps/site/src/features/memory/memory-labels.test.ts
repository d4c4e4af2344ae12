import { describe, expect, it } from "vitest";
import {
  archivedTitle,
  archiveReason,
  listText,
  reasonSentences,
  titleText,
  usageSentence,
  withoutTables,
} from "./memory-labels.ts";

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

it("explains why a search found a record with one sentence for each term of its score", () => {
  const parts = [
    { name: "words", value: 0.4, detail: "has 50 % of the words of the request" },
    { name: "activation", value: 0.1, detail: "from 2026-11-27, not used since" },
    { name: "meaning", value: 0.2, detail: "similar in meaning (0.58 of 1)" },
    { name: "pinned", value: 0.1 },
    { name: "fit", value: 0, detail: "1.20 times the required fit" },
  ];
  expect(reasonSentences(parts, "Milk boat", "Buy milk.")).toEqual([
    "Has “Milk”.",
    "Similar in meaning (0.58 of 1).",
  ]);
  expect(reasonSentences(parts.slice(0, 1), "dairy", "Buy milk.")).toEqual([
    "Has other forms of these words, or words with the same meaning.",
  ]);
});

describe("the titles of archived items", () => {
  const start = "our boat lies at pier 14 in Kotka, my sister is allergic to cashews, and the ";
  const entry = (id: string, title: string) => ({ id, kind: "memory" as const, title, origin: "" });

  it("show the words in which two that begin alike differ", () => {
    const shed = entry("1", `${start}key hangs behind the shed`);
    const tin = entry("2", `${start}spare key is in the blue tin`);
    expect(archivedTitle(tin, [shed, tin])).toBe("our boat lies at pier 14 … spare key is in the blue tin");
    expect(archivedTitle(shed, [shed, tin])).toBe("our boat lies at pier 14 … key hangs behind the shed");
  });

  it("stay whole where they differ at once, or not at all", () => {
    const one = entry("1", `${start}key`);
    expect(archivedTitle(one, [one, entry("2", `${start}key`), entry("3", "the ferry")])).toBe(one.title);
  });

  it("of files are their paths, and a folder is called one", () => {
    const file = { id: "1", kind: "file" as const, title: "plan.md", origin: "out/plan.md" };
    expect(archivedTitle(file, [])).toBe("out/plan.md");
    expect(archiveReason({ kind: "file", reason: "overwritten", bytes: 0 })).toBe("file, overwritten");
    expect(archiveReason({ kind: "file", reason: "deleted" })).toBe("folder, deleted");
    expect(archiveReason({ kind: "schedule" })).toBe("automation, deleted");
  });
});
