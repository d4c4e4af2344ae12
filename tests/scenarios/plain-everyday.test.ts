import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Everyday requests by people who had not read the code: lists, tables, reminders, files, and what no skill does.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

const EXPENSES =
  "date,who,item,amount\n2026-09-12,Otto,paint,45.80\n2026-10-03,Gerda,rope,28.00\n2026-10-20,Otto,fuel,61.40\n";

describe("the order of a list or table", () => {
  it("is changed in words, also for a file that is named in words, and undone", async () => {
    await harness.write("out/guests.txt", "Pekka\nAnna\nOla\nanna\n");
    expect(await say("put the guest list in alphabetical order")).toContain(
      "Sorted the lines of out/guests.txt",
    );
    expect(await harness.read("out/guests.txt")).toBe("Anna\nanna\nOla\nPekka\n");
    expect(await say("is anyone listed twice in guests.txt?")).toContain("- Anna (2 times)");
    expect(await say("remove the duplicates")).toContain(
      "Removed 1 repeated line from out/guests.txt: “anna”",
    );
    await say("undo that");
    expect(await harness.read("out/guests.txt")).toBe("Anna\nanna\nOla\nPekka\n");
    expect(await say("is Bob on the guest list?")).toContain("No, out/guests.txt does not mention “Bob”");
  });

  it("is that of a column, and amounts are added up by another one", async () => {
    await harness.write("out/expenses.csv", EXPENSES);
    expect(await say("sort expenses.csv by amount, highest first")).toContain("Sorted the 3 rows");
    expect(await harness.read("out/expenses.csv")).toMatch(/^date,who,item,amount\n2026-10-20,Otto/u);
    await say("sort it by date");
    expect(await harness.read("out/expenses.csv")).toBe(EXPENSES);
    expect(await say("amount per person in expenses.csv")).toContain("| Otto | 107.20 |");
    expect(await say("add up the amount in expenses.csv for Otto")).toContain("107.2");
  });
});

describe("the columns of the last table", () => {
  it("are added, renamed and removed, and put back", async () => {
    await harness.write("out/hours.csv", "person,hours\nOla,3\n");
    await say("read hours.csv");
    expect(await say("add a column phone")).toContain("Added the column “phone” to out/hours.csv");
    await say("rename the column phone to mobile");
    expect(await harness.read("out/hours.csv")).toBe("person,hours,mobile\nOla,3,\n");
    await say("drop the mobile column");
    expect(await harness.read("out/hours.csv")).toBe("person,hours\nOla,3\n");
    await say("undo that");
    expect(await harness.read("out/hours.csv")).toBe("person,hours,mobile\nOla,3,\n");
  });
});

describe("a line of a file", () => {
  it("is crossed off, ticked where it has no box, and swapped with another name", async () => {
    await harness.write("out/todo.md", "- call bank\n- buy paint\n");
    await harness.write("out/rota.md", "Monday: Ola\nTuesday: Mette\nWednesday: Ola\n");
    await say("cross off call bank from todo.md");
    expect(await harness.read("out/todo.md")).toBe("- buy paint\n");
    expect(await say("tick buy paint in todo.md")).toContain("Ticked “buy paint”");
    expect(await harness.read("out/todo.md")).toBe("- [x] buy paint\n");
    expect(await say("swap Ola and Mette in the rota")).toContain(
      "Swapped “Ola” and “Mette” in 3 places of out/rota.md",
    );
    expect(await harness.read("out/rota.md")).toBe("Monday: Mette\nTuesday: Ola\nWednesday: Mette\n");
    await say("undo that");
    expect(await harness.read("out/rota.md")).toContain("Monday: Ola");
  });

  it("at the top of a Markdown file is a heading if it is called one", async () => {
    await harness.write("out/rota.md", "Monday: Ola\n");
    await say('add a heading "Week 48" at the top of rota.md');
    expect(await harness.read("out/rota.md")).toBe("# Week 48\nMonday: Ola\n");
  });
});

