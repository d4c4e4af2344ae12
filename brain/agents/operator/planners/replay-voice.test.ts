import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import type { RecipeFunction } from "@metahuman/core/functions/recipe/match-types";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";

const options = {
  now: new Date("2026-11-25T09:00:00Z"),
  timeZone: "UTC",
  skillGrammars: installedSkills.map(skillGrammar),
};
const first = (say: string, ...functions: RecipeFunction[]) => {
  const { match, likely } = matchRecipe(say, functions, options);
  return (match ?? likely[0])?.values;
};

describe("a request that says what the function's verb says from the other side", () => {
  const TENNIS = learned(
    "tennis",
    ["tennis ladder: Moreau beat Sandoval", "tennis ladder: {winner} beat {loser}"],
    { winner: ["string", "Moreau"], loser: ["string", "Sandoval"] },
    [["fs_append", { path: "tennis/ladder.md", text: "${winner} - ${loser}\n" }]],
  );
  const ROTA = learned(
    "rota",
    [
      "Greta drives Hugo on 2026-12-01, put it on the rota",
      "{driver} drives {child} on {day}, put it on the rota",
    ],
    { driver: ["string", "Greta"], child: ["string", "Hugo"], day: ["date", "2026-12-01"] },
    [["fs_append", { path: "rota.md", text: "${day}: ${driver} drives ${child}\n" }]],
  );

  it.each([
    ["tennis ladder: Ruiz lost to Adler", { winner: "Adler", loser: "Ruiz" }],
    ["tennis ladder: Ruiz was beaten by Adler", { winner: "Adler", loser: "Ruiz" }],
    ["tennis ladder: Adler beat Ruiz", { winner: "Adler", loser: "Ruiz" }],
  ])("has its values in the other order: %s", (say, values) => {
    expect(first(say, TENNIS)).toEqual(values);
  });

  it("has them also after a passive with a day", () => {
    expect(first("Otto is driven by Aunt Lia on friday, put it on the rota", ROTA)).toEqual({
      driver: "Aunt Lia",
      child: "Otto",
      day: "2026-11-27",
    });
  });
});

describe("the end of a value", () => {
  const VISIT = learned(
    "visit",
    ["move the visit at Brook Farm to 2026-12-04", "move the visit at {farm} to {day}"],
    { farm: ["string", "Brook Farm"], day: ["date", "2026-12-04"] },
    [["fs_append", { path: "visits.md", text: "${farm}: ${day}\n" }]],
  );
  const STALL = learned(
    "stall",
    ["stall list: honey needs refilling", "stall list: {item} needs refilling"],
    { item: ["string", "honey"] },
    [["task_create", { title: "refill ${item}" }]],
  );

  it("is before a verb that tells what it does", () => {
    expect(first("Moss Hill Farm rang, move their visit to monday", VISIT)).toEqual({
      farm: "Moss Hill Farm",
      day: "2026-11-30",
    });
  });

  it("is no word that links what follows", () => {
    const values = first("stall list: plum jam as well, needs refilling", STALL);
    expect(values?.["item"] ?? "plum jam").toBe("plum jam");
  });
});

describe("the word town before a value", () => {
  const trip = (place: string) =>
    learned(
      "trip",
      [`plan a trip to ${place}, 3 days`, "plan a trip to {destination}, {days} days"],
      { destination: ["string", place], days: ["number", "3"] },
      [["fs_append", { path: "trips.md", text: "- ${destination}: ${days}\n" }]],
    );
  it("labels a name", () => {
    expect(first("plan a trip: town Lyon, 4 days", trip("Rome"))).toEqual({ destination: "Lyon", days: 4 });
  });
  it("is a part of a place that is no name", () => {
    expect(first("plan a trip to the town library, 4 days", trip("the old mill"))?.["destination"]).toMatch(
      /town library$/u,
    );
  });
});

