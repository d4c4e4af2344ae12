import { describe, expect, it } from "vitest";
import { completed } from "./complete-calls.ts";
import type { PlannedCall, PlannedValue } from "./plan.ts";

const said = (value: unknown): PlannedValue => ({ from: "request", value });
const from = (call: number, take: "path" | "text"): PlannedValue => ({ from: "call", call, take });
const call = (skill: string, args: PlannedCall["args"], clause = skill): PlannedCall => ({
  skill,
  args,
  clause,
  invented: [],
  freeText: [],
  lookup: undefined,
});

describe("completed", () => {
  it("puts what a later call says about the first one's result in place of a default, where the later one stood", () => {
    const write = call("write", { path: said("a.md"), content: said("") }, "create a.md");
    const list = call("list", {}, "list");
    const fill = call("write", { path: from(0, "path"), content: from(1, "text") }, "write them to it");
    const read = call("read", { path: from(2, "path") }, "read it");
    expect(completed([write, list, fill, read], new Map([[write, new Set(["content"])]]))).toEqual([
      call("list", {}, "list"),
      call("write", { path: said("a.md"), content: from(0, "text") }, "create a.md, write them to it"),
      call("read", { path: from(1, "path") }, "read it"),
    ]);
  });

  it("leaves two calls apart when the first said it all, or something between needs it", () => {
    const write = call("write", { path: said("a.md"), content: said("x") });
    const fill = call("write", { path: from(0, "path"), content: said("y") });
    expect(completed([write, fill], new Map())).toEqual([write, fill]);
    const read = call("read", { path: from(0, "path") });
    expect(completed([write, read, fill], new Map([[write, new Set(["content"])]]))).toEqual([
      write,
      read,
      fill,
    ]);
  });
});
