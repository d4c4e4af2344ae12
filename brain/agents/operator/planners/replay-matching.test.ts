import { readFileSync } from "node:fs";
import { FunctionMemory } from "@metahuman/core/contract/function";
import { matchRecipe, type RecipeFunction } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-grammar";
import { describe, expect, it } from "vitest";
import { z } from "zod";

/** Requests as people write them, for and near a dozen recipes; `replays` says which is certainly meant. */
const FIXTURES = new URL("../../../../tests/fixtures/recipes/", import.meta.url);
const Labelled = z.strictObject({ say: z.string(), replays: z.string().nullable() });
const Recipes = z.array(
  FunctionMemory.pick({
    title: true,
    parameters: true,
    recipe: true,
    examples: true,
    skillsUsed: true,
  }).extend({ id: z.string(), summary: z.string().default(""), steps: z.array(z.string()).default([]) }),
);

const recipes: RecipeFunction[] = Recipes.parse(
  JSON.parse(readFileSync(new URL("functions.json", FIXTURES), "utf8")),
);
const requests = readFileSync(new URL("requests.jsonl", FIXTURES), "utf8")
  .trim()
  .split("\n")
  .map((line) => Labelled.parse(JSON.parse(line)));
const speech = installedSkills.map(skillGrammar);
const options = { now: new Date("2026-11-22T10:00:00Z"), timeZone: "Europe/Oslo", speech };
/** What each would replay. */
const replayed = new Map(
  requests.map(({ say }) => [say, matchRecipe(say, recipes, options).match?.function.id ?? null]),
);

describe("requests for and near recipes", () => {
  it("are at least 200 over at least 10 recipes", () => {
    expect(requests.length).toBeGreaterThanOrEqual(200);
    expect(new Set(requests.map(({ replays }) => replays)).size).toBeGreaterThan(10);
  });

  it("never replay what was not asked for", () => {
    const wrong = requests.filter(({ say, replays }) => {
      const chosen = replayed.get(say) ?? null;
      return chosen !== null && chosen !== replays;
    });
    expect(wrong.map(({ say }) => say)).toEqual([]);
  });

  it("replay at least four in five of those that ask for a recipe", () => {
    const meant = requests.filter(({ replays }) => replays !== null);
    const missed = meant.filter(({ say, replays }) => replayed.get(say) !== replays).map(({ say }) => say);
    expect(missed.length, `missed: ${missed.join(" | ")}`).toBeLessThanOrEqual(meant.length / 5);
  });

  it.each(["do the fern round", "Do the  fern round."])(
    "replay a function whose own template is “%s”",
    (say) => {
      const own: RecipeFunction = {
        id: "fern-round",
        title: "Fern round",
        summary: "Lists the tasks.",
        steps: ["List the tasks."],
        skillsUsed: ["task_list"],
        parameters: [],
        examples: [],
        recipe: {
          promptTemplates: ["do the fern round"],
          actions: [{ skill: "task_list", args: {}, expect: [] }],
        },
      };
      expect(matchRecipe(say, [...recipes, own], options).match?.function.id).toBe("fern-round");
      expect(matchRecipe(`do not ${say}`, [own], options).match).toBeUndefined();
    },
  );

  it.each(["constructor", "valueOf", "__proto__", "tostring"])("may contain the word %s", (word) => {
    for (const say of [
      `make a note called ${word}`,
      `${word} the list`,
      `what is written in ${word} and moved`,
    ])
      expect(() => matchRecipe(say, recipes, options)).not.toThrow();
  });
});
