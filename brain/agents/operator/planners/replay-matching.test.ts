import { readFileSync } from "node:fs";
import { FunctionMemory } from "@metahuman/core/contract/function";
import type { RecipeFunction } from "@metahuman/core/functions/recipe/match-types";
import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { learned } from "../../testing/learned-recipe.ts";

/** Requests as people write them, for and near a dozen recipes; `replays` names the one that is certainly meant. */
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
const skillGrammars = installedSkills.map(skillGrammar);
const options = { now: new Date("2026-11-22T10:00:00Z"), timeZone: "Europe/Oslo", skillGrammars };
/** The recipe that each would replay. */
const replayed = new Map(
  requests.map(({ say }) => [say, matchRecipe(say, recipes, options).match?.function.id ?? null]),
);

const HOLD = learned(
  "hold",
  ["put the task redesign homepage on hold", "put the task {task} on hold"],
  { task: ["string", "redesign homepage"] },
  [
    ["task_find", { query: "${task}" }],
    ["task_update_status", { id: "${steps.1.id}", status: "blocked" }],
  ],
);
const COPY = learned(
  "copy",
  ["copy notes/plan.md to out/plan-copy.md", "copy {source} to {target}"],
  { source: ["path", "notes/plan.md"], target: ["path", "out/plan-copy.md"] },
  [
    ["fs_read", { path: "${source}" }],
    ["fs_write", { path: "${target}", content: "${steps.1.content}" }],
  ],
);
const ARCHIVE = learned(
  "archive",
  ["archive the note kickoff", "archive the note {name}"],
  { name: ["string", "kickoff"] },
  [["fs_move", { from: "notes/${name}.md", to: "archive/${name}.md" }]],
);
const FILING = learned(
  "filing",
  ["move invoice-17.pdf under finance", "move {file} under {folder}"],
  { file: ["string", "invoice-17.pdf"], folder: ["string", "finance"] },
  [["fs_move", { from: "inbox/${file}", to: "docs/${folder}/${file}" }]],
);

const COUNT_LINES = learned(
  "count-lines",
  ["how many lines does plan.md have", "how many lines does {path} have"],
  { path: ["path", "plan.md"] },
  [["fs_read", { path: "${path}" }]],
);

const FROM_INBOX = learned(
  "from-inbox",
  ["move scan.pdf from the inbox into the binder car", "move {file} from the inbox into the binder {binder}"],
  { file: ["string", "scan.pdf"], binder: ["string", "car"] },
  [["fs_move", { from: "inbox/${file}", to: "binders/${binder}/${file}" }]],
);
const PANTRY = learned(
  "pantry",
  ["put olive oil on the pantry list", "put {item} on the pantry list"],
  { item: ["string", "olive oil"] },
  [["fs_append", { path: "lists/pantry.md", text: "- ${item}\n" }]],
);
const SAYING = learned(
  "saying",
  ['save the saying "Less is more" by Mies', 'save the saying "{saying}" by {person}'],
  { saying: ["string", "Less is more"], person: ["string", "Mies"] },
  [["fs_append", { path: "notes/sayings.md", text: "> ${saying} (${person})\n" }]],
);
const KILOS = learned(
  "kilos",
  ["log a run of 8 km", "log a run of {distance} km"],
  { distance: ["number", "8"] },
  [["fs_append", { path: "runs.csv", text: "${distance}\n" }]],
);
const BREAK = learned(
  "break",
  ["set the break timer to 10 minutes", "set the break timer to {minutes} minutes"],
  { minutes: ["number", "10"] },
  [["json_update", { path: "settings/break.json", set: "minutes = ${minutes}" }]],
);
const COLOUR: RecipeFunction = {
  ...learned(
    "colour",
    ["switch the chart colour to Blue", "switch the chart colour to {colour}"],
    { colour: ["string", "Blue"] },
    [["json_update", { path: "settings/chart.json", set: "colour = ${colour}" }]],
  ),
  parameters: [{ name: "colour", type: "string", description: "One of: Blue, Green, Amber", required: true }],
};
const PRICE: RecipeFunction = {
  ...learned(
    "price",
    ["get the gold price in USD", "get the gold price in {currency}"],
    { currency: ["string", "USD"] },
    [["http_get", { url: "https://gold.example.org/${currency}.json" }]],
  ),
  parameters: [{ name: "currency", type: "string", description: "One of: USD, CHF, JPY", required: true }],
};
const COUNT = learned(
  "count",
  ["how many jars are in the cellar list", "how many {item} are in the cellar list"],
  { item: ["string", "jars"] },
  [["fs_read", { path: "lists/cellar.md" }]],
);
const OVEN = learned(
  "oven",
  ["note for oven 3: heat 180", "note for oven {oven}: heat {heat}"],
  { oven: ["number", "3"], heat: ["number", "180"] },
  [["fs_append", { path: "ovens/${oven}.md", text: "- heat ${heat}\n" }]],
);
const COLLECT = learned(
  "collect",
  ["read inbox/today.txt and append it to logs/all.txt", "read {source} and append it to {target}"],
  { source: ["path", "inbox/today.txt"], target: ["path", "logs/all.txt"] },
  [
    ["fs_read", { path: "${source}" }],
    ["fs_append", { path: "${target}", text: "${steps.1.content}" }],
  ],
);
const LEARNED = learned(
  "result",
  ["order a score of Nabucco for Nadia by 3 December", "order a {score} for {person} by {day}"],
  { score: ["string", "score of Nabucco"], person: ["string", "Nadia"], day: ["date", "2026-12-03"] },
  [["task_create", { title: "order ${score} for ${person}", due: "${day}" }]],
);
const TICKED = learned(
  "tick-chore",
  ["tick off windows on the cleaning list", "tick off {item} on the cleaning list"],
  { item: ["string", "windows"] },
  [["fs_edit", { path: "house/cleaning.md", action: "check", item: "${item}" }]],
);
const HOUSEHOLD = [FROM_INBOX, PANTRY, SAYING, KILOS, BREAK, COLOUR, PRICE, COUNT, OVEN, COLLECT, LEARNED];

