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
const SHIFT = learned(
  "shift",
  [
    "note that Jonas covers the bakery shift on 2026-12-03",
    "note that {helper} covers the bakery shift on {day}",
  ],
  { helper: ["string", "Jonas"], day: ["date", "2026-12-03"] },
  [["fs_append", { path: "shifts.md", text: "${day}: ${helper}\n" }]],
);
const STABLE = learned(
  "stable",
  ["log stable 4: limps a little", "log stable {stable}: {finding}"],
  { stable: ["number", "4"], finding: ["string", "limps a little"] },
  [["fs_append", { path: "stables.md", text: "${stable}: ${finding}\n" }]],
);
const HORSE = learned(
  "horse",
  ["rode Flicka for 30 minutes", "rode {horse} for {minutes} minutes"],
  { horse: ["string", "Flicka"], minutes: ["number", "30"] },
  [["fs_append", { path: "rides.md", text: "${horse} ${minutes}\n" }]],
);
const ORCHID = learned(
  "orchid",
  ["I saw a bee orchid at Long Meadow", "I saw a {flower} at {meadow}"],
  { flower: ["string", "bee orchid"], meadow: ["string", "Long Meadow"] },
  [["fs_append", { path: "flowers.md", text: "${flower}: ${meadow}\n" }]],
);
const FOUND = learned(
  "found",
  ["log a red glove found in the tram", "log a {item} found in the {place}"],
  { item: ["string", "red glove"], place: ["string", "tram"] },
  [["fs_append", { path: "found.md", text: "${item}: ${place}\n" }]],
);
const TOOL = learned(
  "tool",
  ["lend the hand saw to Ines", "lend {thing} to {person}"],
  { thing: ["string", "hand saw"], person: ["string", "Ines"] },
  [["fs_append", { path: "lent.md", text: "${thing}: ${person}\n" }]],
);
const POOL = learned(
  "pool",
  [
    "remember that the gym costs 30 euros and add a task to pay it by 2026-12-01",
    "remember that {what} and add a task to {title} by {day}",
  ],
  { what: ["string", "the gym costs 30 euros"], title: ["string", "pay it"], day: ["date", "2026-12-01"] },
  [
    ["memory_remember", { text: "${what}" }],
    ["task_create", { title: "${title}", due: "${day}" }],
  ],
);
const COPY = learned(
  "copy",
  [
    'copy packing.txt to trip.txt, append "checked by Jo" to it and list the files in out',
    'copy {from} to {to}, append "{text}" to it and list the files in out',
  ],
  { from: ["path", "packing.txt"], to: ["path", "trip.txt"], text: ["string", "checked by Jo"] },
  [
    ["fs_copy", { from: "${from}", to: "${to}" }],
    ["fs_append", { path: "${steps.1.to}", text: "${text}" }],
    ["fs_list", { path: "out" }],
  ],
);
const BLINDS = learned(
  "blinds",
  ["set the blinds of the study to 40 percent", "set the blinds of the {room} to {percent} percent"],
  { room: ["string", "study"], percent: ["number", "40"] },
  [["fs_append", { path: "blinds.md", text: "${room}: ${percent}\n" }]],
);
const ALLERGY = learned(
  "allergy",
  ["note that Birte is allergic to figs", "note that {person} is allergic to {food}"],
  { person: ["string", "Birte"], food: ["string", "figs"] },
  [["fs_append", { path: "allergies.md", text: "${person}: ${food}\n" }]],
);
const MEMBER = learned(
  "member",
  ["add a member: Timo Falk, timo@falk.example", "add a member: {name}, {mail}"],
  { name: ["string", "Timo Falk"], mail: ["string", "timo@falk.example"] },
  [["fs_append", { path: "members.md", text: "${name}: ${mail}\n" }]],
);
const PROOF = learned(
  "proof",
  ["send cover.pdf to the proof reader", "send {file} to the proof reader"],
  { file: ["path", "cover.pdf"] },
  [
    ["fs_copy", { from: "${file}", to: "proofs/${file}" }],
    ["task_create", { title: "Collect ${file}" }],
  ],
);
const WARMTH = learned(
  "warmth",
  ["set the kitchen to 19 degrees", "set the {room} to {degrees} degrees"],
  { room: ["string", "kitchen"], degrees: ["number", "19"] },
  [["json_update", { path: "warmth.json", pointer: "/${room}", value: "${degrees}" }]],
);
const STORY = learned(
  "story",
  ["write down the story of the old boat: it sank in june", "write down the story of the {title}: {text}"],
  { title: ["string", "old boat"], text: ["string", "it sank in june"] },
  [["fs_append", { path: "stories.md", text: "${title}: ${text}\n" }]],
);
const MENU = learned(
  "menu",
  ["throw away the menu for Haas", "throw away the menu for {guest}"],
  { guest: ["string", "Haas"] },
  [["fs_delete", { path: "menus/${guest}.md" }]],
);
const SWIM = learned(
  "swim",
  ["log a swim of 30 minutes", "log a swim of {minutes} minutes"],
  { minutes: ["number", "30"] },
  [["fs_append", { path: "swims.csv", text: "${minutes}\n" }]],
);
const DAILY = learned(
  "daily",
  ["start my daily sheet for 2026-11-20", "start my daily sheet for {day}"],
  { day: ["date", "2026-11-20"] },
  [["fs_write", { path: "${day}.md", content: "# ${day}\n" }]],
);
const ALL = [SHIFT, STABLE, HORSE, ORCHID, FOUND, TOOL];
const read = (say: string, club = ALL) => {
  const { match, likely } = matchRecipe(say, club, options);
  const first = match ?? likely[0];
  return { how: match ? "replayed" : first ? "offered" : "left alone", values: first?.values };
};

