import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// What people wrote who used it for the first time.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("tasks in one message", () => {
  it("have their own dates, and one date at the end is that of all", async () => {
    await say(
      "add tasks for me: order mooring ropes by 10 December 2099, ask the town about the crane, close the books by 15 January 2099",
    );
    expect((await harness.tasks()).toSorted()).toEqual([
      "ask the town about the crane",
      "close the books (2099-01-15)",
      "order mooring ropes (2099-12-10)",
    ]);
    harness.startConversation();
    await say("add tasks: buy rope, paint hull on 3 March 2099");
    expect((await harness.tasks()).filter((task) => task.includes("2099-03-03"))).toHaveLength(2);
  });
});

describe("what is said of an open task", () => {
  it.each([
    "The task wash the van isnt that urgent any more. Set it to low priority.",
    "the task wash the van is less pressing now, make it low priority",
    "The task wash the van doesn't matter much. Give it low priority please",
  ])("is no title of a new one: %s", async (order) => {
    await say("add a task to wash the van, high priority");
    harness.startConversation();
    const run = await harness.ask(order);
    if (run.status === "waiting") await harness.answer(run, "yes");
    expect(await harness.tasks()).toHaveLength(1);
    expect(await say("list my tasks")).toMatch(/wash the van \|[^|]*\| low/u);
  });

  it.each([
    "The task wash the van is urgent if it rains, set it to low priority",
    "delete the list and create another task: sweep",
    "remove Ben from the club and add a new task: call him",
    "delete them and add a new task, sweep",
  ])("is not changed or deleted by a condition or an order about something else: %s", async (order) => {
    for (const title of ["wash the van", "write the packing list", "ask Ben from the club for his boat"])
      await say(`add a task: ${title}, high priority`);
    harness.startConversation();
    await harness.ask(order);
    expect((await harness.tasks()).toSorted()).toEqual([
      "ask Ben from the club for his boat",
      "wash the van",
      "write the packing list",
    ]);
  });

  it.each(["task do the laundry", "task: do the taxes"])("may begin with “do”: %s", async (order) => {
    await say(order);
    expect(await harness.tasks()).toEqual([order.replace(/^task:? /u, "")]);
  });

  it("lists its fields with their names", async () => {
    await say("high prio task, due 2099-11-30, title: call the insurer");
    expect(await harness.tasks()).toEqual(["call the insurer (2099-11-30)"]);
  });
});

describe("the result of a calculation", () => {
  it.each(["just", "only"])("is what %s the result means", async (word) => {
    await say(`work out 14 * 14 and write ${word} the result to out/area.txt`);
    expect((await harness.read("out/area.txt")).trim()).toBe("196");
  });
});

describe("a new file of data", () => {
  it("has no data that only describes it", async () => {
    await say("make a json file out/a.json with user data and order history");
    await expect(harness.read("out/a.json")).rejects.toThrow("ENOENT");
  });
  it("has rows that begin with a name like a verb", async () => {
    await say("make a table out/a.csv with columns name, age; Mark Twain, 74; Al, 5");
    expect(await harness.read("out/a.csv")).toBe("name,age\nMark Twain,74\nAl,5\n");
  });
});

describe("an order to undo", () => {
  it.each(["remind me tomorrow: bring it back", "new task, put it back", "add a task: undo the lacing"])(
    "takes a task away whose own words sound like one: %s",
    async (order) => {
      await say("add a task to buy milk");
      await say("add a task to buy eggs");
      await say(order);
      expect(await harness.tasks()).toHaveLength(3);
      await say("undo that");
      expect((await harness.tasks()).toSorted()).toEqual(["buy eggs", "buy milk"]);
    },
  );
});

