import { describe, expect, it } from "vitest";
import {
  archivedTitle,
  archiveReason,
  listText,
  reasonSentences,
  titleText,
  typeLabel,
  usageSentence,
} from "./memory-labels.ts";

const NONE = { cited: 0, followed: 0, opened: 0, useful: 0, not_useful: 0, restored: 0 };

describe("the text of a record in a list", () => {
  it("is the request and the answer of a conversation", () => {
    const content = "Asked: where is the boat?\nAnswered: At berth 14.";
    expect(listText({ type: "conversation", content, metadata: {} })).toBe(
      "where is the boat? → At berth 14.",
    );
    expect(listText({ type: "curated", content, metadata: {} })).toBe(content);
  });

  it("has no marks of Markdown", () => {
    const content = "# Week 48\n\n**Monday**: call [Bob](https://example.org/bob)\n## Tuesday\n`npm test`";
    expect(listText({ type: "curated", content, metadata: {} })).toBe(
      "Week 48\n\nMonday: call Bob\nTuesday\nnpm test",
    );
    const answered = "Asked: what is 2 * 3 * 4?\nAnswered: **24**";
    expect(listText({ type: "conversation", content: answered, metadata: {} })).toBe(
      "what is 2 * 3 * 4? → 24",
    );
    const list = "Asked: list my boats\nAnswered: - Vega\n- Lyra";
    expect(listText({ type: "conversation", content: list, metadata: {} })).toBe(
      "list my boats → Vega\n- Lyra",
    );
  });

  it("shows the cells of a table side by side", () => {
    const content = "Answered: | memory | type | | --- | --- | | the key | fact |";
    expect(listText({ type: "curated", content, metadata: {} })).toBe(
      "Answered: · memory · type · the key · fact",
    );
    const answered = "Asked: search garage\nAnswered: | memory | type |\n| --- | --- |\n| the key | fact |";
    expect(listText({ type: "conversation", content: answered, metadata: {} })).toBe(
      "search garage → memory · type · the key · fact",
    );
    const text = "either a | b, or c - d";
    expect(listText({ type: "curated", content: text, metadata: {} })).toBe(text);
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
    expect(titleText("# Week 48 ## Monday **call** Bob")).toBe("Week 48 Monday call Bob");
  });
});

describe("the number of uses of a memory", () => {
  it("is described by kind, with the last use", () => {
    const words = usageSentence(
      { ...NONE, cited: 2, useful: 1, lastUsedAt: "2026-01-02T03:04:05.000Z" },
      0.6,
    );
    expect(words).toMatch(/^Cited in an answer 2 times, found useful once, last .*2026.*\.$/);
  });

  it("is described if there is none", () => {
    expect(usageSentence(NONE, 1)).toBe("Not used yet. Important.");
    expect(usageSentence(NONE, 0.5)).toBe("Not used yet.");
    const restored = { ...NONE, restored: 1, lastUsedAt: "2026-01-02T03:04:05.000Z" };
    expect(usageSentence(restored, 0.5)).toBe("Not used yet.");
    expect(usageSentence(NONE, 0.1)).toBe("Not used yet. Less important.");
  });
});

it("explains why a search found a record in words, with the figures apart", () => {
  const parts = [
    { name: "words", value: 0.4, detail: "has 50 % of the words of the request" },
    { name: "activation", value: 0.1, detail: "from 2026-11-27, not used since" },
    { name: "meaning", value: 0.2, detail: "similar in meaning (0.58 of 1)" },
    { name: "importance", value: 0.1, detail: "importance 0.80" },
    { name: "repetition", value: -0.1, detail: "80 % of its words are in a better match" },
    { name: "pinned", value: 0.1, detail: "pinned by a person" },
    { name: "fit", value: 0, detail: "1.20 times the required fit" },
  ];
  expect(reasonSentences(parts, "Milk boat", { content: "Buy milk.", importance: 0.8 })).toEqual([
    { sentence: "Has “Milk”." },
    { sentence: "Similar in meaning.", figures: "similar in meaning (0.58 of 1)" },
    { sentence: "Important.", figures: "importance 0.80" },
    {
      sentence: "A better match says much of the same.",
      figures: "80 % of its words are in a better match",
    },
    { sentence: "Pinned by a person." },
  ]);
  expect(reasonSentences(parts.slice(0, 1), "dairy", { content: "Buy milk.", importance: 0.5 })).toEqual([
    { sentence: "Has other forms of these words, or words with the same meaning." },
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

it("names each type of memory in plain words", () => {
  expect((["observation", "tool_invocation", "curiosity_question"] as const).map(typeLabel)).toEqual([
    "fact",
    "skill call",
    "curiosity question",
  ]);
});