describe("a likely function", () => {
  it.each([
    ["a heading and a dash", "stable 7 - two loose shoes", { stable: 7, finding: "two loose shoes" }],
    [
      "the day in front",
      "on saturday Mehmet covers the bakery shift",
      { helper: "Mehmet", day: "2026-11-28" },
    ],
    [
      "a day by its name and the thing after it",
      "friday's bakery shift: Ines covers it",
      { helper: "Ines", day: "2026-11-27" },
    ],
  ])("is found with %s", (_why, say, values) => {
    expect(read(say).values).toEqual(values);
  });

  it("is replayed where every word is explained and the weights leave no doubt about its values", () => {
    expect(read("please note that on saturday Mehmet covers the bakery shift")).toEqual({
      how: "replayed",
      values: { helper: "Mehmet", day: "2026-11-28" },
    });
  });

  it("is found where each of its actions and each value in its form is named", () => {
    const say =
      'make a copy of packing.txt named porto.txt, put "ready" at the end of the copy and show me the out folder';
    expect(read(say, [COPY]).values).toEqual({ from: "packing.txt", to: "porto.txt", text: "ready" });
  });

  it.each([
    ["a question about the past", "did Jonas cover the bakery shift on 2026-12-03?"],
    ["what did not happen", "Jonas does not cover the bakery shift on 2026-12-03"],
    ["another object", "note that Jonas covers the museum shift on 2026-12-03"],
    ["a change of what is there", "move the bakery shift of Jonas from 2026-12-03 to 2026-12-04"],
    ["quantities", "note that Jonas covers every bakery shift in december"],
    ["no name but a count", "rode 3 horses for 30 minutes"],
    ["something else that was found", "record that Ada beat Noor at table tennis"],
    ["a manner of speaking", "lend a hand to Ines"],
  ])("is not offered for %s", (_why, say) => {
    expect(read(say)).toEqual({ how: "left alone", values: undefined });
  });
});

describe("a value that may be something else", () => {
  it("is not certain where only the value shows what the function is for", () => {
    expect(read("I saw a film at the Odeon").how).not.toBe("replayed");
    expect(read("I saw a bee orchid at Hill Farm")).toEqual({
      how: "replayed",
      values: { flower: "bee orchid", meadow: "Hill Farm" },
    });
  });

  it("is not a proper name where a preposition or a number stands", () => {
    expect(read("rode Blaze for 25 minutes")).toEqual({
      how: "replayed",
      values: { horse: "Blaze", minutes: 25 },
    });
    expect(read("rode past Blaze for 25 minutes").how).not.toBe("replayed");
    expect(read("rode 1 hour 10 minutes").values?.["horse"]).not.toBe("1 hour");
  });

  it("contains no exception to the request", () => {
    const say = "remember that the spa costs 90 euros but don't add a task to pay it by friday";
    expect(read(say, [POOL]).how).toBe("left alone");
  });

  it("is what the person corrected", () => {
    const say = "remember that the pool costs 20 no wait 25 euros and add a task to pay the pool by monday";
    expect(read(say, [POOL]).values).toMatchObject({ what: "pool costs 25 euros" });
  });
});

