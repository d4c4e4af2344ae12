import { describe, expect, it } from "vitest";
import { lastDays, valueOrigins } from "./function-words.ts";

it("lays uses out over the last days, empty ones among them", () => {
  const days = [
    { day: "2026-11-18", used: 2, failed: 1 },
    { day: "2026-11-20", used: 5, failed: 0 },
    { day: "2026-10-01", used: 9, failed: 0 },
  ];
  expect(lastDays(days, 4, new Date("2026-11-20T23:30:00.000Z"))).toEqual([0, 2, 0, 5]);
});

describe("where the values of a function come from", () => {
  it("is told for each call, with what makes it a guide", () => {
    expect(
      valueOrigins({
        kind: "guide",
        examples: [{ prompt: "summarize a.md", skillSequence: ["fs_read", "fs_write"] }],
        provenance: [
          { step: 1, argument: "path", from: "request", detail: "from your request" },
          { step: 2, argument: "path", from: "constant", detail: "always this place" },
          { step: 2, argument: "content", from: "composed", detail: "composed by the model" },
        ],
      }),
    ).toEqual([
      "1. fs_read: path: from your request",
      "2. fs_write: path: always this place; content: composed by the model, so this is a guide",
    ]);
    expect(valueOrigins({ kind: "recipe", examples: [] })).toEqual([]);
  });

  it("is told for each action of a recipe that composes a text", () => {
    const action = (skill: string) => ({ skill, args: {}, expect: [] });
    expect(
      valueOrigins({
        kind: "recipe",
        examples: [{ prompt: "summarize a.md", skillSequence: ["fs_read", "fs_write"] }],
        recipe: {
          promptTemplates: [],
          actions: [action("fs_read"), action("conversational_response"), action("fs_write")],
        },
        provenance: [
          { step: 2, argument: "context", from: "output", detail: "what content is composed from" },
          { step: 3, argument: "content", from: "composed", detail: "composed by the model each time" },
        ],
      }),
    ).toEqual([
      "2. conversational_response: context: what content is composed from",
      "3. fs_write: content: composed by the model each time",
    ]);
  });
});
