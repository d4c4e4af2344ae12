import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../../testing/learned-recipe.ts";
import { checkChoice } from "./choose-function.ts";

const SHELVE = learned(
  "shelve",
  ["shelve the sheet rigging", "shelve the sheet {name}"],
  { name: ["string", "rigging"] },
  [["fs_move", { from: "sheets/${name}.md", to: "shelf/${name}.md" }]],
);
const MEAL = (() => {
  const plain = learned(
    "meal",
    ["note the meal of cabin 4 as vegetarian", "note the meal of cabin {cabin} as {meal}"],
    { cabin: ["number", "4"], meal: ["string", "vegetarian"] },
    [["fs_append", { path: "meals.md", text: "- ${cabin}: ${meal}\n" }]],
  );
  const parameters = plain.parameters.map((one) =>
    one.name === "meal" ? { ...one, description: "One of: vegetarian, kosher, halal" } : one,
  );
  return { ...plain, parameters };
})();
const FEES = (() => {
  const plain = learned(
    "fees",
    ["look up the mooring fee in EUR", "look up the mooring fee in {currency}"],
    { currency: ["string", "EUR"] },
    [["http_get", { url: "https://harbour.example/fees/${currency}" }]],
  );
  const parameters = plain.parameters.map((one) => ({ ...one, description: "One of: EUR, CHF, NOK" }));
  return { ...plain, parameters };
})();

const CALL = learned(
  "call",
  [
    "note that Ann rang and add a task to call Ann by 2026-11-30",
    "note that {who} rang and add a task to call {who} by {due}",
  ],
  { who: ["string", "Ann"], due: ["date", "2026-11-30"] },
  [
    ["fs_append", { path: "calls.md", text: "- ${who}\n" }],
    ["task_create", { title: "Call ${who}", due: "${due}" }],
  ],
);

const HOURS = learned(
  "hours",
  [
    "I worked 3.5 hours for Brightwater on 2026-11-24, put it on the hours list",
    "I worked {hours} hours for {customer} on {day}, put it on the hours list",
  ],
  { hours: ["string", "3.5"], customer: ["string", "Brightwater"], day: ["date", "2026-11-24"] },
  [["fs_append", { path: "hours.csv", text: "${day},${customer},${hours}\n" }]],
);

const ABSENCE = (() => {
  const plain = learned(
    "absence",
    [
      "Hamish can't come on 2026-12-08. Note it in choir/away.md and set his attending to no in choir/singers.csv",
      "{name} can't come on {day}. Note it in {path} and set his attending to no in {table}",
    ],
    {
      name: ["string", "Hamish"],
      day: ["date", "2026-12-08"],
      path: ["path", "choir/away.md"],
      table: ["path", "choir/singers.csv"],
    },
    [
      ["fs_append", { path: "${path}", text: "- ${day} ${name}\n" }],
      ["table_edit", { path: "${table}", action: "set", row: "${name}", column: "attending", value: "no" }],
    ],
  );
  const defaults: Record<string, string> = { path: "choir/away.md", table: "choir/singers.csv" };
  const parameters = plain.parameters.map((one) => {
    const value = defaults[one.name];
    return value === undefined ? one : { ...one, required: false, default: value };
  });
  return { ...plain, title: "Note an absence of a singer", parameters };
})();
const WORKED = learned(
  "worked",
  [
    "I worked 3.5 hours for Brightwater on 2026-11-24. Add it to hours.csv and make a task to bill Brightwater",
    "I worked {hours} hours for {customer} on {day}. Add it to hours.csv and make a task to bill {customer}",
  ],
  { hours: ["string", "3.5"], customer: ["string", "Brightwater"], day: ["date", "2026-11-24"] },
  [
    [
      "table_edit",
      {
        path: "hours.csv",
        action: "add",
        values: { day: "${day}", customer: "${customer}", hours: "${hours}" },
      },
    ],
    ["task_create", { title: "Bill ${customer}" }],
  ],
);

/** What becomes of a model's choice of this function with these values. */
const accepted = (
  request: string,
  chosen: typeof SHELVE,
  values: Record<string, unknown>,
): Record<string, unknown> | string => {
  const result = checkChoice(
    [SHELVE, MEAL, FEES, CALL, HOURS, ABSENCE, WORKED],
    { function: chosen.id, values },
    {
      request,
      requestedAt: new Date("2026-11-25T10:00:00Z"),
      timeZone: "UTC",
      conversation: { turns: [], topics: [], omittedTurns: 0 },
      skills: installedSkills,
    },
  );
  return typeof result === "string" ? result : result.values;
};

describe("a model may be asked about a function that does not match", () => {
  it.each([
    ["a statement is negated", "not at home, cabin 3, and kosher, keep that", MEAL],
    ["the skills understand the request", "remember that cabin 7 eats halal", MEAL],
  ])("although %s", (_why, request, { id }) => {
    const { match, likely, open } = matchRecipe(request, [SHELVE, MEAL, FEES], {
      now: new Date("2026-11-25T10:00:00Z"),
      timeZone: "UTC",
      skillGrammars: installedSkills.map(skillGrammar),
    });
    expect([match, likely]).toEqual([undefined, []]);
    expect(open.map((one) => one.id)).toContain(id);
  });
});