describe("all rows of a table", () => {
  it("get a value, and are put back", async () => {
    await harness.write("out/club.csv", "name,fee,paid\nBjörn,30,no\nEva,20,yes\n");
    expect(await say("mark everyone as paid in club.csv")).toContain("Changed paid to “yes” in 1 of 2 rows");
    expect(await harness.read("out/club.csv")).toBe("name,fee,paid\nBjörn,30,yes\nEva,20,yes\n");
    await say("undo that");
    expect(await harness.read("out/club.csv")).toContain("Björn,30,no");
    await say("set fee to 35 for all members in club.csv");
    expect(await harness.read("out/club.csv")).toBe("name,fee,paid\nBjörn,35,no\nEva,35,yes\n");
  });
});

describe("files and folders in everyday words", () => {
  it("are copied under a bare name, and made with folders in them", async () => {
    await harness.write("out/rota.md", "Monday: Ola\n");
    await say("make a copy of the rota called rota-backup");
    expect(await harness.read("out/rota-backup.md")).toBe("Monday: Ola\n");
    expect(await say("make a folder photos with subfolders jan and feb")).toMatch(
      /out\/photos\/jan[^]*out\/photos\/feb/u,
    );
    await harness.write(
      "inbox/letter.txt",
      "Dear Ms Lind,\n\nThe deposit of 1 450 euros will be returned.\n",
    );
    expect(await say("give me a summary of the letter in the inbox")).toContain("The deposit of 1 450 euros");
    await harness.write("out/boiler-manual.md", "Press reset for 5 seconds.\n");
    expect(await say('search for "reset" in the boiler manual')).toContain("Press reset");
    await harness.write("out/guests.txt", "Pekka\nAnna\n");
    expect(await say("count the guests")).toContain("2 items");
    expect(await say("show me everything due this week")).toContain("No tasks");
  });
});

describe("why the last thing was done", () => {
  it("is told by the words of the request and how they were understood", async () => {
    await say("add a task to call the plumber");
    const reason = await say("why did you do that?");
    expect(reason).toContain("You wrote “add a task to call the plumber”.");
    expect(reason).toContain("It was understood as ‘add a task to “call the plumber”’.");
    await say("thanks");
    expect(await say("why did you add it?")).toContain("call the plumber");
  });
});

describe("a reminder ahead of an event", () => {
  it("counts from the time of the event, and needs one", async () => {
    await harness.write("out/hours.csv", "day,hours\n2026-11-01,3\n");
    expect(await say("remind me an hour before the meeting on tuesday at 2pm")).toContain("at 13:00");
    const tasks = await harness.tasks();
    expect(tasks.join()).toContain("meeting on tuesday at 2pm");
    // "An hour" is not a file, although one is called hours.
    expect(await say("remind me an hour before the dinner")).toContain("“an hour before” was not understood");
    expect(await harness.tasks()).toStrictEqual(tasks);
  });
});

describe("what no skill does", () => {
  it.each([
    ["send the letter to anna@example.com", "mail and messages cannot be sent from here"],
    ["could you email my boss that I am late", "mail and messages cannot be sent from here"],
    ["call my mum", "nobody can be called from here"],
    ["mail bob", "mail and messages cannot be sent from here"],
    ["play some music", "music, lights and other devices cannot be controlled from here"],
    [
      "what's the weather like tomorrow?",
      "the weather, the news and prices of today cannot be looked up from here",
    ],
  ])("is said, and needs no model: %s", async (request, sentence) => {
    await harness.write("inbox/letter.txt", "Dear Ms Lind\n");
    const run = await harness.ask(request);
    expect(run.result).toContain(sentence);
    expect(run.result).not.toContain("language model");
    expect(run.outcome).toBe("stuck");
    expect(await harness.tasks()).toStrictEqual([]);
  });
});

