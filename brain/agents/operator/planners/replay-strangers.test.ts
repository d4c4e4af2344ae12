import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";

// Requests by people who never saw the words a function was learned from: polite, hasty, dictated, in a second
// language.

const options = {
  now: new Date("2026-11-25T10:00:00Z"),
  timeZone: "UTC",
  skillGrammars: installedSkills.map(skillGrammar),
};
const OIL = learned(
  "oil",
  ["record an oil level of 62 litres on 2026-11-20", "record an oil level of {level} litres on {day}"],
  { level: ["number", "62"], day: ["date", "2026-11-20"] },
  [["fs_append", { path: "oil.csv", text: "${day},${level}\n" }]],
);
const SCORE = learned(
  "score",
  ["put the score Nabucco on Irma's music list", "put the score {piece} on {player}'s music list"],
  { piece: ["string", "Nabucco"], player: ["string", "Irma"] },
  [["fs_append", { path: "music.md", text: "- ${player}: ${piece}\n" }]],
);
const STALL = learned(
  "stall",
  ["book stall 12 for Hartmann on 2026-12-05", "book stall {stall} for {trader} on {day}"],
  { stall: ["number", "12"], trader: ["string", "Hartmann"], day: ["date", "2026-12-05"] },
  [["fs_append", { path: "stalls.csv", text: "${day},${stall},${trader}\n" }]],
);
const CAPE = learned(
  "cape",
  [
    "lend the cape to Ebba until 2026-12-04 and remind me to get it back",
    "lend the {thing} to {person} until {day} and remind me to get it back",
  ],
  { thing: ["string", "cape"], person: ["string", "Ebba"], day: ["date", "2026-12-04"] },
  [
    ["fs_append", { path: "lent.md", text: "- ${thing}: ${person}, until ${day}\n" }],
    ["task_create", { title: "Get the ${thing} back from ${person}", due: "${day}" }],
  ],
);
const BOARD = learned(
  "board",
  ["make the foyer board say concert at eight", "make the foyer board say {message}"],
  { message: ["string", "concert at eight"] },
  [["fs_write", { path: "board.txt", content: "${message}", overwrite: true }]],
);
const RING = (() => {
  const always = learned(
    "ring",
    [
      "log in calls.md that Lena phoned about the gate and remind me to ring Lena back by 2026-12-04",
      "log in calls.md that {caller} phoned about {topic} and remind me to ring {caller} back by {due}",
    ],
    { caller: ["string", "Lena"], topic: ["string", "the gate"], due: ["date", "2026-12-04"] },
    [
      ["fs_append", { path: "calls.md", text: "- ${caller}: ${topic}\n" }],
      ["task_create", { title: "Ring ${caller} back", due: "${due}" }],
    ],
  );
  const parameters = always.parameters.map((one) => ({ ...one, required: one.name !== "due" }));
  const template = "log in calls.md that {caller} phoned about {topic} and remind me to ring {caller} back";
  const { actions = [], promptTemplates = [] } = always.recipe ?? {};
  return { ...always, parameters, recipe: { actions, promptTemplates: [...promptTemplates, template] } };
})();
const UPTIME = learned(
  "uptime",
  [
    "fetch https://wiki.example.com and log it in the uptime file",
    "fetch {url} and log it in the uptime file",
  ],
  { url: ["string", "https://wiki.example.com"] },
  [
    ["http_get", { url: "${url}" }],
    ["fs_append", { path: "uptime.md", text: "${url}: ${steps.1.status}\n" }],
  ],
);
const ROTA = learned(
  "rota",
  ["show me the rota and the gate list for today", "show me the rota and the gate list for today"],
  {},
  [
    ["fs_read", { path: "rota/${today}.md" }],
    ["fs_read", { path: "gates.md" }],
  ],
);
const PRESS = learned(
  "press",
  ["append a summary of mail/offer.txt to the press book", "append a summary of {file} to the press book"],
  { file: ["path", "mail/offer.txt"] },
  [
    ["summarize_file", { path: "${file}" }],
    ["fs_append", { path: "press.md", text: "${steps.1.summary}\n" }],
  ],
);
const DIAL = learned(
  "dial",
  ["set the dial of the kiln to 900", "set the dial of the {oven} to {degrees}"],
  { oven: ["string", "kiln"], degrees: ["number", "900"] },
  [["json_update", { path: "dials.json", set: "${oven} = ${degrees}" }]],
);
const SCAN = learned(
  "scan",
  ["give page 0042 the name lease", "give page {page} the name {name}"],
  { page: ["string", "0042"], name: ["string", "lease"] },
  [["fs_move", { from: "pages/${page}.pdf", to: "pages/${name}.pdf" }]],
);
const ALL = [SCAN, OIL, SCORE, STALL, CAPE, BOARD, RING, UPTIME, ROTA, PRESS, DIAL];
const read = (say: string) => {
  const { match, likely } = matchRecipe(say, ALL, options);
  const first = match ?? likely[0];
  return { how: match ? "replayed" : first ? "offered" : "left alone", values: first?.values };
};

