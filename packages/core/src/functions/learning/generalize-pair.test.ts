import { describe, expect, it } from "vitest";
import { coverRun } from "./cover-run.ts";
import { generalizePair } from "./generalize-pair.ts";
import { PLAIN_FACTS } from "../testing/made-runs.ts";
import type { FactsOf, LearnableRun, MadeCall, SkillFacts } from "./learnable-run.ts";

const NOW = new Date("2026-11-27T12:00:00Z");
const skill = (id: string, more: Partial<SkillFacts>): [string, SkillFacts] => [
  id,
  { ...PLAIN_FACTS, id, summary: id, ...more },
];
const SKILLS = new Map([
  skill("append", { pathArgs: ["path"], textArgs: ["text"] }),
  skill("task", { textArgs: ["title"], fixedArgs: ["priority"] }),
  skill("find", { reads: true, finds: true }),
  skill("read", { reads: true, finds: true, pathArgs: ["path"] }),
]);
const factsOf: FactsOf = (id) => SKILLS.get(id);

const call = (id: string, args: MadeCall["args"], outputs: MadeCall["outputs"] = {}): MadeCall => ({
  skill: id,
  args,
  outputs,
  success: true,
});
const run = (request: string, calls: MadeCall[]): LearnableRun => ({
  request,
  calls,
  now: NOW,
  timeZone: "UTC",
  explores: true,
});

const nina = run("Nina Falk joined, add her to members.csv and make a task to print a card", [
  call("append", { path: "members.csv", text: "Nina Falk,active" }),
  call("task", { title: "Print a card for Nina Falk" }),
]);
const tom = run("we have a new member, Tom Ude! members.csv please, and someone must print the card", [
  call("append", { path: "members.csv", text: "Tom Ude,active" }),
  call("task", { title: "Print a card for Tom Ude" }),
]);

const read = (path: string, content: string): MadeCall => call("read", { path }, { path, content });
const looked = run("Ida Orr joined, add her to members.csv and make a task to print a card", [
  call("find", { query: "members" }, { matches: [{ path: "out/members.csv" }] }),
  read("members.csv", "name,state\nNina Falk,active\n"),
  call("append", { path: "members.csv", text: "Ida Orr,active" }),
  call("task", { title: "Print a card for Ida Orr" }),
]);
const turned = run("members.csv gets Kai Lund, a new member. A card must be printed", [
  call("task", { title: "Print a card for Kai Lund" }),
  call("append", { path: "members.csv", text: "Kai Lund,active" }),
]);

describe("runs that differ in needless reads and in the order of independent calls", () => {
  const recipe = {
    actions: [
      { skill: "append", args: { text: "${name},active" } },
      { skill: "task", args: { title: "Print a card for ${name}" } },
    ],
  };

  it("are one recipe without these reads, whichever came first", () => {
    expect(generalizePair(looked, turned, factsOf)).toMatchObject({ recipe });
    expect(generalizePair(nina, looked, factsOf)).toMatchObject({ recipe });
    expect(generalizePair(looked, tom, factsOf)).toMatchObject({ recipe });
    const alike = run("Una Bly joined, add her to members.csv and make a task to print a card", [
      read("members.csv", "name,state\nTom Ude,active\n"),
      call("append", { path: "members.csv", text: "Una Bly,active" }),
      call("task", { title: "Print a card for Una Bly" }),
    ]);
    const both = generalizePair({ ...looked, calls: looked.calls.slice(1) }, alike, factsOf);
    expect(both?.recipe.actions.map(({ skill: id }) => id)).toEqual(["append", "task"]);
  });

  it("are examples of the recipe that others taught", () => {
    const pair = generalizePair(nina, tom, factsOf);
    if (!pair) throw new Error("The two runs were not compared.");
    for (const [other, name] of [
      [looked, "Ida Orr"],
      [turned, "Kai Lund"],
    ] as const)
      expect(coverRun(pair, other, factsOf)?.example.parameters).toMatchObject({ name });
  });

  it("are not, if a request orders the read", () => {
    const pair = generalizePair(nina, tom, factsOf);
    if (!pair) throw new Error("The two runs were not compared.");
    const shown = { ...looked, request: `${looked.request}, and then show members.csv` };
    expect(coverRun(pair, shown, factsOf)).toBeUndefined();
    expect(
      coverRun(pair, { ...looked, request: `Read notes.md. ${looked.request}` }, factsOf),
    ).toBeUndefined();
    expect(generalizePair(shown, tom, factsOf)).toBeUndefined();
  });

  it("are not, if the calls in another order change the same thing", () => {
    const twice = (request: string, [first, second]: [string, string]): LearnableRun =>
      run(request, [
        call("append", { path: "plan.md", text: `start with ${first}` }),
        call("task", { title: "plan.md" }),
        call("append", { path: "plan.md", text: `end with ${second}` }),
      ]);
    const before = twice("plan Rome then Oslo in plan.md", ["Rome", "Oslo"]);
    const after = twice("plan Bern then Kiel in plan.md", ["Bern", "Kiel"]);
    expect(generalizePair(before, after, factsOf)).toBeDefined();
    const [a, b, c] = after.calls;
    if (!a || !b || !c) throw new Error("A call is missing.");
    expect(generalizePair(before, { ...after, calls: [c, a, b] }, factsOf)).toBeUndefined();
  });
});

