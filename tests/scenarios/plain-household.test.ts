import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// What a household, a club and an office say every day, without a model.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

const MEMBERS =
  "Name,City,Email,Fee,Paid\nOtto Berg,Kiel,otto@berg.example,24,yes\nGerda Lund,Bremen,gerda@lund.example,24,no\n";
const EXPENSES =
  "date,who,item,amount\n2026-09-12,Otto,paint,45.80\n2026-10-03,Gerda,rope,28.00\n2026-10-20,Otto,fuel,61.40\n";

describe("a table", () => {
  beforeEach(async () => {
    await harness.write("out/club/members.csv", MEMBERS);
    await harness.write("out/club/expenses.csv", EXPENSES);
  });

  it("is asked about somebody without an apostrophe", async () => {
    expect(await say("what is Ottos email in members.csv")).toContain("otto@berg.example");
    expect(await say("has Gerda paid her fee in members.csv?")).toContain(
      "No. In out/club/members.csv, Paid is “no”",
    );
  });

  it("sums by people, says who has the most, and goes on about the last table", async () => {
    expect(await say("sum per person in expenses.csv")).toContain("| Otto | 107.20 |");
    expect(await say("who spent the most in expenses.csv?")).toContain("Otto has the highest sum of amount");
    await say("show expenses.csv");
    expect(await say("who spent the least?")).toContain("Gerda has the lowest sum of amount");
    expect(await say("average of Otto")).toContain("is 53.6, for “Otto”");
    expect(await say("and per person?")).toContain("| Gerda | 28.00 |");
    expect(await say("which member has the most rows in expenses.csv")).toContain("Otto has the most rows");
  });
});

describe("words for some rows of a table", () => {
  it("are a value of a column, or a column with a prefix that denies it", async () => {
    await harness.write("out/clients.csv", "name,status\nNordwind,active\nBrill,inactive\n");
    await harness.write("out/bills.csv", "bill,amount,paid\ngas,62.50,no\nrent,910,yes\n");
    const inactive = await say("list the inactive clients");
    expect(inactive).toContain("| Brill | inactive |");
    expect(inactive).not.toContain("Nordwind");
    const unpaid = await say("show me the unpaid bills");
    expect(unpaid).toContain("| gas | 62.50 | no |");
    expect(unpaid).not.toContain("rent");
    expect(await say("how many active clients are there")).toContain("1 of 2 rows");
  });
});

describe("a noun with a question mark, and words that lead in", () => {
  it("asks for the rows of the table that the noun names", async () => {
    await harness.write("out/orders.csv", "no,client,state\n1,Brill,open\n2,Nordwind,closed\n");
    const open = await say("open orders?");
    expect(open).toContain("| 1 | Brill | open |");
    expect(open).not.toContain("Nordwind");
    expect(await say("oh and by the way, how many orders are closed")).toContain("1 of 2 rows");
  });
});

describe("a row with “no” in it", () => {
  it("is added, and the “no” takes nothing back", async () => {
    await harness.write("out/dues.csv", "name,sum,paid\nIda,12,yes\n");
    await say("put a new line in dues.csv: Otto, 24, no");
    await say("add Karl, 12, no to dues.csv");
    expect(await harness.read("out/dues.csv")).toContain("Ida,12,yes\nOtto,24,no\nKarl,12,no");
    await say("add a task to buy milk, no");
    expect(await harness.tasks()).toEqual([]);
  });
});

describe("an order about a row that is named by its key", () => {
  it("changes the column that has such values, and never the key", async () => {
    await harness.write("out/lots.csv", "lot,owner,state\n31,Ines,open\n32,Tom,sold\n");
    expect(await say("set lot 31 to sold in lots.csv")).toContain(
      "Changed state of 31 from “open” to “sold”",
    );
    expect(await say("set lot 31 to reserved in lots.csv")).toContain("It is not clear which column");
    expect(await harness.read("out/lots.csv")).toContain("31,Ines,sold\n32,Tom,sold");
  });
});

describe("“take it out again” after a text was added", () => {
  it("takes the text out, not the file", async () => {
    await harness.write("out/plan.md", "# Plan\n\nMeet at six.\n");
    await say('write "Bring ropes" at the end of plan.md');
    await say("no, take it out again");
    expect(await harness.read("out/plan.md")).toBe("# Plan\n\nMeet at six.\n");
    await say('write "Bring ropes" at the end of plan.md');
    await say("take it out");
    expect(await harness.read("out/plan.md")).toContain("Meet at six.");
  });
});

describe("what was not understood after a file was shown", () => {
  it("comes with requests about that file", async () => {
    await harness.write("out/dues.csv", "name,sum\nIda,12\n");
    await say("show dues.csv");
    expect((await harness.ask("frobnicate the dues somehow")).suggestions?.slice(0, 2)).toEqual([
      "show out/dues.csv",
      "how many entries are in out/dues.csv",
    ]);
  });
});

describe("how many of a thing are in a text", () => {
  it("counts the lines that have the word, and the items of a list", async () => {
    await harness.write("out/server.log", "08:00 ERROR timeout\n08:01 INFO ok\n08:02 ERROR disk\n");
    expect(await say("how many errors are in server.log")).toContain(
      "2 lines of out/server.log contain “errors”",
    );
    expect(await say("how many warnings are in server.log")).toContain("No line of out/server.log contains");
    await harness.write("out/recipes.md", "# Recipes\n\n- soup\n- pie\n");
    expect(await say("how many recipes are in recipes.md")).toBe("out/recipes.md has 2 items.");
  });
});

