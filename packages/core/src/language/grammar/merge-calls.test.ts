import { describe, expect, it } from "vitest";
import { mergeCalls } from "./merge-calls.ts";
import type { PlannedCall, PlannedValue } from "./plan.ts";

const requested = (value: unknown): PlannedValue => ({ from: "request", value });
const from = (call: number, take: "path" | "text"): PlannedValue => ({ from: "call", call, take });
const call = (skill: string, args: PlannedCall["args"], clause = skill): PlannedCall => ({
  skill,
  args,
  clause,
  invented: [],
  freeText: [],
  lookup: undefined,
});

describe("mergeCalls", () => {
  it("replaces defaults of the first call with arguments of a later one, at the later position", () => {
    const write = call("write", { path: requested("a.md"), content: requested("") }, "create a.md");
    const list = call("list", {}, "list");
    const fill = call("write", { path: from(0, "path"), content: from(1, "text") }, "write them to it");
    const read = call("read", { path: from(2, "path") }, "read it");
    expect(mergeCalls([write, list, fill, read], new Map([[write, new Set(["content"])]]))).toEqual([
      call("list", {}, "list"),
      call("write", { path: requested("a.md"), content: from(0, "text") }, "create a.md, write them to it"),
      call("read", { path: from(1, "path") }, "read it"),
    ]);
  });

  it("does not merge calls if the first has no defaults or a call in between needs its result", () => {
    const write = call("write", { path: requested("a.md"), content: requested("x") });
    const fill = call("write", { path: from(0, "path"), content: requested("y") });
    expect(mergeCalls([write, fill], new Map())).toEqual([write, fill]);
    const read = call("read", { path: from(0, "path") });
    expect(mergeCalls([write, read, fill], new Map([[write, new Set(["content"])]]))).toEqual([
      write,
      read,
      fill,
    ]);
  });
});
