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
const MARKET = learned(
  "market",
  ["put leeks on the market list", "put {item} on the market list"],
  { item: ["string", "leeks"] },
  [["fs_append", { path: "market.md", text: "- ${item}\n" }]],
);
const HALL = learned(
  "hall",
  [
    "reserve the green hall on 2026-12-04 for the quiz night",
    "reserve the {hall} on {day} for the {purpose}",
  ],
  { hall: ["string", "green hall"], day: ["date", "2026-12-04"], purpose: ["string", "quiz night"] },
  [["fs_append", { path: "halls.md", text: "${day} ${hall}: ${purpose}\n" }]],
);
const PLAN = learned(
  "plan",
  ["show me the watering plan for week 12", "show me the watering plan for week {week}"],
  { week: ["number", "12"] },
  [["fs_read", { path: "plans/${week}.md" }]],
);
const DESK = learned(
  "desk",
  ["repair at desk 7B: the lamp flickers", "repair at desk {desk}: {problem}"],
  { desk: ["string", "7B"], problem: ["string", "the lamp flickers"] },
  [["fs_append", { path: "repairs.md", text: "${desk}: ${problem}\n" }]],
);
const BROKEN = learned(
  "broken",
  ["report the drill as broken: chuck loose", "report the {machine} as broken: {fault}"],
  { machine: ["string", "drill"], fault: ["string", "chuck loose"] },
  [["fs_append", { path: "broken.md", text: "${machine}: ${fault}\n" }]],
);
const BILL = learned(
  "bill",
  ["file the bill V-310 as paid", "file the bill {bill} as paid"],
  { bill: ["string", "V-310"] },
  [["fs_append", { path: "paid.md", text: "${bill}\n" }]],
);
const WATER = learned(
  "water",
  ["enter that I watered the monstera on 2026-11-20", "enter that I watered the {plant} on {day}"],
  { plant: ["string", "monstera"], day: ["date", "2026-11-20"] },
  [["fs_append", { path: "watering-book.md", text: "${day} ${plant}\n" }]],
);
const ALL = [WATER, MARKET, HALL, PLAN, DESK, BROKEN, BILL];
const valuesOf = (say: string) => {
  const { match, likely } = matchRecipe(say, ALL, options);
  return (match ?? likely[0])?.values;
};

describe("a request by somebody in a hurry or with little English", () => {
  it.each([
    ["a color, which is no verb", "need red onions, stick em on the market list", { item: "red onions" }],
    [
      "a value that ends as the earlier ones, and an order at the end",
      "corner hall tomorrow for book club, reserve it",
      { hall: "corner hall", day: "2026-11-26", purpose: "book club" },
    ],
    ["a short form of its own word", "wk 14 watering plan, let me see", { week: 14 }],
    ["a code that could be a temperature", "desk 2C: socket is dead, repair", { desk: "2C" }],
    [
      "another word for a parameter",
      "the lathe is broken, reason is: cracked belt, please report",
      { machine: "lathe", fault: "cracked belt" },
    ],
    [
      "a verb that no list has after “has”",
      "please to make entry in watering book, the basil has received water at 19 November",
      { plant: "basil", day: "2026-11-19" },
    ],
  ])("is found with %s", (_why, say, values) => {
    expect(valuesOf(say)).toMatchObject(values);
  });

  it.each([
    ["as soon as the money for V-311 is in, file the bill as paid"],
    ["file the bill V-311 as paid in case the money is in"],
    ["reserve the blue hall or the red hall on 2026-12-05 for the choir, whichever is free"],
    ["send the bill V-311"],
  ])("is not offered where something else must be true first, or is asked for: %s", (say) => {
    expect(valuesOf(say)).toBeUndefined();
  });
});