describe("a function in a stranger's words", () => {
  it.each([
    [
      "a polite question with a plea behind it",
      "Would you be so very kind as to enter an oil level of 58 litres for yesterday? I should be most grateful.",
      { level: 58, day: "2026-11-24" },
    ],
    [
      "a wish that is wondered about",
      "I was wondering whether you could record an oil level of 58 litres on 22 November",
      { level: 58, day: "2026-11-22" },
    ],
    [
      "what has happened, and a word to note it",
      "oil level was 58 litres yesterday, note it down",
      { level: 58, day: "2026-11-24" },
    ],
    [
      "two nouns written as one",
      "for Irma's musiclist the score Rusalka, put it there",
      { piece: "Rusalka", player: "Irma" },
    ],
    [
      "the day called a day",
      "Please to book the stall 7 for Lindqvist in the day 9 of December",
      { stall: 7, trader: "Lindqvist", day: "2026-12-09" },
    ],
    [
      "a question within an order",
      "can you see if https://shop.example.org answers and log it in the uptime file",
      { url: "https://shop.example.org" },
    ],
    ["another way to rename", "page 0061 should be called passport", { page: "0061", name: "passport" }],
    ["today before its noun", "show me today's rota together with the gate list", {}],
    [
      "another word for a summary",
      "boil mail/lease.txt down to a few lines and append them to the press book",
      { file: "mail/lease.txt" },
    ],
    [
      "a word that it replaces the value before",
      "set the dial of the kiln to 750 instead",
      { oven: "kiln", degrees: 750 },
    ],
  ])("is found with %s", (_why, say, values) => {
    const found = read(say);
    expect(found.how).not.toBe("left alone");
    expect(found.values).toEqual(values);
  });

  it.each([
    ["a condition on what it looks up", "if https://shop.example.org answers, log it in the uptime file"],
    ["another in its place", "instead of the dial of the kiln, set the clock of the kiln to 750"],
    ["again and again", "book stall 7 for Lindqvist every Saturday from 2026-12-05"],
    ["what was last year", "last year we booked stall 7 for Lindqvist on 5 December"],
    ["what was given back", "Ebba has brought the cape back that she had until 4 December, note it"],
    ["a part of it", "record half of an oil level of 62 litres on 2026-11-20"],
    ["one of two", "book stall 7 for Lindqvist or Moreau on 2026-12-05"],
    ["a task to do it", "remind me to record an oil level of 58 litres on friday"],
    [
      "a condition in a clause of its own",
      "once the market is open, book stall 7 for Lindqvist on 2026-12-05",
    ],
    ["what is crossed off", "strike the score Nabucco, the old one, from Irma's music list"],
    ["another unit", "set the dial of the kiln to 900 degrees fahrenheit"],
    ["what nobody has decided", "I might lend the cape to Ebba until 2026-12-04, remind me to get it back"],
    ["a difference", "the oil level has lost 12 litres since 2026-11-20, record it"],
  ])("is not offered for %s", (_why, say) => {
    expect(read(say)).toEqual({ how: "left alone", values: undefined });
  });
});

