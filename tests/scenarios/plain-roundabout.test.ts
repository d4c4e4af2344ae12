import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// The same requests in roundabout words: wishes, nouns of acts, indirect questions, statements with an order after them.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";
const titles = async () => await harness.tasks();

describe("a wish or a polite frame", () => {
  it("is the order in it", async () => {
    await say(
      'I should be obliged if you would create the file out/deed.txt with the text "The freehold passes".',
    );
    expect(await harness.read("out/deed.txt")).toBe("The freehold passes");
    await say(
      'Would it be too much trouble to begin a new letter in out/letter.md with the words "Dear Margaret,"?',
    );
    expect(await harness.read("out/letter.md")).toBe("Dear Margaret,");
    expect(await say("Kindly let me have sight of out/deed.txt.")).toContain("The freehold passes");
    await say("do me a favour and bin out/letter.md, the second take's better");
    await expect(harness.read("out/letter.md")).rejects.toThrow();
  });

  it("is no order where the person doubts, denies or only wonders", async () => {
    await harness.write("out/deed.txt", "The freehold passes");
    for (const request of [
      "shall I delete out/deed.txt or keep it?",
      "Is it possible that you remove out/deed.txt or is this dangerous?",
      "I am not certain I wish to part with out/deed.txt.",
      "it would be a shame to delete out/deed.txt",
      "I would never want you to delete out/deed.txt",
      "imagine if I deleted out/deed.txt",
      "remember when we sent parcels by ship? those were the days",
    ])
      await harness.ask(request);
    expect(await harness.read("out/deed.txt")).toBe("The freehold passes");
    expect(await titles()).toEqual([]);
    expect(await harness.facts()).toEqual([]);
  });
});

describe("a noun of an act", () => {
  it("is its verb", async () => {
    await harness.write("out/exam.txt", "First question. Second question.");
    await say("Can you do a copy of out/exam.txt with the name out/exam-b.txt?");
    await say("I need a copy of out/exam.txt, call it out/exam-c.txt");
    expect(await harness.read("out/exam-b.txt")).toBe("First question. Second question.");
    expect(await harness.read("out/exam-c.txt")).toBe("First question. Second question.");
    expect(await say("A short digest of out/exam.txt would be appreciated.")).toContain(
      "made of its own sentences",
    );
    expect(await say("give us a list of what's in out")).toContain("exam-b.txt");
  });
});

describe("an indirect question", () => {
  it("is answered like a direct one", async () => {
    await say("remember that our auditor is called Mr Pym");
    await harness.write("out/contract.txt", "1 Price\n2 The indemnity survives.\n");
    expect(await say("any idea what our auditor is called?")).toContain("Mr Pym");
    expect(await say("name of our auditor?")).toContain("Mr Pym");
    expect(
      await say("I was wondering whether the word indemnity appears anywhere in out/contract.txt."),
    ).toContain("The indemnity survives");
  });

  it("shows the file or the tasks that it is about if it is not understood exactly", async () => {
    await harness.write("out/setlist.md", "1 Blue Monk\n2 Caravan\n");
    await say("add a task to buy picks");
    const file = await say("what's the second tune on out/setlist.md");
    expect(file).toContain("was not understood exactly. This is out/setlist.md:");
    expect(file).toContain("Caravan");
    expect(await say("how many gigs are on my task list")).toContain("buy picks");
    expect(await say("what's the point of deleting out/setlist.md?")).not.toContain("Archived");
    expect(await harness.read("out/setlist.md")).toContain("Caravan");
  });
});