describe("a function that is requested with nothing but words of the skills", () => {
  const FILED = learned(
    "filed",
    [
      'create a file trips/ferry.md with the text "42 euros" and add a task to claim the ferry',
      "create a file {path} with the text {content} and add a task to {title}",
    ],
    {
      path: ["path", "trips/ferry.md"],
      content: ["string", "42 euros"],
      title: ["string", "claim the ferry"],
    },
    [
      ["fs_write", { path: "${path}", content: "${content}" }],
      ["task_create", { title: "${title}" }],
    ],
  );

  it("is replayed for other words that the skills read as the same calls", () => {
    const say = 'save "18 euros" as trips/parking.md and put claim the parking on my to do list';
    expect(matchRecipe(say, [FILED], options).match?.values).toEqual({
      path: "trips/parking.md",
      content: "18 euros",
      title: "claim the parking",
    });
  });

  it("is not replayed for the same calls about other things", () => {
    const say = 'save "pay by friday" as bills/seven.md and put pay the plumber on my to do list';
    expect(matchRecipe(say, [FILED], options).match).toBeUndefined();
  });

  it.each([
    "what is in trips/parking.md and which tasks are open",
    'save "18 euros" as trips/parking.md',
    'save "18 euros" as trips/parking.md and put claim the parking on my to do list by friday',
  ])("is not replayed for other calls: %s", (say) => {
    expect(matchRecipe(say, [FILED], options).match).toBeUndefined();
  });
});

describe("a request that the words make certain although the rules cannot place all of it", () => {
  const FEE = learned(
    "fee",
    [
      "note that Tomas paid 25 euros of the club fee",
      "note that {member} paid {amount} euros of the club fee",
    ],
    { member: ["string", "Tomas"], amount: ["number", "25"] },
    [["fs_append", { path: "fees.csv", text: "${member},${amount}\n" }]],
  );
  const WATERING = learned(
    "watering",
    ["log watering: roses, 5 litres", "log watering: {plant}, {litres} litres"],
    { plant: ["string", "roses"], litres: ["number", "5"] },
    [["fs_append", { path: "watering.csv", text: "${plant},${litres}\n" }]],
  );

  it("is replayed, without capitals and with a number in words", () => {
    const { match } = matchRecipe("hanne paid the club fee of forty euros, note it", [FEE], options);
    expect(match?.values).toEqual({ member: "hanne", amount: 40 });
  });
  it("is not replayed if it asks for the work that the function records", () => {
    expect(matchRecipe("water the tomatoes with 7 litres", [WATERING], options).match).toBeUndefined();
  });
  it("is not replayed if a word in a part of its own may be a second value", () => {
    const { match } = matchRecipe("hanne paid forty euros of the club fee, badge, note it", [FEE], options);
    expect(match).toBeUndefined();
  });
});

describe("words around the values that change nothing, or turn the request around", () => {
  const LINK = learned(
    "link",
    ["keep the link https://bees.example/hive under bees", "keep the link {url} under {topic}"],
    { url: ["string", "https://bees.example/hive"], topic: ["string", "bees"] },
    [["fs_append", { path: "links/${topic}.md", text: "- ${url}\n" }]],
  );
  const MOVED = learned(
    "moved",
    ["move the report of 2026-10-14 from open to closed", "move the report of {date} from open to closed"],
    { date: ["date", "2026-10-14"] },
    [["fs_move", { from: "open/${date}.md", to: "closed/${date}.md" }]],
  );
  const BILLS = learned(
    "bills",
    ["list the bills of 2025", "list the bills of {year}"],
    { year: ["number", "2025"] },
    [["fs_list", { path: "bills/${year}" }]],
  );
  const offered = (say: string, candidate: ReturnType<typeof learned>) => {
    const { match, likely } = matchRecipe(say, [candidate], options);
    return (match ?? likely[0])?.values;
  };

  it("offers a function whose place is named in the plural, with a value before it", () => {
    const values = offered("https://yarn.example/socks goes into knitting links", LINK);
    expect(values).toEqual({ url: "https://yarn.example/socks", topic: "knitting" });
  });
  it("offers a function that takes all of something for a request that says all", () => {
    expect(offered("gimme list of all bills from 2023", BILLS)).toEqual({ year: 2023 });
  });
  it("offers nothing for the way back", () => {
    expect(offered("move the report of 2026-10-14 from closed to open", MOVED)).toBeUndefined();
  });
});
