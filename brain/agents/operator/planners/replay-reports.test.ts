import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { interpretAlone } from "./built-in/interpret-request.ts";
import { learned } from "../../testing/learned-recipe.ts";

const options = {
  now: new Date("2026-11-25T10:00:00Z"),
  timeZone: "UTC",
  skillGrammars: installedSkills.map(skillGrammar),
};
const FITTING = learned(
  "fitting",
  [
    "book Runa in for a dress fitting on 2026-12-04 at 15:30",
    "book {customer} in for a dress fitting on {day} at {time}",
  ],
  { customer: ["string", "Runa"], day: ["date", "2026-12-04"], time: ["string", "15:30"] },
  [["fs_append", { path: "fittings.md", text: "- ${day} ${time} ${customer}\n" }]],
);
const URGE = learned(
  "urge",
  [
    "I have to urge Norr Paper about the refund on 2026-12-03",
    "I have to urge {who} about the {topic} on {day}",
  ],
  { who: ["string", "Norr Paper"], topic: ["string", "refund"], day: ["date", "2026-12-03"] },
  [["task_create", { title: "urge ${who} about the ${topic}", due: "${day}" }]],
);
const URGE_SOMEBODY = {
  ...URGE,
  parameters: URGE.parameters.map((one) =>
    one.name === "who" ? { ...one, description: "person or company" } : one,
  ),
};
const RELEASE = learned(
  "release",
  ["raise the kiosk to 2.4.1 and show me the diff", "raise the kiosk to {version} and show me the diff"],
  { version: ["string", "2.4.1"] },
  [
    ["json_update", { path: "kiosk.json", set: "version = ${version}" }],
    ["git_diff", {}],
  ],
);
const ALLERGY = learned(
  "allergy",
  ["note that Sunniva is allergic to nuts", "note that {person} is allergic to {food}"],
  { person: ["string", "Sunniva"], food: ["string", "nuts"] },
  [["memory_remember", { text: "${person} is allergic to ${food}" }]],
);
const ABSENT = learned(
  "absent",
  [
    "put Jonte down as absent from rehearsal on 2026-11-28",
    "put {singer} down as absent from rehearsal on {day}",
  ],
  { singer: ["string", "Jonte"], day: ["date", "2026-11-28"] },
  [["fs_append", { path: "absences.md", text: "- ${day}: ${singer}\n" }]],
);
const PAPER = learned(
  "paper",
  ["hand in the paper tides", "hand in the paper {title}"],
  { title: ["string", "tides"] },
  [["fs_move", { from: "papers/${title}.md", to: "handed-in/${title}.md" }]],
);
const GUESTS = learned(
  "guests",
  ["enter 41 guests for 2026-11-21", "enter {count} guests for {day}"],
  { count: ["number", "41"], day: ["date", "2026-11-21"] },
  [["fs_append", { path: "guests.csv", text: "${day},${count}\n" }]],
);
const PAID = learned(
  "paid",
  ["bill B-114 has been paid", "bill {number} has been paid"],
  { number: ["string", "B-114"] },
  [["fs_append", { path: "paid.md", text: "- ${number}\n" }]],
);
const FILE_UNDER = learned(
  "file-under",
  ["file the document bill-17.pdf under money", "file the document {file} under {folder}"],
  { file: ["path", "bill-17.pdf"], folder: ["string", "money"] },
  [["fs_move", { from: "inbox/${file}", to: "docs/${folder}/${file}" }]],
);
const ROTA = learned(
  "rota",
  ["open the rota sheet for 2026-11-28", "open the rota sheet for {day}"],
  { day: ["date", "2026-11-28"] },
  [["fs_read", { path: "rota/${day}.md" }]],
);
const ALL = [FITTING, URGE_SOMEBODY, RELEASE, ALLERGY, ABSENT, PAPER, GUESTS, PAID, FILE_UNDER, ROTA];
const NOTED = "Ketil is allergic to kiwi, please note it down";
const read = (say: string) => {
  const { match, likely } = matchRecipe(say, ALL, options);
  const first = match ?? likely[0];
  return first === undefined ? undefined : { name: first.function.id, values: first.values };
};

describe("values of a known form", () => {
  it.each([
    [
      "dress fitting for Alva, 2 December, 16:15",
      FITTING,
      { customer: "Alva", day: "2026-12-02", time: "16:15" },
    ],
    [
      "on Saturday at 9:30 Ylva has a dress fitting, book it please",
      FITTING,
      { customer: "Ylva", day: "2026-11-28", time: "09:30" },
    ],
    ["please raise the kiosk to 2.6.0-rc1 and show the diff", RELEASE, { version: "2.6.0-rc1" }],
    [
      "got to urge Sand & Sons about the missing crates on friday",
      URGE_SOMEBODY,
      { who: "Sand & Sons", topic: "missing crates", day: "2026-11-27" },
    ],
    ["open saturdays rota sheet", ROTA, { day: "2026-11-28" }],
    ["open the rota sheet 4 saturday", ROTA, { day: "2026-11-28" }],
  ])("are read in “%s”", (say, wanted, values) => {
    expect(read(say)).toEqual({ name: wanted.id, values });
  });
});

describe("a request whose words are all explained is replayed", () => {
  it("where a file has the name of an order", () => {
    const say = "could you file the document move-out-form.pdf under house";
    expect(matchRecipe(say, ALL, options).match?.values).toEqual({
      file: "move-out-form.pdf",
      folder: "house",
    });
  });

  it("where an order after a report only notes it", () => {
    const reading = interpretAlone({
      request: NOTED,
      requestedAt: options.now,
      timeZone: "UTC",
      skills: installedSkills,
    });
    expect(matchRecipe(NOTED, ALL, { ...options, reading }).match?.values).toEqual({
      person: "Ketil",
      food: "kiwi",
    });
  });
});

describe("a report with an order to do what follows from it", () => {
  it.each([
    [
      "Aslaug won't be at rehearsal on Friday, put her down as absent",
      ABSENT,
      { singer: "Aslaug", day: "2026-11-27" },
    ],
    ["paper salt-and-snow is finished, hand it in", PAPER, { title: "salt-and-snow" }],
    ["bill B-131 paid", PAID, { number: "B-131" }],
  ])("is read: “%s”", (say, wanted, values) => {
    expect(read(say)).toEqual({ name: wanted.id, values });
  });

  it("is not read where it tells that the duty was done", () => {
    expect(read("I urged Norr Paper about the refund on 3 November")).toBeUndefined();
  });

  it("is not read where something is taken out again", () => {
    expect(read("take out the 41 guests for 2026-11-21, those were the school's")).toBeUndefined();
  });
});