describe("a number that both runs found in a file", () => {
  const fuel = (request: string, price: string): LearnableRun =>
    run(request, [
      call("find", { path: "fuel.csv" }, { content: "date,litres\n2026-11-01,38.4\n2026-11-08,66.5\n" }),
      call("append", { path: "costs.md", text: `litres times price: 104.9 = 38.4 + 66.5, ${price}` }),
    ]);

  it("is no constant of a recipe, because the file changes", () => {
    const first = fuel("note in costs.md what the fuel in fuel.csv costs at 1.80", "1.80");
    const second = fuel("put the costs of fuel.csv at a price of 1.95 into costs.md", "1.95");
    expect(generalizePair(first, second, factsOf)).toBeUndefined();
  });
});

describe("two runs with the same calls", () => {
  it("keep the text that both have and take what differs from the requests", () => {
    expect(generalizePair(nina, tom, factsOf)).toMatchObject({
      recipe: {
        promptTemplates: [
          "{name} joined, add her to {path} and make a task to print a card",
          "we have a new member, {name}! {path} please, and someone must print the card",
        ],
        actions: [
          { skill: "append", args: { path: "${path}", text: "${name},active" } },
          { skill: "task", args: { title: "Print a card for ${name}" } },
        ],
      },
      parameters: [
        { name: "path", type: "path", required: false, default: "members.csv" },
        { name: "name", type: "string", required: true, description: "For example: Nina Falk; Tom Ude" },
      ],
      examples: [{ parameters: { name: "Nina Falk" } }, { parameters: { name: "Tom Ude" } }],
    });
  });

  it("differ in whole names, also where a part of the names is equal", () => {
    const other = run("Nina Orr joined, add her to members.csv and make a task to print a card", [
      call("append", { path: "members.csv", text: "Nina Orr,active" }),
      call("task", { title: "Print a card for Nina Orr" }),
    ]);
    expect(generalizePair(nina, other, factsOf)?.examples.map(({ parameters }) => parameters)).toMatchObject([
      { name: "Nina Falk" },
      { name: "Nina Orr" },
    ]);
  });

  it("write a day and the words of a request into a path and into a capitalized heading", () => {
    const meeting = (request: string, day: string, group: string, heading: string): LearnableRun =>
      run(request, [call("append", { path: `minutes/${day}-${group}.md`, text: `# ${heading} meeting` })]);
    const pair = generalizePair(
      meeting("minutes for the board on 3 December", "2026-12-03", "board", "Board"),
      meeting("prepare minutes, the youth group meets on 2026-12-10", "2026-12-10", "youth", "Youth"),
      factsOf,
    );
    expect(pair).toMatchObject({
      recipe: { actions: [{ args: { path: "${path}", text: "# ${name|capital} meeting" } }] },
      parameters: [
        { name: "date", type: "date" },
        { name: "name" },
        { name: "path", required: false, default: "minutes/${date}-${name}.md" },
      ],
    });
  });

  it("have one parameter for a day in the words of another language", () => {
    const entry = (day: string, whom: string): LearnableRun =>
      run(`trage den Termin mit ${whom} am ${day} ein`, [
        call("append", { path: "termine.md", text: `- Termin am ${day} mit ${whom}` }),
      ]);
    expect(
      generalizePair(entry("3. Januar", "Ida Orr"), entry("17. Februar", "Max Lim"), factsOf),
    ).toMatchObject({
      recipe: { actions: [{ args: { text: "- Termin am ${text} mit ${name}" } }] },
      examples: [
        { parameters: { text: "3. Januar", name: "Ida Orr" } },
        { parameters: { text: "17. Februar" } },
      ],
    });
  });

  it("have an optional parameter for an argument that only one request names", () => {
    const dated = run("note that Omar Said called in calls.md, call back by 4 December", [
      call("append", { path: "calls.md", text: "- Omar Said" }),
      call("task", { title: "Call back Omar Said", due: "2026-12-04" }),
    ]);
    const undated = run("Mrs Li called, calls.md, and a task to call back", [
      call("append", { path: "calls.md", text: "- Mrs Li" }),
      call("task", { title: "Call back Mrs Li" }),
    ]);
    expect(generalizePair(dated, undated, factsOf)).toMatchObject({
      parameters: [{ name: "path" }, { name: "name" }, { name: "due", type: "date", required: false }],
      examples: [{ parameters: { due: "2026-12-04" } }, { parameters: { name: "Mrs Li" } }],
    });
    // A day in the request that its run left out shows that something was forgotten.
    const forgotten = { ...undated, request: `${undated.request} on 9 December` };
    expect(generalizePair(dated, forgotten, factsOf)).toBeUndefined();
  });

  it("teach nothing if a difference is not in the requests", () => {
    const composed = { ...tom, request: "the new one is in, do as always with members.csv and the card" };
    expect(generalizePair(nina, composed, factsOf)).toBeUndefined();
  });

  it("teach nothing if they have no words in common", () => {
    const one = run("write Ada into a.md and tell Bo", [
      call("append", { path: "a.md", text: "Ada" }),
      call("task", { title: "Bo" }),
    ]);
    const other = run("put Cy in b.md, for Di", [
      call("append", { path: "b.md", text: "Cy" }),
      call("task", { title: "Di" }),
    ]);
    expect(generalizePair(one, other, factsOf)).toBeUndefined();
  });

  it("teach nothing if a text that both have names what only one of them is about", () => {
    const card = (name: string, title: string): LearnableRun =>
      run(`${name} joined, note it in members.csv`, [
        call("append", { path: "members.csv", text: `${name} joined` }),
        call("task", { title }),
      ]);
    expect(
      generalizePair(card("Nina", "Card for Nina"), card("Tom", "Card for Nina"), factsOf),
    ).toBeUndefined();
  });

  it("teach nothing if a setting or the number of calls differs", () => {
    const urgent = run(tom.request, [
      call("append", { path: "members.csv", text: "Tom Ude,active" }),
      call("task", { title: "Print a card for Tom Ude", priority: "P1" }),
    ]);
    expect(generalizePair(nina, urgent, factsOf)).toBeUndefined();
    expect(generalizePair(nina, { ...tom, calls: tom.calls.slice(0, 1) }, factsOf)).toBeUndefined();
  });
});

