import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";

/** A Wednesday. */
const options = {
  now: new Date("2026-11-25T10:00:00Z"),
  timeZone: "UTC",
  skillGrammars: installedSkills.map(skillGrammar),
};
const SHARPENED = learned(
  "sharpened",
  ["knife set K-104 from Bristow is sharpened", "knife set {set} from {owner} is sharpened"],
  { set: ["string", "K-104"], owner: ["string", "Bristow"] },
  [["fs_append", { path: "sharpened.md", text: "${set}: ${owner}\n" }]],
);
const HEARING = learned(
  "hearing",
  [
    "log a hearing test with Ms Rask on 2026-11-19 about a buzzing ear",
    "log a hearing test with {patient} on {day} about {reason}",
  ],
  { patient: ["string", "Ms Rask"], day: ["date", "2026-11-19"], reason: ["string", "a buzzing ear"] },
  [["fs_append", { path: "hearing.md", text: "${day} ${patient}: ${reason}\n" }]],
);
const LOGBOOK = learned(
  "logbook",
  ["put in the boat logbook: left at dawn", "put in the boat logbook: {entry}"],
  { entry: ["string", "left at dawn"] },
  [["fs_append", { path: "logbook.md", text: "- ${entry}\n" }]],
);
const STOCK = learned(
  "stock",
  ["set the number of clay bags to 12 and note it", "set the number of {item} to {count} and note it"],
  { item: ["string", "clay bags"], count: ["number", "12"] },
  [["json_update", { path: "stock.json", set: "${item} = ${count}" }]],
);
const BIKE = learned(
  "bike",
  ["bike in: Trek, Jess, 2pm", "bike in: {bike}, {owner}, {time}"],
  { bike: ["string", "Trek"], owner: ["string", "Jess"], time: ["string", "2pm"] },
  [["fs_append", { path: "bikes.csv", text: "${bike},${owner},${time}\n" }]],
);

describe("names and the small words around them", () => {
  const first = (say: string) => {
    const { match, likely } = matchRecipe(say, [SHARPENED, HEARING, LOGBOOK, STOCK, BIKE], options);
    const found = match ?? likely[0];
    return found && { id: found.function.id, values: found.values };
  };

  it.each([
    [
      "a name of two with a sign between them",
      "knife set K-220 from Dahl & Sons has been sharpened",
      SHARPENED,
      { set: "K-220", owner: "Dahl & Sons" },
    ],
    [
      "a title with a mark and a name in small letters, and the day of what is over",
      "had a hearing test with mr. o'hara on monday about a blocked ear, log it",
      HEARING,
      { patient: "mr. o'hara", day: "2026-11-23", reason: "a blocked ear" },
    ],
    [
      "“ya” for “you”",
      "pop this in the boat logbook for me will ya: two seals at the pier",
      LOGBOOK,
      { entry: "two seals at the pier" },
    ],
    [
      "“yeah” at the end",
      "set the number of firebricks to 30, note it too yeah",
      STOCK,
      { item: "firebricks", count: 30 },
    ],
    [
      "a list after a colon",
      "bike in: Brompton, Sam, 4pm",
      BIKE,
      { bike: "Brompton", owner: "Sam", time: "4pm" },
    ],
  ])("understands %s", (_why, say, { id }, values) => {
    expect(first(say)).toEqual({ id, values });
  });
});