describe("the words of other people", () => {
  const first = (say: string) => {
    const { match, likely } = matchRecipe(say, HOUSEHOLD, options);
    return { match, likely: match ?? likely[0] };
  };

  it.each([
    ["an order with the same place in other words", "add rye flour to the pantry list", "rye flour"],
    [
      "a typing error in a courtesy before a colon",
      "on the pantry list plese: I Will Not Share",
      "I Will Not Share",
    ],
    ["a number after a colon", "pantry list: 2 bags of rice", "2 bags of rice"],
  ])("are certain with %s", (_why, say, item) => {
    expect(first(say).match?.values).toEqual({ item });
  });

  it.each([
    [
      "who said it, by another preposition",
      'keep the saying of Rumi: "Never be without love"',
      { saying: "Never be without love", person: "Rumi" },
    ],
    [
      "what they would rather have",
      "i'd rather have 15 minutes on the break timer, change it pls",
      { minutes: 15 },
    ],
    ["a measure by its short form", "break timer 20 min", { minutes: 20 }],
    [
      "a way back to an option, as it is written",
      "can we go back to the amber chart colour",
      { colour: "Amber" },
    ],
    ["the name of a currency", "current gold price in swiss francs", { currency: "CHF" }],
    ["a question that is the function's own", "how many crates are in the cellar list?", { item: "crates" }],
    [
      "a statement, and the order after it",
      "there's a scan-2.pdf in my inbox, it belongs to the binder house, so move it there",
      { file: "scan-2.pdf", binder: "house" },
    ],
    ["what was put right while talking", "break timer to 20, no sorry, 35 minutes", { minutes: 35 }],
    ["a number in words before its measure", "bring the break timer to twelve minutes", { minutes: 12 }],
    ["two numbers in another order, each named", "write down heat 200 for oven 7", { oven: 7, heat: 200 }],
    [
      "two files in another order",
      "to logs/2026.txt please append the text of inbox/mail.txt",
      { source: "inbox/mail.txt", target: "logs/2026.txt" },
    ],
    [
      "another word for the last day",
      "order a metronome for Tomas till 4 december",
      { score: "metronome", person: "Tomas", day: "2026-12-04" },
    ],
    [
      "what is to be done with a thing",
      "by 4 december a music stand has to be ordered for Lena",
      { score: "music stand", person: "Lena", day: "2026-12-04" },
    ],
  ])("are understood with %s", (_why, say, values) => {
    expect(first(say).likely?.values).toEqual(values);
  });

  it.each([
    ["another place", "move scan.pdf from notes into the binder house"],
    ["a value that only describes", "move scan.pdf from the inbox into the right binder"],
    ["another measure", "log a run of 5 miles"],
    ["all of them", "put everything on the pantry list"],
    ["a prohibition outside the value", "do not put never-ending story on the pantry list"],
    ["a number of something else", "note for oven 3: humidity 40"],
    ["how much more", "raise the break timer by 5 minutes"],
    ["a pronoun for a person", "order a metronome for them by 4 december"],
    ["another action than that of the function", "add a metronome for Tomas by 4 december"],
  ])("match no function with %s", (_why, say) => {
    expect(first(say).likely).toBeUndefined();
  });

  it("match a function that ticks a line, and not for another line of the list", () => {
    const readings = (say: string) => {
      const { match, likely } = matchRecipe(say, [TICKED], options);
      return (match ? [match] : likely).map(({ values }) => values);
    };
    expect(readings("check off curtains on the cleaning list")).toEqual([{ item: "curtains" }]);
    expect(readings("add curtains to the cleaning list")).toEqual([]);
  });

  it("report how much the function explains, and what makes them doubtful", () => {
    // Two of five words are its own; the marks between the others are a part of the value.
    expect(first("pantry list: salt, pepper, cumin").likely).toMatchObject({ score: 2 / 5 });
    expect(first("to logs/2026.txt please append the text of inbox/mail.txt").likely?.reason).toBe(
      "Its words can be taken for values in several ways.",
    );
    expect(first("put rye flour on the pantry list, hooray").likely?.reason).toBe(
      "It does not explain “hooray”.",
    );
  });

  it.each(["_plan.md", "__init__.md", "~plan.md", "*plan.md", "<plan.md", "(plan.md"])(
    "do not request a file other than %s",
    (name) => {
      for (const say of [`copy ${name} to out/a.md`, `copy notes/a.md to ${name}`]) {
        const { match, likely } = matchRecipe(say, [COPY], options);
        const bound = [match, ...likely].flatMap((one) => (one ? Object.values(one.values) : []));
        expect(bound.filter((value) => value !== name && name.includes(String(value)))).toEqual([]);
      }
    },
  );
  it.each(["_plan.md", "__plan.md", "~plan.md", "*plan.md"])("do not request plan.md with %s", (name) => {
    const moving = learned(
      "moving",
      [
        "make the folder zz and move k2.md to zz/k2.md",
        "make the folder {folder} and move {source} to {target}",
      ],
      { folder: ["path", "zz"], source: ["path", "k2.md"], target: ["path", "zz/k2.md"] },
      [
        ["fs_mkdir", { path: "${folder}" }],
        ["fs_move", { from: "${source}", to: "${target}" }],
      ],
    );
    const asked = `make the folder yy and move ${name} to yy/plan.md`;
    const { match, likely } = matchRecipe(asked, [moving], options);
    const sources = [match, ...likely].flatMap((one) => (one ? [one.values["source"]] : []));
    expect(sources.filter((source) => source !== name)).toEqual([]);
  });
  it("request a file in parentheses", () => {
    const { match } = matchRecipe("copy (notes/plan.md) to out/a.md", [COPY], options);
    expect(match?.values).toEqual({ source: "notes/plan.md", target: "out/a.md" });
  });

  it("are offered, and not replayed, where a marked value may contain a prohibition", () => {
    const { match, likely } = first("pantry list: no sugar");
    expect([match, likely?.values]).toEqual([undefined, { item: "no sugar" }]);
  });
});

