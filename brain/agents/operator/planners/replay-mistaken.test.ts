import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";

const options = {
  now: new Date("2026-11-25T10:00:00Z"),
  timeZone: "UTC",
  skillGrammars: installedSkills.map(skillGrammar),
};
const TICK = learned(
  "tick",
  ["tick folding chairs on the camping list", "tick {item} on the camping list"],
  { item: ["string", "folding chairs"] },
  [["fs_edit", { path: "camping.md", action: "check", item: "${item}" }]],
);
const HENS = learned(
  "hens",
  ["hen house 4 inspection: hens calm, two eggs broken", "hen house {house} inspection: {finding}"],
  { house: ["number", "4"], finding: ["string", "hens calm, two eggs broken"] },
  [["fs_append", { path: "hens.md", text: "${house}: ${finding}\n" }]],
);
const SHIFT = learned(
  "shift",
  ["move the task order hay to 2026-12-03", "move the task {task} to {day}"],
  { task: ["string", "order hay"], day: ["date", "2026-12-03"] },
  [
    ["task_find", { query: "${task}" }],
    ["task_update", { id: "${steps.1.task.id}", due: "${day}" }],
  ],
);
const STANDBY = learned(
  "standby",
  ["put Ragna on call for 2026-12-05", "put {person} on call for {day}"],
  { person: ["string", "Ragna"], day: ["date", "2026-12-05"] },
  [["fs_append", { path: "standby.md", text: "${person} ${day}\n" }]],
);
const match = (say: string) => matchRecipe(say, [TICK, HENS, SHIFT, STANDBY], options);

describe("a request whose values may be mistaken", () => {
  it("is not replayed where a value begins with the order itself", () => {
    expect(match("tick lantern on the camping list").match?.values).toEqual({ item: "lantern" });
    expect(match("camping list: check off lantern").match).toBeUndefined();
  });

  it("is not replayed where a text would lose its last word", () => {
    expect(match("inspection hen house seven, door was loose and mice inside").match?.values).not.toEqual({
      house: 7,
      finding: "door was loose and mice",
    });
  });

  it("is neither replayed nor offered where a day is meant by its distance from another", () => {
    expect(match("move the task order hay to 2026-12-04").match?.values).toMatchObject({ day: "2026-12-04" });
    const { match: replayed, likely } = match("move the task order hay two days forward");
    expect([replayed, ...likely]).toEqual([undefined]);
  });

  it("is not replayed where a noun of the function has another sense", () => {
    expect(match("put Ole on call for 2026-12-06").match?.values).toMatchObject({ person: "Ole" });
    expect(match("put in a call to Ole on 2026-12-06").match).toBeUndefined();
  });
});
