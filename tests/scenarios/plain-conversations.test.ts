import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Conversations in plain words, without a model: each request continues the one before.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("a list", () => {
  it("is made, extended, shortened, counted and shown without naming it again", async () => {
    expect(await say("make a packing list for Lisbon: sunscreen, charger, sandals")).toContain(
      "Created out/packing-list-for-lisbon.txt",
    );
    await say("and add a hat please");
    await say("also two towels");
    expect(await say("how many things are on it?")).toContain("has 5 items");
    expect(await say("remove sandals")).toContain("Removed the line “sandals”");
    expect(await say("what's on the list?")).toContain("sunscreen\ncharger\na hat\ntwo towels");
    expect(await say("where did you put it?")).toBe("It is “out/packing-list-for-lisbon.txt”.");
    expect(await say("move it into a folder called trips")).toContain(
      "out/trips/packing-list-for-lisbon.txt",
    );
    expect(await say("what's in there?")).toContain("two towels");
  });

  it("loses a line that is named in part, and gets it back", async () => {
    await harness.write("out/notes.md", "# Ideas\nrepaint the hall\nfix the gate\n");
    await say("show notes.md");
    expect(await say("take out the gate")).toContain("Removed the line “fix the gate”");
    await say("put that back");
    expect(await harness.read("out/notes.md")).toContain("fix the gate");
  });

  it("is not any text that was only read", async () => {
    await harness.write("out/letter.md", "Dear Mr Holm, the heating has been broken since Monday.\n");
    await say("read letter.md");
    expect(await say("and add butter please")).toContain("not understood");
    expect(await harness.read("out/letter.md")).toBe(
      "Dear Mr Holm, the heating has been broken since Monday.\n",
    );
  });

  it("is deleted by a part of its name, after it was made or once the person agrees", async () => {
    await say("make me a shopping list for saturday: flour, eggs");
    expect(await say("delete the shopping list")).toMatch(/^Deleted out\/shopping-list-for-saturday\.txt/u);
    await say("undo that");
    await say("what is 12 times 12?");
    const asked = await harness.ask("delete the shopping list");
    expect(asked.pending).toMatchObject({
      question: "Do you mean “out/shopping-list-for-saturday.txt” by “the shopping list”?",
      options: ["Yes", "No"],
    });
    expect(await harness.read("out/shopping-list-for-saturday.txt")).toBe("flour\neggs");
    expect((await harness.answer(asked, "yes")).result).toContain(
      "Deleted out/shopping-list-for-saturday.txt",
    );
  });

  it("takes nothing that another request means", async () => {
    await say("start a shopping list with eggs and flour");
    expect(await say("remove the tent from storage")).not.toContain("Removed");
    await say("add a task to buy milk");
    expect(await say("and add butter please")).toContain("not understood");
    expect(await harness.read("out/shopping-list.txt")).toBe("eggs\nflour");
  });
});

describe("a list that does not exist", () => {
  it("is created with what should go on it if the person wants that", async () => {
    const asked = await harness.ask("add eggs and milk to the shopping list");
    expect(asked.pending).toMatchObject({
      question: "There is no shopping list yet. Should it be created?",
      options: ["Yes", "No"],
    });
    expect((await harness.answer(asked, "No")).result).toBe("All right, nothing was changed.");
    await harness.answer(await harness.ask("add eggs and milk to the shopping list"), "Yes");
    expect(await harness.read("out/shopping-list.txt")).toBe("eggs\nmilk");
    await say("put bread on the shopping list");
    expect(await harness.read("out/shopping-list.txt")).toBe("eggs\nmilk\nbread");
  });
});

describe("a table", () => {
  it("is extended, changed and added up without naming it again", async () => {
    await harness.write("out/budget.csv", "item,amount\nrent,900\nfood,320\n");
    await say("what's in budget.csv");
    expect(await say("what's the biggest one?")).toContain("| rent | 900 |");
    expect(await say("add phone 25")).toContain("item “phone”, amount “25”");
    expect(await say("and now the total?")).toContain("is 1245");
    expect(await say("change food to 350")).toContain("amount of food from “320” to “350”");
    await say("set food to zero");
    expect(await harness.read("out/budget.csv")).toContain("food,0\n");
    expect(await say("make food 350")).toContain("amount of food from “0” to “350”");
    expect(await say("remove phone")).toContain("Removed the row");
    expect(await harness.read("out/budget.csv")).toBe("item,amount\nrent,900\nfood,350\n");
  });

  it("gets a row with an address, and is counted after the change", async () => {
    await harness.write(
      "out/members.csv",
      "name,email,paid\nGerda Lund,g@lund.no,no\nOtto Berg,o@berg.no,yes\n",
    );
    await say("show members.csv");
    await say("add Mia Holm, mia@holm.no");
    expect(await harness.read("out/members.csv")).toContain("Mia Holm,mia@holm.no,\n");
    expect(await say("how many are there now")).toContain("3 entries");
  });
});