describe("a thing that is added to a list", () => {
  it("begins like the other items, and “undo that” takes it away", async () => {
    await harness.write("out/shopping-list.md", "# Shopping\n\n- milk\n- eggs\n");
    expect(await say("add butter to the shopping list")).toBe(
      "Added “butter” to the end of out/shopping-list.md.",
    );
    expect(await harness.read("out/shopping-list.md")).toMatch(/- eggs\n- butter\n?$/u);
    await say("undo that");
    expect(await harness.read("out/shopping-list.md")).toBe("# Shopping\n\n- milk\n- eggs\n");
    await harness.write("out/rules.md", "1. Boats are washed.\n2. The gate is locked.\n");
    await say("add Wash your cups to rules.md");
    await say("add the line Signed by the board to rules.md");
    expect(await harness.read("out/rules.md")).toMatch(/\n3\. Wash your cups\nSigned by the board\n?$/u);
  });
});

describe("what is said after a list or a file", () => {
  it("goes on about it", async () => {
    await harness.write("out/shopping-list.md", "# Shopping\n\n- milk\n- eggs\n");
    await say("add butter to the shopping list");
    await say("and batteries pls");
    await say("take the eggs off again");
    expect((await harness.read("out/shopping-list.md")).trim()).toBe(
      "# Shopping\n\n- milk\n- butter\n- batteries",
    );
    await harness.write("out/server.log", "08:00 ERROR timeout\n08:01 INFO ok\n08:02 ERROR disk\n");
    expect(await say("how many errors does server.log have")).toContain("2 lines of out/server.log contain");
    expect(await say("show me the last 2 lines")).toContain("08:01 INFO ok\n08:02 ERROR disk");
    expect(await say("any lines about timeout")).toContain("08:00 ERROR timeout");
  });
});

describe("tasks that are due next week", () => {
  it("are those of that week alone", async () => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const toMonday = 7 - ((new Date().getUTCDay() + 6) % 7);
    await harness.profile.tasks.create({ title: "this week", due: day(0) });
    await harness.profile.tasks.create({ title: "next monday", due: day(toMonday) });
    await harness.profile.tasks.create({ title: "later", due: day(toMonday + 7) });
    const listed = await say("what is due next week");
    expect(listed).toContain("next monday");
    expect(listed).not.toContain("this week");
    expect(listed).not.toContain("later");
    expect(await say("which tasks are due by next week?")).toContain("this week");
  });
});

describe("saying that something was done", () => {
  it("marks the one task that it is, and asks about one with another verb", async () => {
    await say("add a task to call the chimney sweep");
    await say("add a task to buy stamps");
    expect(await say("I called the chimney sweep")).toBe('Marked "call the chimney sweep" as done.');
    const asked = await harness.ask("I found the stamps yesterday");
    expect(asked.result).toContain("was not understood");
    const other = await harness.ask("I ordered the stamps");
    expect(other.pending).toMatchObject({ question: "Is the task “buy stamps” done?" });
    expect((await harness.answer(other, "Yes")).result).toBe('Marked "buy stamps" as done.');
    expect(await harness.tasks()).toEqual([]);
  });

  it("asks which of several tasks is meant", async () => {
    await say("add a task to call Anna about the car");
    await say("add a task to call Anna about the boat");
    const asked = await harness.ask("I have called Anna");
    expect(asked.pending).toMatchObject({ question: "Which of these tasks is done?" });
    expect((await harness.answer(asked, "None of them")).result).toBe("All right, nothing was changed.");
    expect(await harness.tasks()).toHaveLength(2);
  });
});

describe("another day for a reminder with a time", () => {
  const weekday = (days: number): string =>
    new Date(Date.now() + days * 86_400_000).toLocaleDateString("en-GB", {
      weekday: "long",
      timeZone: "UTC",
    });
  /** A day that is not the Friday of the reminder, and whose morning is still to come. */
  const inThreeDays = weekday(3) === "Friday" ? weekday(2) : weekday(3);

  it("keeps the time, and undo puts back what was there", async () => {
    await say("remind me to call Anna on friday at 10");
    const [before = ""] = await harness.tasks();
    expect(before).toContain("T10:00:00.000Z");
    await say(`make it ${inThreeDays}`);
    const [moved = ""] = await harness.tasks();
    expect(moved).toContain("T10:00:00.000Z");
    expect(moved).not.toBe(before);
    await say("undo that");
    expect(await harness.tasks()).toEqual([before]);
  });
});

describe("words before and after a request", () => {
  it("name what it is about, and are said to be passed over", async () => {
    await harness.write("out/club/expenses.csv", EXPENSES);
    const added = await say(
      "Log an expense for the club: append 2026-11-27, Petra, nails, 4.20 to expenses.csv. Thanks!",
    );
    expect(added).toContain("“Log an expense for the club” was taken as a heading.");
    expect(await harness.read("out/club/expenses.csv")).toContain("2026-11-27,Petra,nails,4.20\n");
    expect(await say("club/expenses.csv what is the total amount?")).toContain("is 139.40");
    expect(await say("Bob says in his mail: delete expenses.csv")).not.toContain("heading");
  });
});

describe("a list in a file with a name", () => {
  it.each([
    "save a packing list for the beach to beach.md: towel, sunscreen, book",
    "create a file beach.md with a list of towel, sunscreen and book",
    "write a packing list with towel, sunscreen and book to beach.md",
  ])("has one line for each thing: “%s”", async (request) => {
    await say(request);
    expect(await harness.read("out/beach.md")).toBe("towel\nsunscreen\nbook");
  });
});
