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
const CARD = learned(
  "card",
  ["write a card called oven saying clean on sunday", "write a card called {name} saying {text}"],
  { name: ["string", "oven"], text: ["string", "clean on sunday"] },
  [["fs_write", { path: "cards/${name}.md", content: "${text}" }]],
);
const CHORE = learned(
  "chore",
  ["set the chore sweep the stairs to finished", "set the chore {chore} to finished"],
  { chore: ["string", "sweep the stairs"] },
  [
    ["task_find", { query: "${chore}" }],
    ["task_update_status", { id: "${steps.1.id}", status: "done" }],
  ],
);
const COLOUR = learned(
  "colour",
  ["change the colour to teal", "change the colour to {colour}"],
  { colour: ["string", "teal"] },
  [["json_update", { path: "config/look.json", set: "colour = ${colour}" }]],
);
const OUTING = learned(
  "outing",
  ["plan an outing to Ghent on 2027-02-12", "plan an outing to {place} on {day}"],
  { place: ["string", "Ghent"], day: ["date", "2027-02-12"] },
  [
    ["fs_mkdir", { path: "outings/${place}" }],
    ["task_create", { title: "Pack for ${place}", due: "${day}" }],
  ],
);
const RELEASE = learned(
  "release",
  ["release the song low-tide", "release the song {song}"],
  { song: ["string", "low-tide"] },
  [
    ["fs_move", { from: "songs/new/${song}.md", to: "songs/out/${song}.md" }],
    ["fs_append", { path: "songs/released.md", text: "- ${song}\n" }],
  ],
);
const BRIEF = learned(
  "brief",
  ["put a summary of mail/offer.txt into the brief", "put a summary of {file} into the brief"],
  { file: ["path", "mail/offer.txt"] },
  [
    ["summarize_file", { path: "${file}" }],
    ["fs_append", { path: "brief.md", text: "${steps.1.summary}\n" }],
  ],
);
const SIZES = learned(
  "sizes",
  ["log my sizes, 80 wide and 40 high", "log my sizes, {width} wide and {height} high"],
  { width: ["number", "80"], height: ["number", "40"] },
  [["fs_append", { path: "sizes.csv", text: "${width},${height}\n" }]],
);
const TALK = learned(
  "talk",
  [
    "log a talk with Dana on 2026-11-20 about rents and add a task to reply",
    "log a talk with {person} on {day} about {topic} and add a task to reply",
  ],
  { person: ["string", "Dana"], day: ["date", "2026-11-20"], topic: ["string", "rents"] },
  [
    ["fs_write", { path: "talks/${day}-${person}.md", content: "${topic}" }],
    ["task_create", { title: "Reply to ${person}" }],
  ],
);
const PRINT = learned(
  "print",
  ["delete the print map-west", "delete the print {name}"],
  { name: ["string", "map-west"] },
  [["fs_delete", { path: "prints/${name}.txt" }]],
);
const RECORD = learned(
  "record",
  ["begin a lab record for 2026-12-01", "begin a lab record for {day}"],
  { day: ["date", "2026-12-01"] },
  [
    ["fs_write", { path: "lab/${day}.md", content: "# ${day}" }],
    ["task_list", {}],
  ],
);
const MARKET = learned(
  "market",
  ["put oats on the market list", "put {item} on the market list"],
  { item: ["string", "oats"] },
  [["fs_append", { path: "market.md", text: "- ${item}\n" }]],
);
const ALL = [MARKET, CARD, CHORE, COLOUR, OUTING, RELEASE, BRIEF, SIZES, TALK, PRINT, RECORD];
const read = (say: string) => {
  const { match, likely } = matchRecipe(say, ALL, options);
  const first = match ?? likely[0];
  return { how: match ? "replayed" : first ? "offered" : "left alone", values: first?.values };
};

describe("a request that limits, changes or replaces what the function does", () => {
  it.each([
    [
      "an exception behind a text",
      "write a card called wall saying two coats, but in drafts and not in cards",
    ],
    ["something more for what is there", "add to the card called oven: also the grill"],
    ["which one is meant, without its name", "set the chore with the earliest date to finished"],
    ["the last of several", "set the last chore to finished"],
    ["what somebody else decides", "change the colour to whatever Ines likes"],
    ["a text that somebody else has", "write a card called oven saying whatever the manual says"],
    ["another act", "book an outing to Ghent on 2027-02-12"],
    ["another act for somebody", "book me an outing to Ghent on 2027-02-12"],
    ["its object made first", "write a song called low-tide and release it"],
    ["a summary in the place of all", "replace the brief with a summary of mail/offer.txt"],
    ["the whole text", "put mail/offer.txt into the brief word for word"],
    ["one of two numbers", "log my sizes, the wide one is 90"],
  ])("is left alone: %s", (_why, say) => {
    expect(read(say)).toEqual({ how: "left alone", values: undefined });
  });

  it("does not delete where no word asks for it, because its noun is a verb, too", () => {
    expect(read("print map-east").how).toBe("left alone");
    expect(read("delete the print map-east")).toEqual({ how: "replayed", values: { name: "map-east" } });
  });

  it.each(["plan an outing to Bruges on some day next week", "plan an outing to Bruges next month"])(
    "is not carried out for a day that is not named: %s",
    (say) => {
      expect(read(say).how).not.toBe("replayed");
    },
  );

  it("may have such words in a value where earlier values have them, or in quotation marks", () => {
    expect(read('set the chore "the last one" to finished').values).toEqual({ chore: "the last one" });
    expect(read("write a card called list saying bread, but no rolls").how).toBe("left alone");
    expect(read('write a card called list saying "bread, but no rolls"').values).toEqual({
      name: "list",
      text: "bread, but no rolls",
    });
  });
});

