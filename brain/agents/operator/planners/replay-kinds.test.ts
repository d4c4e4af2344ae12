import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { tokenizeRequest } from "@metahuman/core/functions/recipe/bind-template";
import { hasUnexplainedWords } from "@metahuman/core/functions/recipe/plausible";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";

const options = {
  now: new Date("2026-11-25T10:00:00Z"),
  timeZone: "UTC",
  skillGrammars: installedSkills.map(skillGrammar),
};
const CHAPEL = learned(
  "chapel",
  ["reserve the chapel on 2026-12-04 for the choir", "reserve the {hall} on {day} for the {group}"],
  { hall: ["string", "chapel"], day: ["date", "2026-12-04"], group: ["string", "choir"] },
  [["fs_append", { path: "halls.md", text: "${day} ${hall}: ${group}\n" }]],
);
const CLINIC = learned(
  "clinic",
  ["book Tarik in for a massage on 2026-12-03", "book {patient} in for a {therapy} on {day}"],
  { patient: ["string", "Tarik"], therapy: ["string", "massage"], day: ["date", "2026-12-03"] },
  [["fs_append", { path: "clinic.md", text: "${day}: ${patient} ${therapy}\n" }]],
);
const FLOWER = learned(
  "flower",
  ["I saw a primrose at Long Meadow", "I saw a {flower} at {meadow}"],
  { flower: ["string", "primrose"], meadow: ["string", "Long Meadow"] },
  [["fs_append", { path: "flowers.md", text: "${flower}: ${meadow}\n" }]],
);
const PROP = learned(
  "prop",
  ["give the lantern to Mads for scene 2", "give the {lamp} to {actor} for scene {scene}"],
  { lamp: ["string", "lantern"], actor: ["string", "Mads"], scene: ["number", "2"] },
  [["fs_append", { path: "props.md", text: "${scene}: ${lamp} ${actor}\n" }]],
);
const DONATION = learned(
  "donation",
  [
    "note a donation of 20 euros from Ylva for the roof",
    "note a donation of {amount} euros from {donor} for {purpose}",
  ],
  { amount: ["number", "20"], donor: ["string", "Ylva"], purpose: ["string", "the roof"] },
  [["fs_append", { path: "donations.csv", text: "${donor},${amount},${purpose}\n" }]],
);
const KAYAK = learned(
  "kayak",
  ["rent out the canoe to Solveig for 3 days", "rent out the {boat} to {guest} for {days} days"],
  { boat: ["string", "canoe"], guest: ["string", "Solveig"], days: ["number", "3"] },
  [["fs_append", { path: "rentals.csv", text: "${guest},${boat},${days}\n" }]],
);

const PONY = learned(
  "pony",
  ["note that the pony Max weighs 210 kg", "note that the pony {pony} weighs {kg} kg"],
  { pony: ["string", "Max"], kg: ["number", "210"] },
  [["fs_append", { path: "ponies.csv", text: "${pony},${kg}\n" }]],
);

const HOURS = learned(
  "hours",
  [
    "I worked 3.5 hours for Brightwater Ltd on 2026-11-24. Add it to hours.csv and make a task to bill Brightwater Ltd.",
    "I worked {hours} hours for {customer} on {day}. Add it to {path} and make a task to {title}.",
  ],
  {
    path: ["path", "hours.csv"],
    day: ["date", "2026-11-24"],
    customer: ["string", "Brightwater Ltd"],
    hours: ["string", "3.5"],
    title: ["string", "bill Brightwater Ltd"],
  },
  [
    ["fs_append", { path: "${path}", text: "${day},${customer},${hours}\n" }],
    ["task_create", { title: "${title}" }],
  ],
);

it.each(["2", "1.5", "12"])("a text that was 3.5 may be %s", (hours) => {
  const request = `I worked ${hours} hours for Tilda Moe on 2026-11-23. Add it to hours.csv and make a task to bill Tilda Moe.`;
  expect(matchRecipe(request, [HOURS], options).match?.values).toMatchObject({
    hours,
    customer: "Tilda Moe",
  });
});

const START = learned(
  "start",
  ["set the task mend the sail to in progress", "set the task {task} to in progress"],
  { task: ["string", "mend the sail"] },
  [
    ["task_find", { query: "${task}" }],
    ["task_update_status", { id: "${steps.1.id}", status: "in_progress" }],
  ],
);
const MERGE = learned(
  "merge",
  ["merge notes/tides-b.md into notes/tides.md", "merge {source} into {target}"],
  { source: ["path", "notes/tides-b.md"], target: ["path", "notes/tides.md"] },
  [
    ["fs_read", { path: "${source}" }],
    ["fs_append", { path: "${target}", text: "${steps.1.content}" }],
    ["fs_delete", { path: "${source}" }],
  ],
);

it.each([
  ["another status is meant", START, "tick off the task mend the sail"],
  ["another status is meant", START, "set the task mend the sail to blocked"],
  ["another act with two files is meant", MERGE, "publish the file notes/tides.md under docs/tides.md"],
])("replays nothing if %s", (_what, learnt, request) => {
  const { match, likely } = matchRecipe(request, [learnt], options);
  expect([match, likely]).toEqual([undefined, []]);
});