describe("a typing error that makes no word", () => {
  it.each([
    ["two letters in the wrong order", "lgo a swim of 45 minutes", SWIM, { minutes: 45 }],
    ["a letter that is missing", "lg a swm of 45 minutes", SWIM, { minutes: 45 }],
    ["one vowel for another", "strat my dayly sheet for dec 24", DAILY, { day: "2026-12-24" }],
  ])("is read as the word of the function: %s", (_why, say, candidate, values) => {
    expect(read(say, [candidate]).values).toEqual(values);
  });

  it("is none where it is another word", () => {
    expect(read("lag a swim of 45 minutes", [SWIM]).how).not.toBe("replayed");
    expect(read("stare my dairy sheet for dec 24", [DAILY]).how).not.toBe("replayed");
  });
});

describe("a negation in the reason for an order", () => {
  it("does not keep the function from being offered", () => {
    expect(read("Menu for Okoye is not needed, throw away please", [MENU]).values).toEqual({
      guest: "Okoye",
    });
  });

  it.each([
    "the menu for Okoye is not to be thrown away",
    "please do not throw away the menu for Okoye",
    "Okoye is not late, never throw away the menu for Okoye",
  ])("does where it denies the order: %s", (say) => {
    expect(read(say, [MENU]).how).toBe("left alone");
  });
});

describe("more or less than one value holds", () => {
  it("is offered in its plain form", () => {
    expect(read("the blinds of the den to 30 percent please", [BLINDS]).values).toEqual({
      room: "den",
      percent: 30,
    });
  });

  it.each([
    ["two things", "set the blinds of the den and the nursery to 30 percent", BLINDS],
    ["all of them", "set the blinds of all bedrooms to 30 percent", BLINDS],
    ["each of them", "set the blinds of every bedroom to 30 percent", BLINDS],
    ["a difference in words", "set the blinds of the den two percent lower", BLINDS],
    ["what is over", "note that Kai used to be allergic to plums", ALLERGY],
    ["to be read what it writes", "read me the story of the burnt mill", STORY],
    ["another value for what is there", "change Timo Falk's mail in the members to falk@new.example", MEMBER],
    ["a part that is left out", "send menu.pdf to the proof reader, but skip the task this time", PROOF],
  ])("is not offered: %s", (_why, say, candidate) => {
    expect(read(say, [candidate]).how).toBe("left alone");
  });
});

describe("a name of another kind than its parameter", () => {
  it("is not replayed where nothing else names the function", () => {
    expect(read("set the iron to 180 degrees", [WARMTH]).how).not.toBe("replayed");
    expect(read("set the bedroom to 18 degrees", [WARMTH])).toEqual({
      how: "replayed",
      values: { room: "bedroom", degrees: 18 },
    });
  });
});

describe("a day within a name", () => {
  it.each([
    ["Throw away the menu for sunday-roast", { guest: "sunday-roast" }],
    ["throw away the menu for no-onion-thursday", { guest: "no-onion-thursday" }],
  ])("belongs to the name: %s", (say, values) => {
    expect(read(say, [MENU]).values).toEqual(values);
  });

  it("is a day beside a part of the day", () => {
    expect(read("start my daily sheet for saturday-morning", [DAILY]).values).toEqual({ day: "2026-11-28" });
  });
});

describe("a quoted text", () => {
  it("is the value although words within it would rule the function out", () => {
    expect(read('could you throw away the menu "no more onions" today', [MENU]).values).toEqual({
      guest: "no more onions",
    });
  });

  it("is not left out for other words", () => {
    expect(read('throw away the menu for Haas, the one "with figs"', [MENU]).values).not.toEqual({
      guest: "Haas",
    });
  });
});

describe("two paths", () => {
  it("are too many for a function that takes one", () => {
    expect(read("send menu.pdf and cover.pdf to the proof reader", [PROOF]).how).toBe("left alone");
  });
});

describe("a colon that is said aloud", () => {
  it("introduces the value", () => {
    expect(read("okay stable 7 colon two loose shoes", [STABLE]).values).toEqual({
      stable: 7,
      finding: "two loose shoes",
    });
  });

  it("is a word at the end", () => {
    expect(read("log stable 7: swollen colon", [STABLE]).values).toEqual({
      stable: 7,
      finding: "swollen colon",
    });
  });
});
