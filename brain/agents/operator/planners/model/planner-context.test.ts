import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { earlierResults } from "./planner-context.ts";

const called = (
  skill: string,
  args: Record<string, unknown>,
  observed: string,
  outputs: Record<string, unknown> | undefined = { path: "out/boat/costs.csv" },
): EarlierCall => ({ skill, args, outputs, observed });
const shown = (...earlierCalls: EarlierCall[]) =>
  earlierResults({ earlierCalls, skills: installedSkills })
    .split("\n")
    .filter((line) => line.startsWith("- "));

const path = "boat/costs.csv";
const created = called("fs_write", { path, content: "what,euros\n" }, "Created out/boat/costs.csv.");
const addedOne = called("table_edit", { path, action: "add", values: { what: "Storage" } }, "Added Storage.");
const addedTwo = called("table_edit", { path, action: "add", values: { what: "Patch" } }, "Added Patch.");
const read = called("fs_read", { path }, "what,euros");

describe("the results of earlier calls in a prompt", () => {
  it("name every change of one file", () => {
    expect(shown(created, addedOne, addedTwo)).toEqual([
      "- table_edit: <data>Added Patch.</data>",
      "- table_edit: <data>Added Storage.</data>",
      "- fs_write: <data>Created out/boat/costs.csv.</data>",
    ]);
  });

  it("leave out what was done to a file before it was deleted", () => {
    const deleted = called("fs_delete", { path }, "Deleted out/boat/costs.csv.");
    expect(shown(created, addedOne, deleted)).toEqual([
      "- fs_delete: <data>Deleted out/boat/costs.csv.</data>",
    ]);
  });

  it("leave out what was read of a file before it was changed", () => {
    expect(shown(read, addedOne)).toEqual(["- table_edit: <data>Added Storage.</data>"]);
  });

  it("contain a text once that was read twice, by whatever path", () => {
    const again = called("fs_read", { path: "out/boat/costs.csv" }, "what,euros");
    expect(shown(read, addedTwo, again, read)).toHaveLength(2);
    expect(shown(again, read)).toHaveLength(1);
  });

  it("contain two changes with the same words", () => {
    const eggs = called("fs_append", { path, text: "eggs" }, "Added a line to out/boat/costs.csv.");
    const milk = called("fs_append", { path, text: "milk" }, "Added a line to out/boat/costs.csv.");
    expect(shown(eggs, milk)).toHaveLength(2);
  });
});