it("who has not paid is found in the table that no word names", async () => {
  await harness.write(
    "out/members.csv",
    "name,email,paid\nGerda Lund,g@lund.no,no\nOtto Berg,o@berg.no,yes\n",
  );
  const answer = await say("who hasn't paid?");
  expect(answer).toContain("Gerda Lund");
  expect(answer).not.toContain("Otto");
});

describe("a calculation", () => {
  it("goes on with its result", async () => {
    await say("what's 18 times 24");
    expect(await say("plus 100")).toContain("= 532");
    expect(await say("divide that by 4")).toContain("= 133");
    expect(await say("and 10% of that")).toContain("= 13.3");
    await say("what's 100 / 3");
    expect(await say("times 3")).toContain("= 100");
    await say("what's 100 / 7");
    expect(await say("round that to 2 decimals")).toContain("= 14.29");
    await say("what's 100 / 3");
    // Up and down are other calculations than to the nearest number.
    expect(await say("round it up")).toContain("not understood");
    expect(await say("round it")).toContain("= 33");
    await say("whats 20% off 85");
    expect(await say("and 15%?")).toContain("= 72.25");
    await say("convert 5 miles to km");
    expect(await say("how much is that in metres")).toContain("= 8046.7 m");
    await say("convert 5 miles to km");
    expect(await say("and 12?")).toContain("19.3121 km");
  });

  it("is not taken up by other requests", async () => {
    await say("what's 18 times 24");
    await say("list my tasks");
    expect(await say("divide that by 4")).toContain("not understood");
  });
});

