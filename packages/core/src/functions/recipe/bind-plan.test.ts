import { describe, expect, it } from "vitest";
import type { PlannedCall } from "../../language/grammar/plan.ts";
import { bindByPlan } from "./bind-plan.ts";

const move = (from: string, to: string): PlannedCall => ({
  skill: "fs_move",
  args: { from: { from: "request", value: from }, to: { from: "request", value: to } },
  invented: [],
  freeText: [],
  lookup: undefined,
  clause: `move ${from} to ${to}`,
});
const recipe = {
  promptTemplates: [],
  actions: [
    { skill: "fs_move", args: { from: "${from}", to: "${folder}/${from|name}" }, expect: [] },
    { skill: "fs_move", args: { from: "${from2}", to: "${folder}/${from2|name}" }, expect: [] },
  ],
};
const bound = (...calls: PlannedCall[]) =>
  bindByPlan(calls, { recipe }, { skillGrammars: [], today: "2026-11-22" })?.values;

describe("a plan matched with a recipe that uses parts of paths", () => {
  it("binds the folder to the place of one file, and keeps each file's name", () => {
    expect(bound(move("a.md", "old/a.md"), move("notes/b.md", "old/b.md"))).toEqual({
      from: "a.md",
      from2: "notes/b.md",
      folder: "old",
    });
  });

  it("is rejected if a file gets another name, or the files go to different folders", () => {
    expect(bound(move("a.md", "old/a.md"), move("b.md", "old/c.md"))).toBeUndefined();
    expect(bound(move("a.md", "old/a.md"), move("b.md", "new/b.md"))).toBeUndefined();
  });
});
