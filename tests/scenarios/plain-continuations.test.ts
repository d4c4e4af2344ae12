import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Conversations in plain words about tables, results, texts and tasks, without a model: each request continues the one before.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("a new table", () => {
  it("has the columns that the request names, and gets rows", async () => {
    expect(await say("create a table fees.csv with the columns name, amount and paid")).toContain(
      "Created out/fees.csv",
    );
    await say("add Olli, 40, yes");
    await say("add Kaisa, 40, no");
    expect(await harness.read("out/fees.csv")).toBe("name,amount,paid\nOlli,40,yes\nKaisa,40,no\n");
    expect(await say("who has not paid?")).toContain("Kaisa");
    await say("start a table of club fees with name, amount");
    expect(await harness.read("out/club-fees.csv")).toBe("name,amount\n");
  });
});

describe("a table that was asked about", () => {
  beforeEach(async () => {
    await harness.write(
      "out/choir.csv",
      "name,voice,phone,fee\nEila,alto,040 1,20\nJorma,bass,050 2,30\nSirpa,bass,,30\n",
    );
    await say("who sings alto in choir.csv?");
  });

  it("answers the same question about another value", async () => {
    expect(await say("and bass?")).toContain("Jorma");
    expect(await say("what about alto?")).toContain("Eila");
  });

  it("is changed by a row, its column and the value", async () => {
    await say("and Sirpa to 35");
    await say("sorry, Jorma should be 25");
    await say("Eila's fee is 22 not 20");
    expect(await harness.read("out/choir.csv")).toContain(
      "Eila,alto,040 1,22\nJorma,bass,050 2,25\nSirpa,bass,,35",
    );
    expect(await say("lowest fee?")).toContain("22");
    expect(await say("total fee now")).toContain("82");
  });

  it("lists what was counted", async () => {
    expect(await say("how many bass are there in choir.csv?")).toContain("2");
    expect(await say("who are they?")).toContain("Jorma");
  });

  it("answers questions with the names of its columns", async () => {
    expect(await say("who has no phone?")).toContain("Sirpa");
    expect(await say("what are the fees altogether?")).toContain("80");
  });
});

describe("a result that there is not", () => {
  it("is not written into a file", async () => {
    await say("how much is the tax on that?");
    await say("write this in a file offer.txt");
    await expect(harness.read("out/offer.txt")).rejects.toThrow();
  });

  it("is not moved to a person", async () => {
    await harness.write("out/offer.txt", "120 euro");
    await say("read offer.txt");
    await say("send it to Mikko");
    expect(await harness.read("out/offer.txt")).toBe("120 euro");
  });
});

describe("what was read or made last", () => {
  beforeEach(async () => {
    await harness.write("out/minutes/20-nov.md", "# Minutes\n\nBudget approved\n");
    await say("read minutes/20-nov.md");
  });

  it("is copied by a word of its path, and its folder is shown", async () => {
    await say("copy the minutes to archive/");
    expect(await harness.read("out/archive/20-nov.md")).toContain("Budget");
    expect(await say("what else is in that folder?")).toContain("20-nov.md");
  });

  it("is copied without being named", async () => {
    await say("put a copy in drafts");
    expect(await harness.read("out/drafts/20-nov.md")).toContain("Budget");
  });

  it("comes back after it was deleted", async () => {
    await say("delete it");
    await say("wait no, bring it back");
    expect(await harness.read("out/minutes/20-nov.md")).toContain("Budget");
  });
});

describe("a list in other words", () => {
  it("is made, extended and shortened politely", async () => {
    await say("Good morning. Could you please make a packing list for me: slippers, glasses, umbrella");
    expect(await harness.read("out/packing-list.txt")).toBe("slippers\nglasses\numbrella");
    await say("take away the glasses");
    await say("umbrella is wrong, it should be raincoat");
    expect(await harness.read("out/packing-list.txt")).toBe("slippers\nraincoat");
    await say("save in budget.txt: groceries 900, gifts 400");
    expect(await harness.read("out/budget.txt")).toBe("groceries 900\ngifts 400");
  });

  it("begins with its name, loses what was bought and is corrected", async () => {
    await say("i need a list for the camping trip: stove, gas, torch");
    expect(await harness.read("out/camping-trip-list.txt")).toBe("stove\ngas\ntorch");
    await say("shopping list: milk, bred, eggs");
    await say("bred should be bread");
    await say("got the eggs");
    expect(await say("what's still missing?")).toContain("milk\nbread");
    expect(await say("what's still missing?")).not.toContain("eggs");
  });
});