it("a function is certain with another day, and neither certain nor offered with one that does not exist", () => {
  const matching = (day: string) =>
    matchRecipe(
      `I worked 2.5 hours for Moe on ${day}. Add it to hours.csv and make a task to bill Moe`,
      [WORKED],
      {
        now: new Date("2026-11-25T10:00:00Z"),
        timeZone: "UTC",
        skillGrammars: installedSkills.map(skillGrammar),
      },
    );
  expect(matching("2026-11-30").match?.values).toMatchObject({ day: "2026-11-30" });
  const { match, likely } = matching("2026-11-31");
  expect([match, likely]).toEqual([undefined, []]);
});

describe("a model's choice is followed when a value stands in the request", () => {
  it.each([
    ["within its path", "sheets/tide-tables.md belongs on the shelf by now", SHELVE, { name: "tide-tables" }],
    ["with a typing error", "cabin 7 eats vegeterian, put that down", MEAL, { cabin: 7, meal: "vegetarian" }],
    ["by the name of its currency", "the mooring fee in swiss francs please", FEES, { currency: "CHF" }],
    [
      "with a day alone",
      "good morning, Kim rang, call Kim by friday",
      CALL,
      { who: "Kim", due: "2026-11-27" },
    ],
    ["after a title", "Mr. Vik in cabin 3 eats kosher, please note that", MEAL, { cabin: 3, meal: "kosher" }],
  ])("%s", (_how, request, chosen, values) => {
    expect(accepted(request, chosen, values)).toEqual(values);
  });
});

it("no model's choice is followed that leaves out a file of the request", () => {
  const copying = learned(
    "copying",
    ["copy soup.md to monday.md and add it to list.md", "copy {from} to {to} and add it to {path}"],
    { from: ["path", "soup.md"], to: ["path", "monday.md"], path: ["path", "list.md"] },
    [
      ["fs_copy", { from: "${from}", to: "${to}" }],
      ["fs_read", { path: "${from}" }],
      ["fs_append", { path: "${path}", text: "${steps.2.content}" }],
    ],
  );
  const choose = (request: string) =>
    checkChoice(
      [copying],
      { function: copying.id, values: { from: "pie.md", to: "friday.md", path: "list.md" } },
      {
        request,
        requestedAt: new Date("2026-11-25T10:00:00Z"),
        timeZone: "UTC",
        conversation: { turns: [], topics: [], omittedTurns: 0 },
        skills: installedSkills,
      },
    );
  expect(choose("have pie.md copied to friday.md and added to list.md")).toMatchObject({
    values: { to: "friday.md" },
  });
  expect(
    choose("copy pie.md to friday.md and stew.md to sunday.md and put what is in both on list.md"),
  ).toMatch("stew.md");
});

it("no model's choice is followed that mistakes a number for a text", () => {
  const request = "please log hours for 2 at Moe, on 2026-11-30";
  const swapped = { hours: "Moe", customer: "2", day: "2026-11-30" };
  expect(accepted(request, HOURS, swapped)).toBe("The value of hours is no number, unlike in the examples.");
  expect(
    accepted("I worked 2 hours for Moe on 2026-11-30, on the list", HOURS, {
      ...swapped,
      hours: "2",
      customer: "Moe",
    }),
  ).toMatchObject({ hours: "2" });
});