describe("a request that the skills understand, too", () => {
  it.each([
    ["put the task paint the shed on hold", { task: "paint the shed" }],
    ["please set task migrate the database to blocked", { task: "migrate the database" }],
    ["cp notes/todo.txt out/todo-backup.txt", { source: "notes/todo.txt", target: "out/todo-backup.txt" }],
  ])("is certain when both find the same values: %s", (say, values) => {
    expect(matchRecipe(say, [HOLD, COPY, ARCHIVE], options).match?.values).toEqual(values);
  });

  it("does not outweigh a function that explains what the skills take as free text", () => {
    const { match } = matchRecipe("the note budget-2025 can go into the archive", [HOLD, ARCHIVE], options);
    expect(match).toMatchObject({ function: { id: "archive" }, values: { name: "budget-2025" } });
  });

  it("decides what a quoted path is: not the name of a file in another folder", () => {
    const say = 'mv "out/old report.txt" "out/report.txt"';
    expect(matchRecipe(say, [FILING], options)).toMatchObject({ likely: [] });
    expect(matchRecipe(say, [FILING], options).match).toBeUndefined();
    expect(matchRecipe('move "inbox/old report.txt" under "tax"', [FILING], options).match?.values).toEqual({
      file: "old report.txt",
      folder: "tax",
    });
  });
});

describe("a question that a recipe answers", () => {
  it.each([
    "how many lines does b.md have",
    "please, how many lines does b.md have",
    "ok, how many lines does b.md have?",
  ])("is requested by “%s”", (say) => {
    expect(matchRecipe(say, [COUNT_LINES], options).match?.values).toEqual({ path: "b.md" });
  });
});

describe("requests for and near recipes", () => {
  it("are at least 200 over at least 10 recipes", () => {
    expect(requests.length).toBeGreaterThanOrEqual(200);
    expect(new Set(requests.map(({ replays }) => replays)).size).toBeGreaterThan(10);
  });

  it("never replay what was not requested", () => {
    const wrong = requests.filter(({ say, replays }) => {
      const chosen = replayed.get(say) ?? null;
      return chosen !== null && chosen !== replays;
    });
    expect(wrong.map(({ say }) => say)).toEqual([]);
  });

  it("replay at least four in five of the matching requests", () => {
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

  it("has a value between a verb and its particle, whatever these mean elsewhere", () => {
    const takeDown = learned(
      "shelf",
      ["take the red lamp off the shelf", "take the {piece} off the shelf"],
      { piece: ["string", "red lamp"] },
      [["fs_move", { from: "shelf/${piece}.md", to: "sold/${piece}.md" }]],
    );
    const valuesFor = (say: string) => matchRecipe(say, [takeDown], options).match?.values;
    expect(valuesFor("take the red lamp off the shelf")).toEqual({ piece: "red lamp" });
    expect(valuesFor("take the oak lantern off the shelf please")).toEqual({ piece: "oak lantern" });
    expect(valuesFor("take the oak lantern off the list")).toBeUndefined();
    expect(valuesFor("put the oak lantern back on the shelf")).toBeUndefined();
  });
});