describe("a calculation in other words", () => {
  it("goes on with a share of its result", async () => {
    expect(await say("calculate please 3 times 49.90 plus 12")).toContain("161.7");
    expect(await say("and with 10 percent less?")).toContain("145.53");
    expect(await say("how much is vat 25.5 % from that?")).toContain("37.11");
  });
});

describe("a task with a date", () => {
  it("is followed by another one for the same day, and announced a week before", async () => {
    await say("todo hand in the essay on 10 December 2099");
    await say("also return the library books the same day");
    expect(await harness.tasks()).toContain("return the library books (2099-12-10)");
    expect(await say("when was that again?")).toContain("2099-12-10");
    await say("remind me a week before");
    expect((await harness.tasks()).join()).toContain("2099-12-03");
  });
});

it.each(["remind me tomorrow at 10", "remind me at ten tomorrow", "remind me on friday at noon"])(
  "a reminder without a text asks for it: %s",
  async (request) => {
    const asked = await harness.ask(request);
    expect(asked.pending).toMatchObject({ kind: "question", question: "What should you be reminded of?" });
    await harness.answer(asked, "call the bank");
    expect((await harness.tasks()).join()).toMatch(/^call the bank \(\d{4}-/u);
  },
);

describe("an order beside a statement", () => {
  it("is for the thing that the statement names", async () => {
    await say("make a packing list: slippers, umbrella");
    await say("I shan't need the umbrella after all, do take it off");
    await say("Back to the packing list: add a warm scarf, please");
    expect(await harness.read("out/packing-list.txt")).toBe("slippers\na warm scarf");
    await harness.write("out/choir.csv", "name,voice\nEva Lind,alto\nNils Berg,bass\n");
    await say("what voice is Eva Lind in choir.csv?");
    await say("change her voice to soprano");
    await say("Nils has stopped in the choir, remove him from the table");
    expect(await harness.read("out/choir.csv")).toBe("name,voice\nEva Lind,soprano\n");
  });

  it("does nothing if it is forbidden or depends on something", async () => {
    await say("make a packing list: slippers, umbrella");
    await say("the umbrella is old, don't take it off");
    await say("if it rains, take the umbrella off");
    expect(await harness.read("out/packing-list.txt")).toBe("slippers\numbrella");
  });
});

describe("a table of marks", () => {
  beforeEach(async () => {
    await harness.write("out/guests.csv", "name,coming,seat\nAva,yes,1\nNoah,no,2\n");
    await say("who's coming in guests.csv");
  });

  it("keeps the names when a mark is set", async () => {
    await say("set Noah to yes");
    await say("Ava cant anymore, change her to no");
    expect(await harness.read("out/guests.csv")).toBe("name,coming,seat\nAva,no,1\nNoah,yes,2\n");
    expect(await say("how many are there now")).toContain("2 entries");
  });

  it("gets rows by their columns and several at once", async () => {
    await say("add name Ella coming yes seat 3");
    await say("add Mia, yes, 4; Leo, no, 5");
    expect(await harness.read("out/guests.csv")).toContain("Ella,yes,3\nMia,yes,4\nLeo,no,5\n");
  });

  it("takes no sentence for a value", async () => {
    await say("set Noah to yes");
    await say("sorry, Ava should be no");
    expect(await harness.read("out/guests.csv")).toBe("name,coming,seat\nAva,no,1\nNoah,yes,2\n");
  });
});

describe("a text that was changed", () => {
  it("is corrected by the wrong and the right word, by the kind of value, and back", async () => {
    await harness.write("out/log.txt", "2026-11-20 oiled the winch\n");
    await say("read log.txt");
    await say("add a line: 2026-11-28 Eva pumped the bilge");
    await say("I meant Birgitta and not Eva");
    await say("the day was wrong it should be 2026-11-27");
    expect(await harness.read("out/log.txt")).toContain("2026-11-27 Birgitta pumped the bilge");
    await say("undo the correction");
    expect(await harness.read("out/log.txt")).toContain("2026-11-28 Birgitta pumped the bilge");
  });

  it("has amounts that change by their names", async () => {
    await say("save in out/costs.txt: groceries 900, gifts 400");
    await say("change gifts to 500");
    await say("add gas 180 to the file");
    expect(await harness.read("out/costs.txt")).toBe("groceries 900\ngifts 500\ngas 180");
  });
});

describe("tasks of a conversation", () => {
  it("are added, dated, done and deleted by their words", async () => {
    await say("add a task to swap the shift with Joy");
    await say("and another one renew my license");
    await say("and call the bank");
    await say("make the bank one 5 December 2030 at 9:00");
    await say("9:30 is better");
    expect((await harness.tasks()).toSorted()).toEqual([
      "call the bank (2030-12-05T09:30:00.000Z)",
      "renew my license",
      "swap the shift with Joy",
    ]);
    await say("booked. mark it done");
    await say("the license is finished, I've just been there");
    expect(await harness.tasks()).toEqual(["swap the shift with Joy"]);
  });

  it("are deleted together after two were made", async () => {
    await say("add a task to water the plants");
    await say("add a task to post the parcel");
    await say("add a task to call mum");
    await say("cancel both");
    expect(await harness.tasks()).toEqual(["water the plants"]);
  });
});

it("files of one folder are named once", async () => {
  await harness.write("out/tmp/a.txt", "alpha\n");
  await harness.write("out/tmp/b.txt", "beta\n");
  await harness.write("out/keep.txt", "keep\n");
  await say("delete a.txt and b.txt in out/tmp");
  await expect(harness.read("out/tmp/a.txt")).rejects.toThrow("ENOENT");
  expect(await harness.read("out/keep.txt")).toBe("keep\n");
});

it("a figure is asked of a file that was not read", async () => {
  await harness.write("out/grades.csv", "course,credits,grade\nmath,5,3\nbio,4,4\n");
  expect(await say("whats my avg grade in grades.csv")).toContain("3.5");
  await say("what's 140 minus 20");
  expect(await say("split by 3")).toContain("= 40");
});

it("a task is finished by what was done to its thing, and by no other statement", async () => {
  await say("add three tasks: water the plants, fix the bike, buy paint");
  expect(await say("the bike is broken")).not.toContain("Marked");
  expect(await say("bike is fixed")).toBe('Marked "fix the bike" as done.');
  expect(await say("the plants have been watered")).toBe('Marked "water the plants" as done.');
  expect(await say("finish the paint one")).toBe('Marked "buy paint" as done.');
});

it("a figure is of the column with numbers, whatever column the question before was about", async () => {
  await harness.write(
    "out/expenses.csv",
    "item;amount;date\nPaint;12,50;2026-11-02\nBrush;4,20;2026-11-03\n",
  );
  await say("show expenses.csv");
  expect(await say("what was the most expensive item?")).toContain(
    "The highest amount in out/expenses.csv is 12.5",
  );
  expect(await say("total now?")).toContain("The sum of amount in out/expenses.csv is 16.70");
});

it("“it” is nothing older than what could not be made", async () => {
  await say("make a shopping list with milk, eggs");
  await say("make a collage of the weekend in Oslo with towel and sunscreen");
  expect(await say("add hat to it")).toContain("not understood");
  expect(await harness.read("out/shopping-list.txt")).toBe("milk\neggs");
});

it("changes the task that a message names without a verb", async () => {
  await say("task call Steve about the skip");
  await say("task buy cement tomorrow");
  await say("cement make it 2099-01-05");
  await say("steve done");
  expect(await harness.tasks()).toEqual(["buy cement (2099-01-05)"]);
});

describe("what was undone", () => {
  it.each(["hmm no, put it back please", "oh, bring it back", "restore it", "redo that", "undo the undo"])(
    "comes back, and nothing else is undone: %s",
    async (request) => {
      await say("remember that the mill is booked until 7 pm");
      await say("add a task to order the cake");
      await say("undo that");
      expect(await harness.tasks()).toEqual([]);
      await say(request);
      expect(await harness.tasks()).toEqual(["order the cake"]);
      expect(await harness.facts()).toEqual(["the mill is booked until 7 pm"]);
      // Then it is the last change again.
      await say("undo that");
      expect(await harness.tasks()).toEqual([]);
      await say("undo that");
      expect(await harness.facts()).toEqual([]);
    },
  );

  it("is nothing before anything was undone", async () => {
    await say("add a task to order the cake");
    expect(await say("redo that")).toContain("There is nothing to undo here");
    expect(await harness.tasks()).toHaveLength(1);
  });
});
