import { describe, expect, it } from "vitest";
import { KINDS } from "./memory-labels.ts";
import { MemoryFilters } from "./memory-filters.svelte.ts";

const now = new Date("2026-11-20T12:00:00.000Z");

describe("the filters of memories", () => {
  it("request all types of a tab while none is set", () => {
    const filters = new MemoryFilters();
    expect(filters.active).toBe(0);
    expect(filters.narrowing(KINDS.episodic.types, now)).toEqual({ types: KINDS.episodic.types });
  });

  it("request what is set, a tag with or without its sign", () => {
    const filters = new MemoryFilters();
    filters.type = "action";
    filters.since = "week";
    filters.tag = " #home ";
    filters.source = "tool";
    filters.trust = "untrusted";
    expect(filters.active).toBe(5);
    expect(filters.narrowing(KINDS.episodic.types, now)).toEqual({
      types: ["action"],
      since: "2026-11-13T12:00:00.000Z",
      tag: "home",
      source: "tool",
      trust: "untrusted",
    });
  });

  it("omit a type of another tab", () => {
    const filters = new MemoryFilters();
    filters.type = "action";
    expect(filters.narrowing(KINDS.dreams.types, now).types).toEqual(["dream"]);
  });

  it("are empty after they are cleared", () => {
    const filters = new MemoryFilters();
    filters.tag = "home";
    filters.clear();
    expect(filters.active).toBe(0);
  });
});
