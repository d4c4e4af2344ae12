import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { endsInFurtherOrder } from "@metahuman/core/functions/matching/further-order";
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
const PUMP = learned(
  "pump",
  ["the pump Delta is broken: loose belt", "the pump {pump} is broken: {fault}"],
  { pump: ["string", "Delta"], fault: ["string", "loose belt"] },
  [
    ["fs_append", { path: "pumps.md", text: "- ${pump}: ${fault}\n" }],
    ["task_create", { title: "mend ${pump}: ${fault}" }],
  ],
);
const PAINT = learned(
  "paint",
  ["paint sheet for 2 December: 12 tents, 4 stoves", "paint sheet for {day}: {text}"],
  { day: ["date", "2026-12-02"], text: ["string", "12 tents, 4 stoves"] },
  [["fs_write", { path: "paint/${day}.md", content: "${text}\n" }]],
);
const OFFER = learned(
  "offer",
  ["the offer for Kranz AG is accepted", "the offer for {client} is accepted"],
  { client: ["string", "Kranz AG"] },
  [
    ["task_find", { query: "offer ${client}" }],
    ["task_update_status", { id: "${steps.1.id}", status: "done" }],
  ],
);
const match = (say: string) => matchRecipe(say, [TICK, HENS, SHIFT, STANDBY, PUMP, PAINT, OFFER], options);

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

  it("is not replayed where a value goes on with another order", () => {
    expect(match("the pump Omega is broken: torn hose, no water").match?.values).toEqual({
      pump: "Omega",
      fault: "torn hose, no water",
    });
    const { match: replayed, likely } = match(
      "the pump Omega is broken: torn hose, so cancel monday's tour too",
    );
    expect([replayed, ...likely]).toEqual([undefined]);
    expect(match("the pump Omega is broken: torn hose, so order a new one").match).toBeUndefined();
  });

  it("of 200,000 characters is looked through once for another order", () => {
    const long = "torn hose, so order a new one".repeat(200_000 / 29);
    expect(endsInFurtherOrder(`${long}.`, { fault: long })).toBe(false);
    expect(endsInFurtherOrder(`${long}, too`, { fault: long })).toBe(true);
  });

  it("is not replayed where something is added to what the function writes anew", () => {
    expect(match("paint sheet for 3 December: 5 chairs").match?.values).toMatchObject({ text: "5 chairs" });
    const { match: replayed, likely } = match("add 5 chairs to the paint sheet for 3 December");
    expect([replayed, ...likely]).toEqual([undefined]);
  });

  it("keeps the initials at the end of a name that are written like another word", () => {
    for (const say of ["the offer for Fjell AS is accepted", "offer for Fjell AS accepted, finally!"]) {
      const { match: replayed, likely } = match(say);
      expect((replayed ?? likely[0])?.values).toEqual({ client: "Fjell AS" });
    }
  });
});
