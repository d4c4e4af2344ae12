import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Messages that no form of words fits are read by the kind of message that their words are typical of, and by the lines, rows, tasks and
// facts of the conversation that they name.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("an order that names a line of the file at hand", () => {
  beforeEach(async () => {
    await harness.write("out/tools.txt", "chisel\nspirit level\nstep ladder\n");
    await say("read out/tools.txt");
  });

  it("takes the line out although a reason follows, and says how it was read", async () => {
    expect(await say("Please remove chisel, my neighbour lent me one")).toMatch(
      /^Read as “remove "chisel" from out\/tools\.txt”\.\n\nRemoved/u,
    );
    expect(await harness.read("out/tools.txt")).toBe("spirit level\nstep ladder\n");
  });

  it("writes what follows “under that”", async () => {
    await say("under that put masking tape = the wide one");
    expect(await harness.read("out/tools.txt")).toContain("masking tape = the wide one");
  });

  it("is asked about, where the message names a part of the line", async () => {
    const run = await harness.ask("the ladder one can be dropped from it now I would think");
    expect(run.pending).toMatchObject({ kind: "question", options: ["Yes", "No"] });
    expect(await harness.read("out/tools.txt")).toContain("step ladder");
    await harness.answer(run, "yes");
    expect(await harness.read("out/tools.txt")).not.toContain("step ladder");
  });

  it("is asked about, where the message names one line and a part of another", async () => {
    const run = await harness.ask("take the chisel and the ladder off");
    expect(run.pending).toMatchObject({ kind: "question", options: ["Yes", "No"] });
    await harness.answer(run, "yes");
    expect(await harness.read("out/tools.txt")).toBe("spirit level\n");
  });

  it("changes nothing for a remark, a condition or a question", async () => {
    for (const remark of [
      "a chisel like that would be older than my daughter",
      "if the chisel is blunt we will see",
      "is the ladder any good?",
      "Maybe I will delete the chisel, I still think about it",
      "second memo this month with the wrong date",
    ])
      expect(await say(remark)).not.toContain("Remembered");
    expect(await harness.read("out/tools.txt")).toBe("chisel\nspirit level\nstep ladder\n");
  });
});

describe("an order that names a row of the table at hand", () => {
  it("adds a row of as many values as there are columns", async () => {
    await harness.write("out/boats.csv", "boat,owner,length\nPuffin,Ragna,7\nTern,Olaf,9\n");
    await say("read out/boats.csv");
    await say("A new boat: Skua, Ingrid Dahl, 8.");
    await say("Gannet 11");
    expect(await harness.read("out/boats.csv")).toBe(
      "boat,owner,length\nPuffin,Ragna,7\nTern,Olaf,9\nSkua,Ingrid Dahl,8\n",
    );
  });

  it("sets the one column that the value fits, and marks several rows", async () => {
    await harness.write(
      "out/visits.csv",
      "guest,time,room,seen\nRagna,11:30,2,no\nOlaf,10:00,1,no\nIngrid,9:15,3,no\n",
    );
    await say("read out/visits.csv");
    expect(await say("Ragna asked to change for 12:00, can you correct please?")).toContain("12:00");
    const run = await harness.ask("Olaf and Ingrid came by just before lunch, mark the two of them seen");
    if (run.status === "waiting") await harness.answer(run, "yes");
    expect(await harness.read("out/visits.csv")).toBe(
      "guest,time,room,seen\nRagna,12:00,2,no\nOlaf,10:00,1,yes\nIngrid,9:15,3,yes\n",
    );
  });
});

describe("an order that names a row by its number", () => {
  it("sets the day where the new value is one", async () => {
    await harness.write("out/loans.csv", "number,title,due\n118,Emma,2026-11-20\n120,Knots,2026-11-25\n");
    await say("read loans.csv");
    await say("Extend 120 to 2026-12-05.");
    expect(await harness.read("out/loans.csv")).toContain("120,Knots,2026-12-05");
  });
});