describe("a likely text", () => {
  const REPAIR = learned(
    "repair",
    ["open a repair task for the lathe: chuck is loose", "open a repair task for the {machine}: {fault}"],
    { machine: ["string", "lathe"], fault: ["string", "chuck is loose"] },
    [["task_create", { title: "Repair the ${machine}: ${fault}" }]],
  );
  it("is not offered for a further order in it", () => {
    const say =
      "open a repair task for the compressor: loses pressure overnight, and then email Jonas about it";
    const { match, likely } = matchRecipe(say, [REPAIR], options);
    expect([match?.values, ...likely.map((one) => one.values)]).toEqual([undefined]);
  });
});

describe("a free text at the end of a request", () => {
  it("is not replayed where it holds a second order", () => {
    expect(read("make the foyer board say concert at nine, and then email Nora about it").how).not.toBe(
      "replayed",
    );
    expect(read("make the foyer board say concert at nine").how).toBe("replayed");
  });
});

describe("a name", () => {
  it("is not split into the values of two parameters", () => {
    const { values } = read("put the score on Claudia Weiss's music list");
    expect(values?.["piece"] === "Claudia" && values["player"] === "Weiss").toBe(false);
  });

  it("may also mean a thing", () => {
    expect(read("lend the red wig to Lotte until friday and remind me to get it back").values).toEqual({
      thing: "red wig",
      person: "Lotte",
      day: "2026-11-27",
    });
  });
});

describe("a time of the day that no value holds", () => {
  it("keeps a task from being created for the day alone", () => {
    const lent = "lend the cape to Ebba until 2026-12-05";
    expect(read(`${lent} and remind me to get it back`).how).toBe("replayed");
    expect(read(`${lent} in the evening and remind me to get it back`).how).not.toBe("replayed");
    expect(read("lend the cape to Ebba until friday afternoon and remind me to get it back").how).not.toBe(
      "replayed",
    );
  });

  it("does not matter where what happened today is recorded", () => {
    expect(read("record an oil level of 58 litres this morning").values).toEqual({
      level: 58,
      day: "2026-11-25",
    });
  });
});

describe("a day that a request may leave out", () => {
  it.each([
    [
      "log in calls.md that Omar phoned about the fence and remind me to ring Omar back by friday",
      { caller: "Omar", topic: "the fence", due: "2026-11-27" },
    ],
    [
      "log in calls.md that Omar phoned about the fence and remind me to ring Omar back",
      { caller: "Omar", topic: "the fence" },
    ],
  ])("is taken from “%s” where it is there", (say, values) => {
    const found = read(say);
    expect(found.how).not.toBe("left alone");
    expect(found.values).toEqual(values);
  });
});

