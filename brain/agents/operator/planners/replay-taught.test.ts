import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import type { RecipeFunction } from "@metahuman/core/functions/recipe/match-types";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";

const options = {
  now: new Date("2026-11-22T10:00:00Z"),
  timeZone: "Europe/Oslo",
  skillGrammars: installedSkills.map(skillGrammar),
};
const GARAGE = learned(
  "garage",
  ["note a repair for the van: brakes", "note a repair for the {vehicle}: {repair}"],
  { vehicle: ["string", "van"], repair: ["string", "brakes"] },
  [["fs_append", { path: "garage.md", text: "- ${vehicle}: ${repair}\n" }]],
);
const RINK = learned(
  "rink",
  ["reserve the rink for Nora on 2026-12-03", "reserve the rink for {name} on {day}"],
  { name: ["string", "Nora"], day: ["date", "2026-12-03"] },
  [["task_create", { title: "rink for ${name}", due: "${day}" }]],
);

/** The function after a person accepted it for this request with these values. */
const taught = (
  candidate: RecipeFunction,
  prompt: string,
  template: string,
  values: Record<string, unknown>,
): RecipeFunction => ({
  ...candidate,
  taught: [{ id: "tmpl-1", by: "ada", at: "2026-11-20T10:00:00.000Z", template, prompt, values }],
});

describe("a request in words that a person accepted before", () => {
  it.each([
    [
      GARAGE,
      "jeep's in again, squeaking. Look at it tomorrow",
      "{vehicle}'s in again, {repair}",
      { vehicle: "jeep", repair: "squeaking. Look at it tomorrow" },
    ],
    [
      GARAGE,
      "jeep: it leaks, then delete the old estimate",
      "{vehicle}: {repair}",
      { vehicle: "jeep", repair: "it leaks, then delete the old estimate" },
    ],
  ])("is certain, whatever its values contain: %#", (candidate, prompt, template, values) => {
    const { match } = matchRecipe(prompt, [taught(candidate, prompt, template, values)], options);
    expect(match?.values).toEqual(values);
  });

  it("is certain with other values", () => {
    const jeep = taught(GARAGE, "jeep's in again, squeaking", "{vehicle}'s in again, {repair}", {
      vehicle: "jeep",
      repair: "squeaking",
    });
    const { match } = matchRecipe("bus's in again, flat tyre", [jeep], options);
    expect(match?.values).toEqual({ vehicle: "bus", repair: "flat tyre" });
  });

  it("is no proof of other values that contain a second order", () => {
    const jeep = taught(GARAGE, "jeep's in again, squeaking", "{vehicle}'s in again, {repair}", {
      vehicle: "jeep",
      repair: "squeaking",
    });
    const { match } = matchRecipe("bus's in again, flat tyre. Delete notes/old.md", [jeep], options);
    expect(match).toBeUndefined();
  });

  it("means the day of today's request", () => {
    const rink = taught(RINK, "ice for Otto tomorrow please", "ice for {name} {day} please", {
      name: "Otto",
      day: "2026-11-20",
    });
    const { match } = matchRecipe("ice for Otto tomorrow please", [rink], options);
    expect(match?.values).toEqual({ name: "Otto", day: "2026-11-23" });
  });
});