it.each([
  ["set the task caulk the hull to in progress please", START, { task: "caulk the hull" }],
  ["combine notes/a.md into notes/b.md", MERGE, { source: "notes/a.md", target: "notes/b.md" }],
])("“%s” means the function", (request, learnt, values) => {
  const { match, likely } = matchRecipe(request, [learnt], options);
  expect((match ?? likely[0])?.values).toEqual(values);
});

const ABSENCE = learned(
  "absence",
  ["Lina Berg of team 4 is away on 2026-11-23", "{person} of team {team} is away on {day}"],
  { person: ["string", "Lina Berg"], team: ["string", "4"], day: ["date", "2026-11-23"] },
  [["fs_append", { path: "away.csv", text: "${day},${person},${team}\n" }]],
);
const DEFECT = learned(
  "defect",
  ["defect in hall B2: the heating hums", "defect in hall {hall}: {defect}"],
  { hall: ["string", "B2"], defect: ["string", "the heating hums"] },
  [["fs_append", { path: "defects.csv", text: "${hall},${defect}\n" }]],
);
const DELIVERY = learned(
  "delivery",
  ["delivery D-310 from Falk arrived", "delivery {delivery} from {sender} arrived"],
  { delivery: ["string", "D-310"], sender: ["string", "Falk"] },
  [["fs_append", { path: "deliveries.csv", text: "${delivery},${sender}\n" }]],
);

const matched = (request: string, ...functions: ReturnType<typeof learned>[]) =>
  matchRecipe(request, functions, options);

describe("values of another kind than the earlier ones", () => {
  it("replays nothing where a thing stands in place of a person, or a person in place of a treatment", () => {
    const { match } = matched("book a train for Tarik on 5 December", CLINIC);
    expect(match).toBeUndefined();
  });
  it("replays nothing where only a value of another kind shows what is meant", () => {
    expect(matched("I saw a play at the Odeon", FLOWER).match).toBeUndefined();
    expect(matched("give the money to Mads for scene 3", PROP).match).toBeUndefined();
  });
  it("replays with a new value of the same kind", () => {
    expect(matched("I saw a daisy at the Odeon", FLOWER).match?.values).toEqual({
      flower: "daisy",
      meadow: "Odeon",
    });
  });
  it("offers, and does not replay, a function that also gets a day in its place", () => {
    const { match, likely } = matched("reserve the chapel on friday for the tournament please", CHAPEL);
    expect(match).toBeUndefined();
    expect(likely.map(({ values }) => values)).toEqual([
      { hall: "chapel", day: "2026-11-27", group: "tournament" },
    ]);
  });
  it("neither replays nor offers a function that gives something for a request that receives it", () => {
    const { match, likely } = matched("note a donation of 25 euros to Ylva for the roof", DONATION);
    expect(match).toBeUndefined();
    expect(likely).toEqual([]);
  });
});

describe("statements and lists", () => {
  it("replays a record of a statement with every value in its place", () => {
    expect(matched("I weighed the pony Lotta: 190 kg", PONY).match?.values).toEqual({
      pony: "Lotta",
      kg: 190,
    });
  });
  it("replays a list of values between punctuation marks, each recognized by its kind or form", () => {
    expect(matched("rent: kayak, Yngve, 2 days", KAYAK).match?.values).toEqual({
      boat: "kayak",
      guest: "Yngve",
      days: 2,
    });
  });
});

describe("more than the values can contain", () => {
  it("replays nothing for a range of days where one day is expected", () => {
    expect(matched("Noor Haq of team 2 is away on 2026-11-30", ABSENCE).match).toBeDefined();
    expect(
      matched("Noor Haq of team 2 is away from 2026-11-30 to 2026-12-04", ABSENCE).match,
    ).toBeUndefined();
  });
  it.each(["UTC", "Asia/Tokyo", "America/New_York"])("counts a day with a time once in %s", (timeZone) => {
    const values = { person: "Noor Haq", team: "2", day: "2026-11-30" };
    const request = "Noor Haq of team 2 is away on 2026-11-30 at";
    const repeatAt = (time: string) =>
      hasUnexplainedWords(tokenizeRequest(`${request} ${time}`), values, ABSENCE, { ...options, timeZone });
    expect([repeatAt("0:30"), repeatAt("23:30")]).toEqual([false, false]);
  });
  it("replays nothing for a day that does not exist", () => {
    expect(matched("Noor Haq of team 2 is away on 31 november", ABSENCE).match).toBeUndefined();
  });
  it("replays nothing whose value runs into another sentence", () => {
    expect(matched("defect in hall C1: the lamp is loose", DEFECT).match).toBeDefined();
    expect(
      matched("defect in hall C1: the lamp is loose. Order a new one for monday", DEFECT).match,
    ).toBeUndefined();
  });
  it("replays nothing with a name in place of a code, or a code in place of a name", () => {
    expect(matched("arrived delivery: Falk, D-12", DELIVERY).match?.values).not.toEqual({
      delivery: "Falk",
      sender: "D-12",
    });
  });
});