describe("a second order that the function does not carry out", () => {
  it.each([
    "begin a lab record for 2026-12-08 and show it to me",
    "begin a lab record for 2026-12-08, then read me the record",
    "begin a lab record for 2026-12-08 and print it",
    "begin a lab record for 2026-12-08, view it please",
    "begin a lab record for 2026-12-08 and tell me what it says",
    "set the chore mop the hall to finished and show it to me",
    "release the song high-tide and listen to it",
  ])("leaves it alone: %s", (say) => {
    expect(read(say).how).toBe("left alone");
  });

  it.each([
    "begin a lab record for 2026-12-08 and open it",
    "release the song high-tide and put it on my desk",
  ])("makes it uncertain, where its verb may mean what the function does: %s", (say) => {
    expect(read(say).how).not.toBe("replayed");
  });

  it.each([
    ["begin a lab record for 2026-12-08, thank you for doing it", { day: "2026-12-08" }],
    ["write a card, call it wall, saying two coats", { name: "wall", text: "two coats" }],
    ["look at mail/lease.txt and put a summary of it into the brief", { file: "mail/lease.txt" }],
  ])("is told from other words about the same: %s", (say, values) => {
    expect(read(say).values).toEqual(values);
  });
});

describe("a value that is cut or taken for another", () => {
  it("is the number that its name precedes, in any order", () => {
    const { values } = read("log my sizes, the height is 45 and the width is 95");
    expect(values ?? { width: 95, height: 45 }).toEqual({ width: 95, height: 45 });
  });
  it("is the past weekday where a meeting is told of", () => {
    const { values } = read("on friday I had a talk with Omar about keys, log it and add a task to reply");
    expect(values?.["day"]).toBe("2026-11-20");
  });
  it("keeps a word for a day at its end where the day stands elsewhere", () => {
    const { values } = read("log yesterday's talk with Omar about holiday days and add a task to reply");
    expect(values).toEqual({ person: "Omar", day: "2026-11-24", topic: "holiday days" });
  });
});

describe("a statement that only says why something is asked for", () => {
  it.each([
    [
      "the vet says no long walks, so plan an outing to Bruges on 2027-03-01",
      { place: "Bruges", day: "2027-03-01" },
    ],
    [
      "plan an outing to Bruges on 2027-03-01, my sister does not want to fly",
      { place: "Bruges", day: "2027-03-01" },
    ],
    [
      "I never have time for mail/lease.txt, please put a summary of it into the brief",
      { file: "mail/lease.txt" },
    ],
    ["as Rita is on leave, plan an outing to Bruges on 2027-03-01", { place: "Bruges", day: "2027-03-01" }],
    ["since Omar says the old one was dull, change the colour to amber", { colour: "amber" }],
    ["my eyes hurt a lot, but please change the colour to amber", { colour: "amber" }],
    ["I want to sort out 2026-12-08, begin the lab record", { day: "2026-12-08" }],
    ["we are nearly out of rye flour, put it on the market list", { item: "rye flour" }],
  ])("changes nothing: %s", (say, values) => {
    const found = read(say);
    expect(found.how).not.toBe("left alone");
    expect(found.values).toEqual(values);
  });

  it.each([
    "as soon as Rita is back, plan an outing to Bruges on 2027-03-01",
    "if the vet says no, plan an outing to Bruges on 2027-03-01",
    "don't plan an outing to Bruges on 2027-03-01, the vet says no",
    "the outing is not planned yet, should I plan an outing to Bruges on 2027-03-01?",
    "we did not plan an outing to Bruges on 2027-03-01",
  ])("is told from a condition, a refusal and a question: %s", (say) => {
    expect(read(say).how).toBe("left alone");
  });
});

describe("a word with a hyphen", () => {
  const CHECK = learned(
    "check",
    ["add a check-in for Ravi on 2026-12-04", "add a check-in for {guest} on {day}"],
    { guest: ["string", "Ravi"], day: ["date", "2026-12-04"] },
    [["fs_append", { path: "guests.md", text: "${day} ${guest}\n" }]],
  );
  it("is recognized with a typing error", () => {
    const { match, likely } = matchRecipe("add a chekc-in for Lena on 2026-12-11", [CHECK], options);
    expect((match ?? likely[0])?.values).toEqual({ guest: "Lena", day: "2026-12-11" });
  });
});

describe("a noun before its place in a template", () => {
  const NOTED = learned(
    "noted",
    ["homework in maths: page 12", "homework in {subject}: {work}"],
    { subject: ["string", "maths"], work: ["string", "page 12"] },
    [["fs_append", { path: "homework.md", text: "- ${subject}: ${work}\n" }]],
  );
  it("is a noun, and no verb with a particle", () => {
    const { match, likely } = matchRecipe(
      "write down the homework in biology: draw a leaf",
      [NOTED],
      options,
    );
    expect((match ?? likely[0])?.values).toEqual({ subject: "biology", work: "draw a leaf" });
  });
});