describe("a list and its figures", () => {
  it("stay as they are where a few words could mean all of it", async () => {
    await say("make an order list: shallots, butter, cream");
    await say("no cream");
    expect(await harness.read("out/order-list.txt")).toMatch(/shallots\nbutter/u);
    await harness.write(
      "out/expenses.md",
      "| item | cost |\n| --- | --- |\n| toner | 119 |\n| paper | 55 |\n",
    );
    await say("read expenses.md");
    await say("Toner was 109.");
    expect(await harness.read("out/expenses.md")).toMatch(/\| toner \| 1[01]9 \|/u);
  });

  it("are found by the words for a letter, and get rows after the name of the file", async () => {
    await harness.write(
      "inbox/letter-from-council.txt",
      "Dear resident,\n\nThe tree survey is on 9 December.\n",
    );
    await harness.write("inbox/letter-from-school.txt", "Dear parent,\n\nBring a lunch.\n");
    expect(await say("Could you read me the letter from the council, please?")).toContain("tree survey");
    await harness.write("out/engine.csv", "date,side,hours\n2026-11-20,port,1220\n");
    await say("put in engine.csv 2026-11-27, port, 1231");
    expect(await harness.read("out/engine.csv")).toContain("2026-11-27,port,1231");
    expect(await say("remind me in every second Sunday at 11 to check the traps")).toContain(
      "Check the traps",
    );
  });
});

describe("words of a text", () => {
  it("are changed without the words for the place, and minutes are saved as they are", async () => {
    await say('write "Please pay by 15 December." to letter.md');
    await say("change 15 December to 20 December in that letter");
    expect(await harness.read("out/letter.md")).toBe("Please pay by 20 December.");
    await say("save these minutes as minutes.md:\nPresent: Irja\n- ask the town");
    expect(await harness.read("out/minutes.md")).toBe("Present: Irja\n- ask the town");
  });

  it("lose what is not needed", async () => {
    await say("start a shopping list with paper plates, cups");
    await say("we need no paper plates, Birgit has some");
    expect(await harness.read("out/shopping-list.txt")).toBe("cups");
    await say("please do not touch the boat");
    expect(await say("why did you do that?")).toContain("No step was taken for it.");
  });
});

describe("a denied undo", () => {
  it("ends the request, and nothing else is undone", async () => {
    await say("create a file mast.txt with the text old mast");
    const denied = await harness.ask("undo that", "deny");
    expect(denied.status).toBe("ended");
    expect(await harness.read("out/mast.txt")).toBe("old mast");
    await say("replace old with new in mast.txt");
    await harness.ask("undo that", "deny");
    expect(await harness.read("out/mast.txt")).toBe("new mast");
  });
});