describe("an order for tasks and facts of the conversation", () => {
  it("moves the task that it names, and makes the one that it describes", async () => {
    await say("add a task vaccinate the ponies at Larsens on 4 march 2099");
    await say("add a task trim hooves on 5 march 2099");
    await say("the Larsens one has to go to 9 march 2099 the yard is flooded");
    expect((await harness.tasks()).join()).toContain("vaccinate the ponies at Larsens (2099-03-09)");
    await say("I should like a task to lodge the Brandt appeal by 8 march 2099");
    expect((await harness.tasks()).join()).toContain("lodge the Brandt appeal (2099-03-08)");
  });

  it("replaces the figure of a fact that the conversation stored", async () => {
    await say("remember that my locker is 218");
    await say("they moved me my locker is 305 now");
    expect(await harness.facts()).toEqual(["my locker is 305"]);
    expect(await say("locker")).toContain("305");
  });

  it("are none where quoted words belong to an order that failed for a reason", async () => {
    await say("turn the pattern “add a task to feed the {words}” into a function");
    expect(await harness.tasks()).toEqual([]);
  });

  it("gives no task a piece of news as its title", async () => {
    await say("add a task feed the cat next door on 4 march 2099");
    await say("add a task basketball on 5 march 2099");
    await say("wait mum says the cat is 6 march 2099");
    expect((await harness.tasks()).join()).toContain("basketball (2099-03-05)");
  });
});

describe("a calculation in any words", () => {
  it("takes the figures and operations in their order", async () => {
    expect(await say("3 tubes at 450 n 2 chains at 1200, total?")).toContain("3750");
    expect(await say("plus labour 800")).toContain("4550");
    expect(await say("If I have 37 jars and one costs 8.50 how much is it together")).toContain("314.5");
  });

  it("is none where no figure is asked for", async () => {
    expect(await say("3 tubes and 2 chains went missing")).not.toContain("5");
  });
});

describe("a correction of a list", () => {
  it("puts in what is meant, and not the word that only protests", async () => {
    await say("make a list for the fair: lanterns, tent, whistle");
    await say("nah not whistle, bell rope");
    expect(await harness.read("out/fair-list.txt")).toBe("lanterns\ntent\nbell rope");
  });

  it.each([
    "Bob came, not Ann",
    "I saw Lena yesterday not Tom",
    "we drink beer here, not wine",
    "Tom is not coming, he's sick",
  ])("is none where the message is about something else: “%s”", async (remark) => {
    await say("make a list for the party: bread for Ann, cake for Tom, wine");
    await say(remark);
    expect(await harness.read("out/party-list.txt")).toBe("bread for Ann\ncake for Tom\nwine");
  });
});

describe("an order for a file that it names, and that nobody has spoken of", () => {
  it("adds a row", async () => {
    await harness.write("out/crew.csv", "name,fee,paid\nRagna Moe,12,yes\nOlaf Lie,12,no\n");
    await say("new member for crew.csv: Ingrid Dahl, 12, yes");
    expect(await harness.read("out/crew.csv")).toContain("Ingrid Dahl,12,yes");
  });

  it("asks about the one value of a JSON file that a new value fits", async () => {
    await harness.write("out/app.json", '{"port": 80, "debug": false, "name": "x"}');
    await say("show app.json");
    const run = await harness.ask("make it 90 only");
    expect(run.pending).toMatchObject({ kind: "question" });
    await harness.answer(run, "yes");
    expect(JSON.parse(await harness.read("out/app.json"))).toMatchObject({ port: 90, debug: false });
  });
});

it("saves the result of the last calculation as “that one”, and remembers no words about a file", async () => {
  await say("what is 65000 minus 15 percent");
  await say("save that one in quote.txt");
  expect(await harness.read("out/quote.txt")).toContain("55250");
});

describe("an order that names all that it is about", () => {
  it("is carried out for a table: the one cell with a figure, the one column that a value fits", async () => {
    await harness.write("out/shifts.csv", "day,ward,hours,paid\nMonday,ICU,4,no\nTuesday,ER,8,no\n");
    await say("show shifts.csv");
    await say("the 8 should be 7 sorry");
    await say("Monday came at last, update it to yes");
    expect(await harness.read("out/shifts.csv")).toContain("Monday,ICU,4,yes\nTuesday,ER,7,no\n");
  });

  it("is carried out for a list that the message speaks of", async () => {
    await harness.write("out/chemist.txt", "soap\ncombs\n");
    await say("show chemist.txt");
    await say("And on the list please also cotton pads.");
    expect(await harness.read("out/chemist.txt")).toBe("soap\ncombs\ncotton pads");
  });
});