describe("a model's choice is followed", () => {
  const request = "good morning, Kim rang, call Kim by friday";
  const chosenAs = (reference: string | null, due = "2026-11-27") => {
    const result = checkChoice(
      [SHELVE, { ...CALL, title: "Note who rang" }, { ...HOURS, title: "Note hours" }],
      { function: reference, values: { who: "Kim", due } },
      {
        request,
        requestedAt: new Date("2026-11-25T10:00:00Z"),
        timeZone: "UTC",
        conversation: { turns: [], topics: [], omittedTurns: 0 },
        skills: installedSkills,
      },
    );
    return typeof result === "string" ? result : [result.function.id, result.values];
  };
  const followed = [CALL.id, { who: "Kim", due: "2026-11-27" }];

  it.each([`Note who rang`, `note who rang.`, `${CALL.id}: Note who rang`])(
    "by its title: %s",
    (reference) => {
      expect(chosenAs(reference)).toEqual(followed);
    },
  );

  it("with a day in words of the request", () => {
    expect(chosenAs(CALL.id, "friday")).toEqual(followed);
    expect(chosenAs(CALL.id, "Saturday")).toMatch(/due is not in the person's words/u);
  });

  it("never for another title, and never without one", () => {
    expect(chosenAs("Note a visit")).toBe("It is none of the functions that were named.");
    expect(chosenAs(null)).toBe("No function was chosen.");
  });
});

it("leaves out no day on which something starts", () => {
  const values = { cabin: 7, meal: "halal" };
  const request = "cabin 7 wants the sea view, from the 8th. put the meal as halal, too";
  expect(accepted(request, MEAL, values)).toBe("“the 8th” is not among the values.");
  expect(accepted("cabin 7 changes from 3 to halal meals", MEAL, values)).toEqual(values);
});

it("takes a number for a text of digits, and digits for a number", () => {
  const values = { hours: 2, customer: "Tilda", day: "2026-11-23" };
  expect(accepted("on 2026-11-23, 2 hours for Tilda, hours list please", HOURS, values)).toEqual({
    ...values,
    hours: "2",
  });
  expect(accepted("cabin 7 eats kosher, put that down", MEAL, { cabin: "7", meal: "kosher" })).toEqual({
    cabin: 7,
    meal: "kosher",
  });
});

describe("a model's choice is followed although", () => {
  it.each([
    ["a statement before the order is negated", "I can't find the sheet moon, shelve it", { name: "moon" }],
    ["its thing is no longer needed", "the sheet moon is no longer needed, shelve it", { name: "moon" }],
    ["a question precedes the order", "where is the sheet moon? move it to the shelf", { name: "moon" }],
    ["a courtesy begins with if", "shelve the sheet moon if you'd be so kind", { name: "moon" }],
  ])("%s", (_why, request, values) => {
    expect(accepted(request, SHELVE, values)).toEqual(values);
  });
});

describe("a model's choice is not followed when", () => {
  it.each([
    ["the order is denied", "don't shelve the sheet moon", SHELVE, { name: "moon" }],
    ["its thing is denied", "no sheet on the shelf this time, moon stays", SHELVE, { name: "moon" }],
    ["the value is denied", "cabin 3 is not kosher, note that", MEAL, { cabin: 3, meal: "kosher" }],
    ["a condition limits it", "shelve the sheet moon if Vik has read it", SHELVE, { name: "moon" }],
    [
      "a part of the day is left over",
      "Kim rang, add a task to call Kim by friday afternoon",
      CALL,
      { who: "Kim", due: "2026-11-27" },
    ],
    [
      "a time is left over",
      "Kim rang, I must call Kim on friday at 10",
      CALL,
      { who: "Kim", due: "2026-11-27" },
    ],
    [
      "it is for each of several",
      "note for every cabin and cabin 3 that it eats kosher",
      MEAL,
      { cabin: 3, meal: "kosher" },
    ],
    ["it is a question", "where is the sheet moon", SHELVE, { name: "moon" }],
    ["the name is only a part of the one in the path", "shelve sheets/moon-a.md", SHELVE, { name: "moon" }],
    ["the value is nowhere", "shelve the sheet moon", SHELVE, { name: "mars" }],
  ])("%s", (_why, request, chosen, values) => {
    expect(accepted(request, chosen, values)).toBeTypeOf("string");
  });
});

describe("a function that is for what is not so, with fixed words and defaults,", () => {
  const NOOR = { name: "Noor", day: "2026-12-22" };
  const DEFAULTS = { path: "choir/away.md", table: "choir/singers.csv" };
  const read = (request: string) =>
    matchRecipe(request, [ABSENCE, WORKED], {
      now: new Date("2026-11-25T10:00:00Z"),
      timeZone: "UTC",
      skillGrammars: installedSkills.map(skillGrammar),
    });

  it("is replayed for its own words", () => {
    const request =
      "Noor can't come on 2026-12-22. Note it in choir/away.md and set his attending to no in choir/singers.csv";
    expect(read(request).match?.values).toEqual({ ...NOOR, ...DEFAULTS });
  });

  it.each([
    ["without the files", "Noor is ill on 22 December, please put it in the absences of the choir", NOOR],
    ["with the files", "Note Noor as absent on 22 December, attending to no", { ...NOOR, ...DEFAULTS }],
  ])("is followed %s, which are its defaults", (_how, request, values) => {
    expect(accepted(request, ABSENCE, values)).toEqual({ ...NOOR, ...DEFAULTS });
  });

  it.each([
    "Noor can come on 22 December after all. Note it in choir/away.md and set his attending to yes in choir/singers.csv",
    "Noor can come on 22 December. Note it in choir/away.md and set his attending to no in choir/singers.csv",
    "Noor can't sing the solo on 22 December. Note it in choir/away.md and set his attending to maybe",
    "Note Noor as present on 22 December in choir/away.md",
    "Note Noor as paid on 22 December and set his fee to yes",
  ])("is neither followed nor replayed for “%s”", (request) => {
    expect(accepted(request, ABSENCE, NOOR)).toBeTypeOf("string");
    const { match, likely } = read(request);
    expect([match, likely]).toEqual([undefined, []]);
  });
});

describe("a model's choice is not followed when the request", () => {
  it.each([
    [
      "takes back",
      "Remove the 7 hours for Tilda on 2026-11-24 from hours.csv and drop the task to bill Tilda",
      7,
    ],
    ["corrects", "I worked 3 hours less for Tilda on 2026-11-24 than I said. Correct it in hours.csv", 3],
    ["asks for two", "I worked 4 hours for Tilda on 2026-11-24 and 2 on the 25th. Add it to hours.csv", 4],
  ])("%s", (_what, request, hours) => {
    expect(accepted(request, WORKED, { hours, customer: "Tilda", day: "2026-11-24" })).toBeTypeOf("string");
  });
});