describe("a statement", () => {
  it("is kept or becomes a task by the order after it, in whatever words that is given", async () => {
    expect(await say("table 12 always wants still water. keep that")).toContain("Remembered");
    expect(await say("The auditor's called Mr Pym, I want that remembered")).toContain("Remembered");
    expect(await say("btw my locker code is 4471, dont let me forget")).toContain(
      'Remembered: "my locker code is 4471"',
    );
    expect(await say("I shall tell you something to keep: my sister lives in Bath.")).toContain(
      'Remembered: "my sister lives in Bath"',
    );
    await say("ugh need to hand in the bio poster by friday, stick it on my list");
    expect(await titles()).toEqual([expect.stringMatching(/^hand in the bio poster \(/u)]);
  });

  it("of something done finishes the task, if it says so or orders it", async () => {
    for (const title of ["pay the nursery", "oil change", "wash the bus"])
      await harness.profile.tasks.create({ title });
    expect(await say("I've paid the nursery so you can tick that off")).toBe(
      'Marked "pay the nursery" as done.',
    );
    expect(await say("The oil change it is finished, the task you can close")).toBe(
      'Marked "oil change" as done.',
    );
    await say("the bus isn't done");
    await say("is the bus done?");
    expect(await titles()).toEqual(["wash the bus"]);
  });

  it("of what should be so changes it", async () => {
    await harness.write("out/contract.txt", "between Cole Ltd and Marsh");
    await say("In out/contract.txt the reference to Cole Ltd ought to read Cole plc.");
    expect(await harness.read("out/contract.txt")).toBe("between Cole plc and Marsh");
    await harness.profile.tasks.create({ title: "file defence" });
    await say(
      'The deadline for the task "file defence" has been extended to 4 December; please amend accordingly.',
    );
    expect(await harness.tasks()).toEqual([expect.stringMatching(/^file defence .*-12-04/u)]);
  });
});

describe("an order that begins with its file or with a reason", () => {
  it("is carried out", async () => {
    await harness.write("out/pump.json", '{"pressure": 3, "season": "autumn"}');
    await say("out/pump.json: season should be winter");
    await say("bump pressure in out/pump.json up by 2");
    await say("take pressure down by 1 in out/pump.json");
    expect(JSON.parse(await harness.read("out/pump.json"))).toEqual({ pressure: 4, season: "winter" });

    await harness.write("out/crew.csv", "name,rating\nAda,1800\nBo,1500\n");
    expect(await say("who is the strongest of the crew by rating in out/crew.csv?")).toContain("1800");
    await say("out/crew.csv needs one more column, phone");
    expect(await harness.read("out/crew.csv")).toMatch(/^name,rating,phone$/mu);

    await harness.write("out/van.md", "- saw\n- rope\n- saw\n- glue\n");
    await say("we have got some glue already, take it off out/van.md");
    await say("out/van.md has a few things twice, get rid of the doubles");
    await say("out/van.md from a to z please");
    expect(await harness.read("out/van.md")).toBe("- rope\n- saw\n");

    await harness.write("out/plan.md", "Choir on Tuesday\n");
    await say("in out/plan.md it should say Thursday instead of Tuesday");
    expect(await harness.read("out/plan.md")).toBe("Choir on Thursday\n");
    await say("start me an empty file out/log.md");
    expect(await harness.read("out/log.md")).toBe("");
    expect(await say("have I still got out/log.md?")).toContain("out/log.md is there");
    expect(await say("where did I write something about the choir?")).toContain("out/plan.md");
  });

  it("makes a task of each thing, and changes the task that it names", async () => {
    await harness.write("out/jobs.txt", "grout the sink\nseal the bench\n");
    await say("turn every line of out/jobs.txt into a task");
    await say("two jobs for my task list: buy twine and wash the van");
    expect(await titles()).toEqual(["grout the sink", "seal the bench", "buy twine", "wash the van"]);
    expect(await say("seal the bench is urgent now, make it high priority")).toContain("high priority");
    expect(await say("the twine is really important, set it to high priority")).toContain("buy twine");
    expect(await say("we have two tasks for my list")).not.toContain("Created");
  });
});

describe("an order with what it is for", () => {
  it("changes what the words mean", async () => {
    await harness.write("out/shelf.csv", "product,amount\nveils,10\nsmokers,4\n");
    await say("show out/shelf.csv");
    await say("sold 3 veils just now, update it please");
    await say("2 smokers were sold");
    expect(await harness.read("out/shelf.csv")).toBe("product,amount\nveils,7\nsmokers,2\n");
    await harness.write("out/prices.csv", "product,price\nveils,10\nsmokers,4\n");
    await say("show out/prices.csv");
    await say("sold 3 veils");
    expect(await harness.read("out/prices.csv")).toBe("product,price\nveils,10\nsmokers,4\n");

    await harness.write("out/todo.md", "- [ ] oil the hinges\n- [ ] copy the map\n");
    await say("the hinges are oiled, tick them in out/todo.md");
    expect(await harness.read("out/todo.md")).toContain("- [x] oil the hinges");
    await harness.write("out/loads.csv", "truck,tonnes\nDAF,18\nVolvo,22\n");
    await say("sort out/loads.csv by tonnes so that the heaviest comes first");
    expect(await harness.read("out/loads.csv")).toBe("truck,tonnes\nVolvo,22\nDAF,18\n");
    await harness.write("out/supplies.md", "- powder\n");
    await say("add bleach, pegs and salt to out/supplies.md");
    expect(await harness.read("out/supplies.md")).toMatch(/^- powder\n- bleach\n- pegs\n- salt\n?$/u);
    await say("put 3 tasks down for me: sweep the hall, buy salt, fix the hose");
    expect(await titles()).toEqual(["sweep the hall", "buy salt", "fix the hose"]);
    expect(await say("show me the reminders that are set")).toContain("Nothing is scheduled");
    expect(await say("three weeks from today is what date")).toMatch(/^date of .* = /u);
    expect(await say("how many days have we got till 24 December?")).toMatch(/^days until /u);
  });
});

describe("several rows in one order", () => {
  it("are added without commas between their values, and “no” after a number denies nothing", async () => {
    await harness.write("out/fees.csv", "name,fee,paid\nLucie,30,no\nOtto,30,yes\n");
    await say("show out/fees.csv");
    await say("add Mia 40 no and Ben 35 no");
    await say("add these: Kim 20 yes, Lu 25 no");
    const rows = "Lucie,30,no\nOtto,30,yes\nMia,40,no\nBen,35,no\nKim,20,yes\nLu,25,no\n";
    expect(await harness.read("out/fees.csv")).toBe(`name,fee,paid\n${rows}`);
    await say("don't add Ida 40 no");
    await say("add salt, pepper and oil");
    expect(await harness.read("out/fees.csv")).toBe(`name,fee,paid\n${rows}`);
  });
});

describe("the way back", () => {
  it("is no part of a key, and a holiday needs no apostrophe", async () => {
    await harness.write("out/conf.json", '{"port": 8080}');
    await say("put the port back to 3000 in out/conf.json");
    expect(JSON.parse(await harness.read("out/conf.json"))).toEqual({ port: 3000 });
    expect(await say("how many days till new years eve")).toMatch(/^days until \d{4}-12-31 = /u);
  });
});