describe("a task", () => {
  it("gets another day by a word of its title, and keeps its title", async () => {
    await say("add a task to ring the plumber on 2030-12-02 at 9:00");
    await say("actually make the plumber 5 December 2030");
    expect(await harness.tasks()).toEqual(["ring the plumber (2030-12-05T09:00:00.000Z)"]);
  });

  it("is corrected to a day of its own month, and to an hour of its half of the day", async () => {
    await say("add a task to renew my passport on 12 January 2031 at 6pm");
    await say("that should be the 15th");
    await say("make it 7");
    expect((await harness.tasks()).join()).toContain("2031-01-15T19:00");
  });

  it("keeps one number where a number with its noun is corrected", async () => {
    await say("add a task to buy 3 apples");
    await say("no, 6 apples");
    expect(await harness.tasks()).toEqual(["buy 6 apples"]);
  });

  it("is made of a statement, remembered or listed when the person says so", async () => {
    await say("I have to call mum, pay the gas bill and post the parcel");
    await say("yes, make them tasks");
    expect((await harness.tasks()).toSorted()).toEqual(["call mum", "pay the gas bill", "post the parcel"]);
    await say("the gas bill by 2 December 2030");
    expect((await harness.tasks()).join()).toContain("pay the gas bill (2030-12-02)");
    await say("todo: send the invoice to Bo, chase Lena, book the train");
    expect(await harness.tasks()).toHaveLength(6);
    await say("my sister's flight lands at 14:20");
    await say("remember that");
    expect((await harness.facts())[0]).toBe("my sister's flight lands at 14:20");
  });

  it("or a memory is made of a statement by a bare yes", async () => {
    await say("next friday dinner with Lena at 7pm");
    await say("yes");
    expect((await harness.tasks()).join()).toMatch(/dinner with Lena \(\d{4}-\d{2}-\d{2}T19:00/u);
    await say("i'm allergic to penicillin");
    await say("yes please");
    expect((await harness.facts())[0]).toBe("i'm allergic to penicillin");
    expect(await say("my sister's birthday is on 12 March")).toContain("Should it be remembered?");
    await say("yes");
    expect((await harness.facts())[0]).toBe("my sister's birthday is on 12 March");
    expect(await harness.tasks()).toHaveLength(1);
  });

  it("of a reminder in some minutes is corrected to another number of minutes", async () => {
    await say("remind me in 20 minutes to take the bread out");
    await say("actually 25");
    const [task, ...others] = await harness.tasks();
    expect(others).toEqual([]);
    expect(task).toContain("take the bread out");
  });

  it("of a reminder is followed by another one for the same day, and deleted by one of its words", async () => {
    await say("remind me on 2 December 2030 at 8 to take out the bins");
    await say("and at 9 to call the school");
    expect(await harness.tasks()).toHaveLength(2);
    expect((await harness.tasks()).join()).toContain("call the school (2030-12-02T09:00:00.000Z)");
    await say("cancel the bins one");
    expect(await harness.tasks()).toEqual(["call the school (2030-12-02T09:00:00.000Z)"]);
  });

  it("of another reminder is on the person's day, also where that day has not begun in UTC", async () => {
    await harness.profile.store.changeSettings({ timeZone: "Pacific/Auckland" });
    await say("remind me on 2 December 2030 at 8 to take out the bins");
    await say("and at 9 to call the school");
    expect((await harness.tasks()).toSorted()).toEqual([
      "call the school (2030-12-01T20:00:00.000Z)",
      "take out the bins (2030-12-01T19:00:00.000Z)",
    ]);
  });

  it("of a reminder is repeated by words that only say how often, and nothing else is", async () => {
    const repeated = async () =>
      (await harness.profile.schedules.list({ limit: 10 })).items.filter(({ when }) => when.kind !== "at");
    await say("add a task to water the plants");
    expect(await say("every day please")).toContain("not understood");
    expect(await repeated()).toEqual([]);
    await say("remind me on 2 December 2030 at 18:00 to lock the door");
    expect(await say("every day please")).toContain("“Lock the door” every day at 18:00");
    expect(await repeated()).toHaveLength(1);
    // Its task would remind a second time.
    expect(await harness.tasks()).toEqual(["water the plants"]);
  });

  it("with a date gets an earlier reminder, which is cancelled without its name", async () => {
    await say("add a task to renew the passport on 12 January 2031");
    await say("remind me a week before");
    expect((await harness.tasks()).toSorted()).toEqual([
      "renew the passport (2031-01-12)",
      "renew the passport (due 2031-01-12) (2031-01-05)",
    ]);
    expect(await say("what did I ask you to remind me of?")).toContain("Renew the passport");
    await say("remind me on 2 December 2030 at 18:00 to lock the door");
    await say("remind me an hour before");
    expect((await harness.tasks()).join()).toContain("(2030-12-02T17:00:00.000Z)");
    await say("cancel that reminder");
    expect((await harness.tasks()).join()).not.toContain("T17:00");
    expect(await harness.tasks()).toHaveLength(3);
  });

  it("without a date gets another number in its title", async () => {
    await say("add a task to buy 3 apples");
    await say("make it 5");
    expect(await harness.tasks()).toEqual(["buy 5 apples"]);
    expect(await say("which are still open?")).toContain("buy 5 apples");
    expect(await say("what did I do today")).toContain("2 changes were made");
  });
});

it("another fact about the person of the last memory is remembered with the name", async () => {
  await say("remember that Mr Hansen's phone number is 555 1234");
  await say("and his email is hansen@post.no");
  expect((await harness.facts())[0]).toBe("Mr Hansen's email is hansen@post.no");
});

it("a folder is renamed in its place after it was made", async () => {
  await say("create a folder trips");
  expect(await say("rename the folder to holidays")).toContain("out/trips to out/holidays");
});

it("a remembered number is replaced by “change it to”", async () => {
  await say("remember that Tom's phone number is 555 1234");
  await say("what's Tom's number");
  await say("change it to 555 9876");
  expect(await harness.facts()).toContain("Tom's phone number is 555 9876");
});

it("“the copy” is never the original", async () => {
  await harness.write("out/cv.md", "# CV\n");
  await say("rename cv.md to resume.md");
  expect(await say("delete the copy")).toContain("it is not clear what “the copy” refers to");
  await say("copy resume.md to backup/");
  expect(await say("delete the copy")).toContain("Deleted out/backup/resume.md");
  expect(await harness.read("out/resume.md")).toBe("# CV\n");
});

describe("a thing that is named in any order of words", () => {
  it("gets another day or time", async () => {
    await say("remind me on 9 December 2031 at 10:00 to ring the bank");
    expect(await say("Hmm, the bank closes early, make that 9:30")).toContain("2031-12-09 09:30");
    expect(await say("no, the bank at 11")).toContain('"ring the bank" (due 2031-12-09 11:00)');
    expect(await say("bring it forward by 2 days")).toContain("2031-12-07 11:00");
    expect(await say("ring the bank on 2031-12-10 at 3pm pls, no wait, 4pm")).toContain("2031-12-10 16:00");
    expect(await say("when is the bank thing again, please?")).toContain("2031-12-10 16:00");
    expect(await say("is the bank still at 4?")).toContain("2031-12-10 16:00");
  });

  it("is the other one where the wrong one was meant", async () => {
    await say("add a task to put the bins out");
    await say("add a task to stretch");
    await say("cancel the bins one");
    await say("no, I meant the other one");
    expect(await harness.tasks()).toEqual(["put the bins out"]);
  });

  it("is named after thanks and praise, which alone are answered", async () => {
    await say("Good morning. Could you please add a task to water the ferns by 2031-12-09?");
    await say("Ta very much. Make me a task to cover the garlic");
    await say("Lovely, thank you. And on 2031-12-10 at 10:00 to ring the bank.");
    expect(await harness.tasks()).toHaveLength(3);
    expect(await say("Thanks, that is lovely.")).toBe("You're welcome.");
    expect(await say("you are great")).toBe("You're welcome.");
    expect(await say("good morning")).toContain("Hello");
  });

  it("is one of two that one message changes", async () => {
    await say("add a task: return library books by 2031-12-12");
    await say("add another one: wrap presents by 2031-12-20");
    expect(await say("which one is first?")).toContain("return library books");
    await say("library books to 2031-12-10 and wrap presents to 2031-12-21");
    expect(await harness.tasks()).toEqual([
      "return library books (2031-12-10)",
      "wrap presents (2031-12-21)",
    ]);
    expect(await say("the presents are wrapped, cross that off")).toContain("done");
    expect(await say("oh, not done yet")).toContain("to do");
    await say("move the books to 2031-12-11 and cancel the presents");
    expect(await harness.tasks()).toEqual(["return library books (2031-12-11)"]);
  });

  it("is not changed by a message with other words, a condition or a denial", async () => {
    await say("add a task: wrap presents by 2031-12-20");
    for (const other of [
      "if it rains the presents move to 2031-12-21",
      "the presents are not on 2031-12-21",
      "the presents from Rita arrive on 2031-12-21",
      "buy more presents on 2031-12-21?",
    ])
      await say(other);
    expect(await harness.tasks()).toEqual(["wrap presents (2031-12-20)"]);
    await say("remind me on 2031-12-22 at 8:00 to wrap presents");
    expect(await harness.tasks()).toContain("wrap presents (2031-12-20)");
  });

  it("is not taken for one that is gone", async () => {
    await say("add a task to put the bins out");
    await say("add a task to stretch");
    await say("cancel the bins one");
    await say("cancel the bins one");
    expect(await harness.tasks()).toEqual(["stretch"]);
  });

  it("is followed by another one on its day", async () => {
    await say("remind me on 2031-12-09 at 14:00 to ring the bank");
    await say("and remind me the same day at 3 to call the dairy");
    expect(await harness.tasks()).toEqual([
      "ring the bank (2031-12-09T14:00:00.000Z)",
      "call the dairy (2031-12-09T15:00:00.000Z)",
    ]);
    await say("also every monday at 7 to put the bins out");
    expect(await say("when is the next one?")).toMatch(/Put the bins out \| every Monday at 07:00/u);
  });
});

describe("figures and days", () => {
  it("are calculated in any order of words, and go on with the last figure", async () => {
    expect(await say("840 with 15 % off")).toBe("840 - 15% = 714");
    expect(await say("what about a 15% tip on 42.60")).toBe("15% of 42.60 = 6.39");
    expect(await say("and the total with tip")).toBe("42.60 + 15% = 48.99");
    expect(await say("plus 15 for delivery")).toBe("48.99 + 15 = 63.99");
    expect(await say("120 rolls for 0.25 each, how much is it?")).toBe("120 × 0.25 = 30");
    expect(await say("how many days in february 2028")).toContain("29 days");
    expect(await say("what is 45 minutes before 9:15")).toContain("08:30");
    expect(await say("two hours after 22:30")).toContain("00:30");
    expect(await say("which calendar week is 14 December 2026?")).toContain("week 51");
  });

  it("ask what is due on a day, and change nothing", async () => {
    await say("add a task: change the oil by 2031-12-05");
    await say("add a task: buy a filter");
    expect(await say("what i have 2031-12-05")).toContain("change the oil");
    expect(await say("anything on 2031-12-06?")).toContain("No task is due");
    expect(await harness.tasks()).toEqual(["change the oil (2031-12-05)", "buy a filter"]);
  });
});

describe("a remembered fact", () => {
  it("is changed by an order, and by a statement that it has changed", async () => {
    await say("remember my wifi password is tulip42");
    expect(await say("they came today, change the wifi password to tulip43")).toContain("in the archive");
    await say("remember that the classroom key hangs in the office");
    await say("The key hangs in room 12 now. Please change that.");
    expect(await harness.facts()).toEqual([
      "the classroom key hangs in room 12",
      "my wifi password is tulip43",
    ]);
    await say("remember that my sister Clara lives in Lyon");
    await say("Clara moved to Nantes");
    expect(await harness.facts()).toContain("my sister Clara lives in Nantes");
    expect(await say("change the alarm code to 5518")).toContain("Nothing was done");
  });

  it("is found by a question with a pronoun for the person spoken of", async () => {
    await say("remember that Mr Kulkarni's date of birth is 4 June 1961");
    await say("what is 12 times 12?");
    expect(await say("and when was he born?")).toContain("4 June 1961");
  });
});