describe("a recipe of two runs", () => {
  const { recipe, parameters } = generalizePair(nina, tom, factsOf) ?? { recipe: undefined, parameters: [] };

  it("covers a third run whose words are its own", () => {
    const ada = run("new in the club: Ada Voss -> members.csv + task card", [
      call("append", { path: "members.csv", text: "Ada Voss,active" }),
      call("task", { title: "Print a card for Ada Voss" }),
    ]);
    expect(coverRun({ recipe, parameters }, ada, factsOf)).toMatchObject({
      promptTemplate: "new in the club: {name} -> {path} + task card",
      example: { parameters: { name: "Ada Voss", path: "members.csv" } },
    });
  });

  it("does not cover a run that does something else, or whose request does not say the value", () => {
    const passive = run("Ada Voss wants to be a passive member, members.csv", [
      call("append", { path: "members.csv", text: "Ada Voss,passive" }),
      call("task", { title: "Print a card for Ada Voss" }),
    ]);
    const unnamed = run("she wants to be a member, members.csv", [
      call("append", { path: "members.csv", text: "Ada Voss,active" }),
      call("task", { title: "Print a card for Ada Voss" }),
    ]);
    expect(coverRun({ recipe, parameters }, passive, factsOf)).toBeUndefined();
    expect(coverRun({ recipe, parameters }, unnamed, factsOf)).toBeUndefined();
  });
});
