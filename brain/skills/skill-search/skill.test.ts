import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { installedSkills } from "../installed.ts";
import { skillCard } from "../skill-card.ts";
import { skillSearch } from "./skill.ts";

const harness = skillHarness({ catalog: installedSkills.map(skillCard) });

describe("skill_search", () => {
  it("finds a skill for different wordings, with everything that a call needs", async () => {
    const { outputs, narrative, structured, assessment } = await harness.call(skillSearch, {
      query: "renaming or moving files",
      limit: 1,
    });
    expect(assessment).toMatchObject({ risk: "low", paths: [], hosts: [] });
    expect(outputs).toMatchObject({ skills: [{ id: "fs_move" }] });
    expect(narrative).toMatch(/^Found \d+ skills?: fs_move \(/u);
    expect(structured).toMatch(/^- fs_move\(from\*, to\*, overwrite=false\) → from, to/u);
  });

  it.each(["undo last change of a file", "undo last change", "undo that"])(
    "finds the skill that restores from the archive for “%s”",
    async (query) => {
      const { outputs } = await harness.call(skillSearch, { query });
      expect(outputs).toMatchObject({
        skills: expect.arrayContaining([expect.objectContaining({ id: "archive_restore" })]) as unknown,
      });
    },
  );

  it("returns at most the limit and reports how many match", async () => {
    const { outputs } = await harness.call(skillSearch, { query: "task", limit: 2 });
    const task = { id: expect.stringMatching(/^task_/u) as unknown };
    expect(outputs).toMatchObject({ skills: [task, task] });
    expect(outputs["total"]).toBeGreaterThan(2);
  });

  it("says that the nearest skills may not do what is needed", async () => {
    const { structured } = await harness.call(skillSearch, { query: "create image; send email" });
    expect(structured).toMatch(/\nThese are the nearest\. If none of them does it, no skill does\.$/u);
  });

  it("reports that nothing matches", async () => {
    const { outputs, narrative, structured } = await harness.call(skillSearch, { query: "zeppelins" });
    expect(outputs).toEqual({ skills: [], total: 0 });
    expect(narrative).toBe("No installed skill matches.");
    expect(structured).toBe(narrative);
  });

  it.each([
    [{}],
    [{ query: " " }],
    [{ query: "x", limit: 0 }],
    [{ query: "x", limit: 21 }],
    [{ words: "x" }],
  ])("refuses %j", async (args) => {
    await expect(harness.call(skillSearch, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });
});
