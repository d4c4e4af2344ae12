import type { MemoryRecord, MemoryType } from "@metahuman/core/contract/memory";
import { describe, expect, it } from "vitest";
import { memoryOf } from "../lib/testing/fixtures.ts";
import { mergeResults } from "./memory-search.ts";

const record = (content: string, type: MemoryType = "curated"): MemoryRecord =>
  memoryOf(`evt-20260101T000000000Z-${content.replaceAll(" ", "-")}`, content, { type });

const none = { memories: [], tasks: [] };
const having = (...memories: MemoryRecord[]) => ({ memories, tasks: [] });
const contents = (parts: Partial<Parameters<typeof mergeResults>[0]>): string[] =>
  mergeResults({ words: [], ranked: [], withAll: none, withSome: [], ...parts }).memories.map(
    ({ memory }) => memory.content,
  );

describe("the results of a search", () => {
  const ferry = record("the ferry leaves at nine");
  const boiler = record("the boiler was repaired");

  it("begin with what was ranked, and name each record once", () => {
    const ranked = [{ memory: ferry, score: 0.6 }];
    expect(contents({ words: ["the"], ranked, withAll: having(boiler, ferry) })).toEqual([
      ferry.content,
      boiler.content,
    ]);
  });

  it("say whether they were found by keywords only", () => {
    const parts = { words: ["the"], withAll: having(ferry), withSome: [] };
    expect(mergeResults({ ...parts, ranked: [] }).keywordOnly).toBe(true);
    expect(mergeResults({ ...parts, ranked: [{ memory: ferry, score: 0.6 }] }).keywordOnly).toBe(false);
  });

  it("show what has one of the words before a weak match that has none, alternating between the words", () => {
    const withSome = ["ferry", "boiler"].map((word) =>
      having(...["1", "2", "3"].map((number) => record(`${word} ${number}`))),
    );
    const taxes = record("the taxes");
    const words = ["ferry", "boiler"];
    const inTurn = ["ferry 1", "boiler 1", "ferry 2", "boiler 2", "ferry 3", "boiler 3"];
    expect(contents({ words, ranked: [{ memory: taxes, score: 0.3 }], withSome })).toEqual([
      ...inTurn,
      "the taxes",
    ]);
    expect(contents({ words, ranked: [{ memory: taxes, score: 0.6 }], withSome })[0]).toBe("the taxes");
  });

  it("list facts first, then conversations, then skill calls, however they were ranked", () => {
    const types = ["tool_invocation", "conversation", "observation", "curated"] as const;
    const ranked = types.map((type) => ({ memory: record(`${type} walnuts`, type), score: 0.5 }));
    expect(contents({ words: ["walnuts"], ranked })).toEqual([
      "observation walnuts",
      "curated walnuts",
      "conversation walnuts",
      "tool_invocation walnuts",
    ]);
  });
});
