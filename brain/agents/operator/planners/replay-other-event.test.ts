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
const FENCE = learned(
  "fence",
  ["post 8 of the Ridge is painted", "post {post} of the {fence} is painted"],
  { post: ["number", "8"], fence: ["string", "Ridge"] },
  [["fs_append", { path: "fences.csv", text: "${fence},${post}\n" }]],
);
const FINAL = learned(
  "final",
  ["Mara defeated Tilo by 6 points", "{winner} defeated {loser} by {points} points"],
  { winner: ["string", "Mara"], loser: ["string", "Tilo"], points: ["number", "6"] },
  [["fs_append", { path: "finals.csv", text: "${winner},${loser},${points}\n" }]],
);
const VISIT = learned(
  "visit",
  ["I have a Danish visit at Pier Nine on 2 December", "I have a {language} visit at {place} on {day}"],
  { language: ["string", "Danish"], place: ["string", "Pier Nine"], day: ["date", "2026-12-02"] },
  [["fs_append", { path: "visits.csv", text: "${day},${place},${language}\n" }]],
);
const LEAVE = learned(
  "leave",
  ["Oskar is missing from C4 night on 27 November", "{person} is missing from {shift} on {day}"],
  { person: ["string", "Oskar"], shift: ["string", "C4 night"], day: ["date", "2026-11-27"] },
  [["fs_append", { path: "shifts.csv", text: "${day},${shift},${person}\n" }]],
);
const DIET = learned(
  "diet",
  ["note the diet of Runa: no salt", "note the diet of {guest}: {diet}"],
  { guest: ["string", "Runa"], diet: ["string", "low salt"] },
  [["fs_append", { path: "diets.md", text: "- ${guest}: ${diet}\n" }]],
);
const SCRAP = learned(
  "scrap",
  ["scrap part P120: cracked rim", "scrap part {part}: {reason}"],
  { part: ["string", "P120"], reason: ["string", "cracked rim"] },
  [["fs_append", { path: "scrapped.csv", text: "${part},${reason}\n" }]],
);
const SAND = learned(
  "sand",
  ["put 4 bags of river sand on the sand order", "put {bags} bags of {sort} on the sand order"],
  { bags: ["number", "4"], sort: ["string", "river sand"] },
  [["fs_append", { path: "order.md", text: "- ${bags} ${sort}\n" }]],
);
const OVERDUE = learned(
  "overdue",
  ["put Tim Roe on the late list for the key Attic", "put {person} on the late list for the key {key}"],
  { person: ["string", "Tim Roe"], key: ["string", "Attic"] },
  [["fs_append", { path: "overdue.md", text: "- ${person}: ${key}\n" }]],
);
const FUNCTIONS = [FENCE, FINAL, VISIT, LEAVE, DIET, SCRAP, SAND, OVERDUE];
const read = (say: string) => {
  const { match, likely } = matchRecipe(say, FUNCTIONS, options);
  return { replayed: match?.function.id, values: match?.values, offered: likely[0]?.function.id };
};

describe("a request about something that the function does not record", () => {
  it.each([
    ["it is still to be done", "post 8 of the Ridge still needs painting"],
    ["somebody wants it", "Lilo wants to defeat Tilo by 20 points"],
    ["another thing has happened", "my Danish visit at Pier Nine on 2 December has been postponed"],
    ["it takes a period", "Oskar is missing from C4 night from 2026-11-27 to 2026-12-01"],
    ["it takes a period in words", "Oskar is missing from C4 night from friday to sunday"],
    ["it asks for something more", "note the diet of Ivo: oats, and swap the plates at table 2"],
    ["it removes what is there", "strike the diet of Ivo: oats"],
    ["it takes back what is there", "take the 4 bags of river sand on the sand order out again"],
    ["it corrects what is there", "it should be 5 bags of white sand on the sand order instead of 3"],
  ])("is neither replayed nor offered: %s", (_, say) => {
    expect(read(say)).toEqual({ replayed: undefined, values: undefined, offered: undefined });
  });

  it("is offered with each value in its place if the words tell it from the other side", () => {
    const { likely } = matchRecipe("Mara lost to Tilo by 6 points", FUNCTIONS, options);
    expect(likely[0]?.values).toEqual({ winner: "Tilo", loser: "Mara", points: 6 });
  });

  it("is offered where a value would end with a day", () => {
    const say = "note the diet of Ivo yesterday: oats";
    expect(read(say).replayed).toBeUndefined();
  });

  it("is offered where a day follows a thing and the function takes no day", () => {
    const POND = learned(
      "pond",
      ["I cleaned the duck pond", "I cleaned {place}"],
      { place: ["string", "the duck pond"] },
      [["fs_append", { path: "ponds.md", text: "- ${place}\n" }]],
    );
    const ask = (say: string) => matchRecipe(say, [POND], options).match?.values;
    expect(ask("I cleaned the mill pond yesterday")).toBeUndefined();
    expect(ask("I cleaned the mill pond")).toEqual({ place: "the mill pond" });
  });

  it("is offered where “open” may ask to show what it makes", () => {
    const PAGE = learned(
      "page",
      ["start my page for 2 December", "start my page for {day}"],
      { day: ["date", "2026-12-02"] },
      [["fs_write", { path: "pages/${day}.md", content: "# ${day}\n" }]],
    );
    const ask = (say: string) => {
      const { match, likely } = matchRecipe(say, [PAGE], options);
      return [match?.function.id, likely[0]?.function.id];
    };
    expect(ask("open my page for 4 December")[0]).toBeUndefined();
    expect(ask("open a new page for 4 December")).toEqual(["page", undefined]);
  });

  it("is offered where a value is described and the earlier ones are names", () => {
    expect(read("Oskar is missing from the staff party on 30 November").replayed).toBeUndefined();
    expect(read("Oskar is missing from D1 night on 30 November").replayed).toBe("leave");
  });
});

describe("a request about what the function records", () => {
  it.each([
    [
      "with a part of the day in a name before the day",
      "Oskar is missing from D2 night tomorrow",
      "leave",
      { person: "Oskar", shift: "D2 night", day: "2026-11-26" },
    ],
    [
      "with the verb in the passive",
      "part P377 to be scrapped, bent spokes",
      "scrap",
      { part: "P377", reason: "bent spokes" },
    ],
  ])("is replayed: %s", (_, say, replayed, values) => {
    expect(read(say)).toMatchObject({ replayed, values });
  });

  it("keeps an adverb out of a value", () => {
    const { match, likely } = matchRecipe(
      "Rosa Lund still has the key Cellar, put her on the late list",
      FUNCTIONS,
      options,
    );
    expect((match ?? likely[0])?.values).toEqual({ person: "Rosa Lund", key: "Cellar" });
  });

  it.each([
    "post 9 of the Valley has been painted",
    "post 9 of the Valley has just been painted, please note it",
  ])("is still read with the function's own event: %s", (say) => {
    const { match, likely } = matchRecipe(say, FUNCTIONS, options);
    expect((match ?? likely[0])?.function.id).toBe("fence");
  });
});