/** Three runs: the task is about the same person each time, so it has a default, and all three files are of clients. */
const CLIENT = (() => {
  const run = (name: string, day: string) => ({
    prompt: `make a file clients/${name.toLowerCase()}.md saying "${name} Berg", append "first call: ${day}" to it and remind me to call ${name} Berg on ${day}`,
    parameters: {
      path: `clients/${name.toLowerCase()}.md`,
      saying: `${name} Berg`,
      text: `first call: ${day}`,
      title: `call ${name} Berg`,
      due: "2026-11-30",
    },
  });
  const examples = [run("Ada", "Monday"), run("Ben", "Tuesday"), run("Cleo", "Friday")];
  const base = learned(
    "client",
    [
      examples[0]?.prompt ?? "",
      "make a file {path} saying {saying}, append {text} to it and remind me to {title} {due}",
    ],
    {
      path: ["path", "clients/ada.md"],
      saying: ["string", "Ada Berg"],
      text: ["string", "first call: Monday"],
      title: ["string", "call Ada Berg"],
      due: ["date", "2026-11-30"],
    },
    [
      ["fs_write", { path: "${path}", content: "${saying}" }],
      ["fs_append", { path: "${steps.1.path}", text: "${text}" }],
      ["task_create", { title: "${title}", due: "${due}" }],
    ],
  );
  const parameters = base.parameters.map((one) =>
    one.name === "title" ? { ...one, required: false, default: "call ${saying}" } : one,
  );
  return { ...base, title: "Make a file", examples, parameters };
})();
/** Three runs whose first file is the same each time. */
const HOURS = (() => {
  const run = (job: string, day: string) => ({
    prompt: `append "${day},${job},4" to hours.csv and append "${job} 4 h" to logs/${job}.md and add a task to go to the ${job}`,
    parameters: {
      text: `${day},${job},4`,
      path: "hours.csv",
      text2: `${job} 4 h`,
      file: `logs/${job}.md`,
      title: `go to the ${job}`,
    },
  });
  const examples = [run("roof", "monday"), run("barn", "tuesday"), run("shed", "friday")];
  const base = learned(
    "hours",
    [
      examples[0]?.prompt ?? "",
      "append {text} to {path} and append {text2} to {file} and add a task to {title}",
    ],
    {
      text: ["string", "monday,roof,4"],
      path: ["path", "hours.csv"],
      text2: ["string", "roof 4 h"],
      file: ["path", "logs/roof.md"],
      title: ["string", "go to the roof"],
    },
    [
      ["fs_append", { path: "${path}", text: "${text}" }],
      ["fs_append", { path: "${file}", text: "${text2}" }],
      ["task_create", { title: "${title}" }],
    ],
  );
  const parameters = base.parameters.map((one) =>
    one.name === "path" ? { ...one, required: false, default: "hours.csv" } : one,
  );
  return { ...base, title: "Append", examples, parameters };
})();
const readLearned = (say: string) => {
  const { match, likely } = matchRecipe(say, [CLIENT, HOURS], options);
  const first = match ?? likely[0];
  return { how: match ? "replayed" : first ? "offered" : "left alone", values: first?.values };
};

describe("a function of three runs", () => {
  const olli = {
    path: "clients/olli.md",
    saying: "Olli Kari",
    text: "first call: Tuesday",
    due: "2026-12-01",
  };
  it.each([
    [
      "the word that all its files have in common",
      'new client file clients/olli.md saying "Olli Kari", put "first call: Tuesday" under it, and remind me to call Olli Kari on Tuesday',
      "call Olli Kari",
    ],
    [
      "another verb in the text that has a default",
      'please start a client file for me, clients/olli.md, with "Olli Kari" in it, write "first call: Tuesday" below and remind me to ring Olli Kari on Tuesday',
      "ring Olli Kari",
    ],
    [
      "the day before that text",
      'hi, need clients/olli.md saying "Olli Kari" plus the line "first call: Tuesday" and a reminder on Tuesday to call Olli Kari, thanks',
      "call Olli Kari",
    ],
  ])("is found by %s", (_why, say, title) => {
    const found = readLearned(say);
    expect(found.how).not.toBe("left alone");
    expect(found.values).toEqual({ ...olli, title });
  });

  it("is found where a request names what the function has a default for", () => {
    const say =
      'write "friday,pond,7" under hours.csv, write "pond 7 h" under logs/pond.md, then task: go to the pond';
    const found = readLearned(say);
    expect(found.how).not.toBe("left alone");
    expect(found.values).toEqual({
      text: "friday,pond,7",
      path: "hours.csv",
      text2: "pond 7 h",
      file: "logs/pond.md",
      title: "go to the pond",
    });
  });

  it.each([
    [
      "a reminder that it leaves out",
      'client file clients/una.md saying "Una Falk" with "first call: Monday" under it but no reminder',
    ],
    [
      "what is asked about it",
      'what does the client file clients/una.md say, is it "Una Falk" or "first call: Monday"?',
    ],
    [
      "what is taken away",
      'delete the client file clients/una.md saying "Una Falk" with "first call: Monday" and the reminder to call Una Falk on Monday',
    ],
  ])("is left alone for %s", (_why, say) => {
    expect(readLearned(say).how).toBe("left alone");
  });

  it("does not cut the text that starts as all earlier ones do", () => {
    const { values } = readLearned(
      'append "monday,gate,2" to hours.csv and append "gate 2 h" to logs/gate.md and task for going to the gate',
    );
    expect(values?.["title"]).not.toBe("gate");
    expect(values?.["title"]).not.toBe("the gate");
  });
});