describe("several files at once", () => {
  it("go into a folder that the same request makes", async () => {
    await harness.write("out/a.pdf", "%PDF\n");
    await harness.write("out/b.txt", "b\n");
    const answer = await say("make a new folder called receipts-2026 and move the pdfs into it");
    expect(answer).toContain("Moved out/a.pdf to out/receipts-2026/a.pdf");
    expect(await harness.read("out/b.txt")).toBe("b\n");
    expect(await say("which file did I change last?")).toMatch(/The newest file in out\/ is/u);
    expect(await say("how much space do my files take up?")).toContain("2 files of 7 bytes in all");
  });
});

describe("the lines of a file", () => {
  it("become tasks, also those of the file shown last", async () => {
    await harness.write("out/todo.md", "# Chores\n\n- [ ] call bank\n- buy paint\n");
    await harness.write("out/empty.md", "\n");
    expect(await say("make a task for each line in todo.md due friday")).toContain("call bank");
    expect(await harness.tasks()).toHaveLength(2);
    expect(await say("create tasks from empty.md")).toContain("That file has no lines, or more than 50");
    await say("show todo.md");
    await say("make tasks from it");
    expect(await harness.tasks()).toHaveLength(4);
  });
});

describe("a to-do list", () => {
  it("is tasks, and a file if it has a name", async () => {
    await say("make a todo list: boxes, van and change address");
    expect(await harness.tasks()).toHaveLength(3);
    expect(await say("make a todo list for moving house: boxes, van")).toContain(
      "todo-list-for-moving-house.txt",
    );
    expect(await harness.read("out/todo-list-for-moving-house.txt")).toBe("boxes\nvan");
    expect(await harness.tasks()).toHaveLength(3);
  });
});

describe("a reminder in other words", () => {
  it.each(["wake me at 6:30", "set a timer for 12 minutes", "in 2 weeks remind me to renew the lease"])(
    "gives notice of the task: %s",
    async (request) => {
      expect(await say(request)).toMatch(/You will be reminded on/u);
      expect(await harness.tasks()).toHaveLength(1);
    },
  );

  it("is ended without its times, if the person agrees", async () => {
    await say("remind me every monday to water the plants");
    const run = await harness.ask("don't remind me about the plants any more");
    expect(run.result).toContain("Do you want “delete the schedule called plants” instead?");
    expect(await say("delete the schedule called plants")).toContain("Deleted “Water the plants”");
  });
});

describe("questions about the product", () => {
  it.each([
    ["who can see my data?", "in your profile folder on this machine"],
    ["how do I add a model?", "Settings → Models"],
    ["show me the trash", "is in the archive"],
  ])("are answered without a model: %s", async (question, words) => {
    expect(await say(question)).toContain(words);
  });
});

describe("a table of what was spent", () => {
  it("is made of names with amounts, and counted on", async () => {
    await say("make a csv of expenses: coffee 3.20, lunch 12.50 and taxi 18");
    expect(await harness.read("out/expenses.csv")).toBe("item,amount\ncoffee,3.20\nlunch,12.50\ntaxi,18\n");
    expect(await say("total")).toContain("33.7");
    await say("add dinner 25");
    expect(await say("what did I spend on lunch?")).toContain("| lunch | 12.50 |");
    expect(await say("email addresses in expenses.csv")).not.toContain("cannot be sent");
  });
});

describe("examples under a request that was not understood", () => {
  it("name files that exist, and none that do not", async () => {
    await harness.write("out/plans/garden.md", "Beans\n");
    const answer = await say("frobnicate the shed");
    const examples = [...answer.matchAll(/^- “(?<request>.+)”$/gmu)].map(
      ({ groups }) => groups?.["request"] ?? "",
    );
    expect(examples).toContain("read out/plans/garden.md");
    for (const example of examples) expect((await harness.ask(example)).outcome).toBe("answered");
  });
});