describe("a value after an article", () => {
  const STALL = learned(
    "stall",
    ["check in Duchess, a pony, farrier on 2026-12-01", "check in {name}, a {breed}, farrier on {day}"],
    { name: ["string", "Duchess"], breed: ["string", "pony"], day: ["date", "2026-12-01"] },
    [["fs_append", { path: "stalls.md", text: "${name} ${breed} ${day}\n" }]],
  );
  it("is not certain to be one that has no article in the function's words", () => {
    expect(matchRecipe("farrier tomorrow: check in a mule, Bandit", [STALL], options).match).toBeUndefined();
    expect(first("check in Bandit, a mule, farrier tomorrow", STALL)).toEqual({
      name: "Bandit",
      breed: "mule",
      day: "2026-11-26",
    });
  });
});

describe("the contrary direction", () => {
  const LIFT = learned(
    "lift",
    ["log that the crate Alpha came up with 3 men", "log that the crate {crate} came up with {men} men"],
    { crate: ["string", "Alpha"], men: ["number", "3"] },
    [["fs_append", { path: "shaft/up.txt", text: "${crate} ${men}\n" }]],
  );
  it("is another event, whatever the verb", () => {
    expect(first("log that the crate Beta came down with 2 men", LIFT)).toBeUndefined();
    expect(first("log that the crate Beta came up with 2 men", LIFT)).toEqual({ crate: "Beta", men: 2 });
  });
});

describe("an order to chuck something", () => {
  const DROP = learned(
    "drop",
    ["delete the note soup", "delete the note {note}"],
    { note: ["string", "soup"] },
    [["fs_delete", { path: "notes/${note}.md" }]],
  );
  it("deletes it if it is chucked out", () => {
    expect(first("chuck the note stew out please", DROP)).toEqual({ note: "stew" });
  });
  it("deletes it if it is chucked out, wherever “out” is", () => {
    expect(first("chuck out the note stew", DROP)).toEqual({ note: "stew" });
  });
  it.each(["chuck the note stew in", "chuck the note stew in, the trash is out"])(
    "does not delete what is chucked in: %s",
    (say) => {
      expect(matchRecipe(say, [DROP], options).match).toBeUndefined();
    },
  );
});

describe("a copied form", () => {
  const FORM = learned(
    "form",
    ["new order form for the Keller party", "new order form for the {name} party"],
    { name: ["string", "Keller"] },
    [["fs_copy", { from: "forms/order.md", to: "parties/${name}.md" }]],
  );
  it.each(["please create the order form for the Brandt party", "the Brandt party, make its order form"])(
    "is created: %s",
    (say) => {
      expect(first(say, FORM)).toEqual({ name: "Brandt" });
    },
  );
});

describe("a text that asks to change what is stored", () => {
  const NOTES = learned(
    "notes",
    ["diary of the boiler: pressure fell", "diary of the boiler: {text}"],
    { text: ["string", "pressure fell"] },
    [["fs_append", { path: "boiler.md", text: "- ${text}\n" }]],
  );
  it.each([
    "diary of the boiler: the line about the valve has to come out",
    "diary of the boiler: yesterday's entry should be deleted",
  ])("is not certain: %s", (say) => {
    expect(matchRecipe(say, [NOTES], options).match).toBeUndefined();
  });
});

describe("a request that the skills understand, too", () => {
  const DONE = learned(
    "done",
    ["tick off the repair Olsen bike", "tick off the repair {title}"],
    { title: ["string", "Olsen bike"] },
    [
      ["task_find", { query: "${title}" }],
      ["task_update_status", { id: "${steps.1.id}", status: "done" }],
    ],
  );
  it("is offered to a function that is very likely meant", () => {
    const { likely } = matchRecipe(
      "I am ready with the repair Nakata scooter, so mark it as finished please",
      [DONE],
      options,
    );
    expect(likely.map(({ values, explainsAsMuch }) => [values, explainsAsMuch])).toEqual([
      [{ title: "Nakata scooter" }, true],
    ]);
  });
});