describe("names without quotation marks", () => {
  it("are those of folders of several words or one letter", async () => {
    await harness.write("out/club.csv", "name,fee,paid\nEva,20,yes\n");
    await say("make a folder called club stuff");
    await say("put club.csv into the club stuff folder");
    expect(await harness.read("out/club-stuff/club.csv")).toContain("Eva");
    expect(await say("create three folders: a, b and c")).toMatch(/out\/a\/[^]*out\/b\/[^]*out\/c\//u);
  });

  it("are cells in their place, also in a table without rows", async () => {
    await say("create a table dues.csv with name, amount, paid");
    await say("add Irja 40 yes");
    await say("add Pentti 40 no");
    expect(await harness.read("out/dues.csv")).toBe("name,amount,paid\nIrja,40,yes\nPentti,40,no\n");
    expect(await say("add November food 12 to dues.csv")).toContain("It is not clear in which column");
  });
});

describe("what a newcomer says", () => {
  it("goes on after a change of a time, and renames under a bare name", async () => {
    await say("remind me to call the marina tomorrow at 10");
    await say("make it 11");
    expect(await say("and also remind me to bring the papers")).toContain("bring the papers");
    await say("make a shopping list: milk, bread");
    await say("rename it to groceries");
    expect(await harness.read("out/groceries.txt")).toBe("milk\nbread");
    await say("delete it");
    await say("bring it back");
    expect(await harness.read("out/groceries.txt")).toBe("milk\nbread");
  });

  it("sets an alarm, and is called by a name", async () => {
    expect(await say("set an alarm for 7am")).toMatch(/“alarm”|"alarm"/u);
    expect(await say("call me Irja")).toContain('Remembered: "my name is Irja"');
    expect(await say("what's my name?")).toContain("Irja");
    expect(await say("call me back")).not.toContain("Remembered");
  });

  it("asks for the history of a file, its earlier version and the number of files", async () => {
    await harness.write("out/rota.md", "Monday: Ola\n");
    await say("replace Ola with Eva in rota.md");
    expect(await say("show the history of rota.md")).toContain("Replaced “Ola” with “Eva”");
    expect(await say("what changed in rota.md")).toContain("Replaced “Ola” with “Eva”");
    expect(await say("count how many files I have")).toContain("1 file");
    await say("delete rota.md");
    await say("restore the previous version of rota.md");
    expect(await harness.read("out/rota.md")).toContain("Monday");
    await harness.write("out/guests.txt", "Pekka\nMette\n");
    await say("add Liisa to guests.txt before Mette");
    expect(await harness.read("out/guests.txt")).toBe("Pekka\nLiisa\nMette\n");
  });
});

describe("an order for several tasks, or for what comes before them", () => {
  it("moves two tasks to two days, each in the month in which it is due", async () => {
    await say("add a task to order ropes by 10 December 2030");
    await say("add a task to close the books by 15 January 2031");
    const moved = await say("push the ropes to the 12th and the books to the 20th");
    expect(moved).toContain("2030-12-12");
    expect(moved).toContain("Before: due 2031-01-15");
    expect((await harness.tasks()).toSorted()).toEqual([
      "close the books (2031-01-20)",
      "order ropes (2030-12-12)",
    ]);
  });

  it("corrects the day of a task, and no memory", async () => {
    await say("add a task to send the letter by 5 December 2030");
    await say("Correction: the letter is due on 7 December 2030.");
    expect(await harness.tasks()).toEqual(["send the letter (2030-12-07)"]);
  });

  it("sets a reminder before another one, and before an event that is named", async () => {
    await say("remind me on 14 December 2030 at 10 to visit Olaf");
    await say("and the week before order the oil");
    await say("and a day before the press night on 11 December 2030 to order flowers");
    expect((await harness.tasks()).toSorted()).toEqual([
      "order flowers (2030-12-10)",
      "order the oil (2030-12-07)",
      "visit Olaf (2030-12-14T10:00:00.000Z)",
    ]);
  });

  it("makes a task with the words behind the colon", async () => {
    await say("add a task for the press night on 11 December 2030");
    await say("ok then make a task for it on 9 December 2030: message Paulo");
    expect(await harness.tasks()).toContain("message Paulo (2030-12-09)");
  });

  it("deletes what is not needed any more, whatever the reason says", async () => {
    await say("remind me to fetch the boots on 6 December 2030 at 17:00");
    await say("I shan't need that reminder any more, my son will fetch them");
    expect(await harness.tasks()).toEqual([]);
  });

  it.each(["I shan't need that reminder if my son fetches them", "I don't need any help with the boots"])(
    "deletes nothing for “%s”",
    async (request) => {
      await say("remind me to fetch the boots on 6 December 2030 at 17:00");
      await say(request);
      expect(await harness.tasks()).toHaveLength(1);
    },
  );
});

describe("an order for a reminder that it names", () => {
  const whenOf = async (title: string): Promise<string | undefined> => {
    const { items } = await harness.profile.schedules.list({ limit: 20 });
    const found = items.find((item) => item.title === title);
    return found?.when.kind === "cron" ? found.when.expression : undefined;
  };

  it("changes that reminder, however many there are, and none that is not named", async () => {
    await say("remind me every monday at 8 to call the baker");
    await say("remind me every day at 17:00 to lock the shed");
    const shed = await whenOf("Lock the shed");
    await say("make the baker one 9 oclock");
    expect(await whenOf("Call the baker")).toBe("0 9 * * 1");
    await say("list my reminders");
    await say("move the baker reminder to 10");
    expect(await whenOf("Call the baker")).toBe("0 10 * * 1");
    await say("move the dentist reminder to 11");
    await say("make the dentist one 2 oclock");
    await say("move the pharmacy reminder to half past five");
    expect(await whenOf("Lock the shed")).toBe(shed);
    expect(await whenOf("Call the baker")).toBe("0 10 * * 1");
  });

  it("moves the task of the reminder with it", async () => {
    await say("remind me on 6 December 2030 at 10 to call the baker");
    await say("remind me every day at 17:00 to lock the shed");
    await say("list my reminders");
    await say("move the baker reminder to 11");
    expect(await harness.tasks()).toEqual(["call the baker (2030-12-06T11:00:00.000Z)"]);
  });

  it("goes on with another reminder", async () => {
    await say("remind me on 6 December 2030 at 10 to call the baker");
    expect(await say("and on 5 December 2030 at 14:00 to renew the licence for the van")).toContain(
      "You will be reminded on 2030-12-05 14:00.",
    );
  });

  it.each([
    [
      "every day at quarter past six remind me to close the gate but not on saturdays",
      "Close the gate",
      "15 18 * * 0,1,2,3,4,5",
    ],
    [
      "remind me every weekday at 7, but not on fridays, to feed the hens",
      "Feed the hens",
      "0 7 * * 1,2,3,4",
    ],
    ["remind me every day at 9 except sundays to air the hall", "Air the hall", "0 9 * * 1,2,3,4,5,6"],
  ])("leaves out the days that it excludes: “%s”", async (request, title, expression) => {
    await say(request);
    expect(await whenOf(title)).toBe(expression);
  });
});

describe("facts about persons", () => {
  it.each(["ring ms adeyemi on 6 December 2030, note that", "what is Ms Adeyemi's number?"])(
    "are about the one who was spoken of, also by a title: “%s”",
    async (before) => {
      await say("remember that Tom lives at 5 Mill Lane");
      await say(before);
      const { pending } = await harness.ask("she lives at 22 Park Road");
      expect(JSON.stringify(pending ?? {})).not.toContain("Tom");
      expect(await harness.facts()).toContain("Tom lives at 5 Mill Lane");
    },
  );

  it("are one fact without such a name", async () => {
    await say("remember that Leila likes tea and Tom likes the lake, rain or shine");
    expect(await harness.facts()).toHaveLength(1);
  });
});

describe("what several things may be", () => {
  it("asks which schedule of a list “it” is", async () => {
    await say("every sunday at 6pm remind me to water the plants");
    await say("every friday at 4pm remind me to call Piotr");
    await say("what is scheduled");
    const { pending } = await harness.ask("cancel it");
    expect(pending).toMatchObject({ kind: "question" });
    expect((await harness.profile.schedules.list({ limit: 10 })).items).toHaveLength(2);
  });
});

describe("a list that is named without “list”", () => {
  it.each([
    ["start a packing list: tent, rope", "add stove to packing", "out/packing-list.txt"],
    ['new note "trip": tent, rope', "put stove on the trip", "out/trip-note.txt"],
  ])("after “%s” takes “%s”", async (start, order, path) => {
    await say(start);
    await say(order);
    expect(await harness.read(path)).toMatch(/(?:^|\n)stove\n?$/u);
  });

  it("needs all words of its name", async () => {
    await say("start a packing list for trains: tent, rope");
    await say("add stove to trains");
    expect(await harness.read("out/packing-list-for-trains.txt")).not.toMatch(/\nstove\n?$/u);
  });
});

it("writes down what was said, without “that”", async () => {
  await say("note in diary.md that I ran 5 km");
  await say("jot down in diary.md that it rained");
  expect(await harness.read("out/diary.md")).toBe("I ran 5 km\nit rained");
});

it.each([
  "frobnicate the widgets and add a task to oil the hinges",
  "delete the old one and add a task to oil the hinges",
  "delete the old one, add a task to oil the hinges",
])("does no half of two orders without asking: “%s”", async (request) => {
  const { result = "" } = await harness.ask(request);
  expect({ result, tasks: await harness.tasks() }).toMatchObject({ tasks: [] });
});

it("adds a task whose reason stands before it", async () => {
  await say("the door squeaks terribly, pls add a task to oil the hinges");
  expect(await harness.tasks()).toEqual(["oil the hinges"]);
});