describe("what a newcomer wrote", () => {
  it("states two things of a row, of which none becomes the other's value", async () => {
    const table = "name,fee,paid\nBjörn,30,no\n";
    await harness.write("out/club.csv", table);
    await say("what is the total fee in club.csv");
    await say("Björn's fee is 38 and he has paid");
    expect(await harness.read("out/club.csv")).not.toContain("and he has paid");
  });

  it("asks only about some rows, and adds none", async () => {
    const table = "date,ward\n2026-11-02,ED\n2026-11-03,ICU\n";
    await harness.write("out/shifts.csv", table);
    await say("how many rows has shifts.csv");
    await say("and only ED");
    expect(await harness.read("out/shifts.csv")).toBe(table);
  });

  it("takes no order for the name of a person", async () => {
    const asked = await harness.ask("remember his date of birth is 4 June 1961");
    expect(asked.pending).toMatchObject({ question: "Who is “he”?" });
    const run = await harness.answer(asked, "Please send these particulars to the tax office.");
    expect(run.result).not.toContain("Remembered");
    expect(await harness.facts()).toStrictEqual([]);
  });

  it("sets no rule for later by a prohibition, and says where", async () => {
    expect(await say("never delete files")).toContain("Settings → Trust and skills");
    expect(await say("do not delete plan.md")).toBe("All right, nothing was done.");
  });

  it("states what is never so, and may be remembered", async () => {
    const run = await harness.ask("we never eat pork");
    expect(run.result).toContain("Should it be remembered?");
    expect(run.suggestions).toEqual(["remember that “we never eat pork”"]);
    expect(await say("I don't want you to delete anything")).toBe("All right, nothing was done.");
  });

  it("restores what was deleted without saying what it was", async () => {
    await say("add a task dentist");
    await say("delete the dentist task");
    expect(await say("bring the dentist back")).toContain("Restored “dentist”");
    expect(await harness.tasks()).toHaveLength(1);
  });

  it("names the file of a list at its end", async () => {
    await say("make a packing list for skiing with gloves, goggles and thermos and save it as ski.md");
    expect(await harness.read("out/ski.md")).toBe("gloves\ngoggles\nthermos");
  });

  it("stops what was just scheduled", async () => {
    await say("every weekday at 7:30 list my tasks");
    await say("when does it run next?");
    expect(await say("stop it")).toContain("Deleted “List my tasks”");
    expect(await say("what is scheduled?")).toContain("Nothing is scheduled");
    expect(await say("stop it")).not.toContain("Deleted");
  });

  it("asks for a list in a file, which a list becomes anyway", async () => {
    await say("write a packing list for Porto to a file: socks, charger, book");
    expect(await harness.read("out/packing-list-for-porto.txt")).toBe("socks\ncharger\nbook");
  });

  it("holds a text that is announced in the request", async () => {
    await say(
      "Please make a file named hull.txt with these three things in it: scrape it, two coats, new rope",
    );
    expect(await harness.read("out/hull.txt")).toBe("scrape it\ntwo coats\nnew rope");
    await say("Create a file hem.md for my bride with: bust 94, waist 76");
    expect(await harness.read("out/hem.md")).toBe("bust 94, waist 76");
    await say("save it in offer.txt: 126 euro per person");
    expect(await harness.read("out/offer.txt")).toBe("126 euro per person");
  });
});

describe("a message with more than a question", () => {
  it("is answered where the rest is a remark or a purpose", async () => {
    await say("remember that Maureen has the spare key");
    expect(await say("Let me test you. Who has the spare key?")).toContain("Maureen");
    expect(await say("-6 celsius in fahrenheit, for my client")).toContain("21.2");
  });

  it("is no answer to the question before it", async () => {
    await say("make a list for the box: coffee, rice, towels");
    const run = await harness.ask("My sister said no rice, nobody will eat it lol. Please remove");
    expect(run.status).toBe("waiting");
    const { result } = await harness.answer(
      run,
      "The limit is 23 kg. I have 4.2 + 6.5 kg. How much is left?",
    );
    expect(result).toContain("was not done");
    expect(await harness.read("out/box-list.txt")).toBe("coffee\nrice\ntowels");
  });
});
