import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Questions about tables, facts and what was done, reminders, and questions to the person, in plain words without a model.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("questions about the rows of a table", () => {
  beforeEach(async () => {
    await harness.write(
      "out/members.csv",
      "name,city,paid,joined\nGerda,Bergen,yes,2018\nOtto,Oslo,no,2021\n",
    );
    await harness.write("out/expenses.csv", "date,item,amount\n2026-05-03,shop,64\n2026-06-02,kiwi,31\n");
  });

  it.each([
    ["how many members have paid?", "1 of 2 rows in out/members.csv"],
    ["which members joined after 2020", "| Otto | Oslo | no | 2021 |"],
    ["which members are in Bergen?", "| Gerda | Bergen | yes | 2018 |"],
    ["who in members.csv has not paid", "| Otto | Oslo | no | 2021 |"],
    ["show me the rows in expenses.csv from may", "| 2026-05-03 | shop | 64 |"],
    ["how many members are purple", "I can't tell which rows of out/members.csv are “purple”"],
  ])("answers “%s”", async (question, answer) => {
    expect(await say(question)).toContain(answer);
  });

  it("follows up on the table that was shown", async () => {
    await say("how many entries are in members.csv");
    expect(await say("who hasnt paid yet")).toContain("| Otto |");
    expect(await say("and how many have paid?")).toContain("1 of 2 rows");
    await say("show me the rows in expenses.csv from may");
    expect(await say("only those from june")).toContain("| 2026-06-02 | kiwi | 31 |");
  });

  it("computes a figure from the rows that were shown, not from the whole table", async () => {
    await harness.write(
      "out/jobs.md",
      "| job | client | price |\n| --- | --- | --- |\n| roof | Lund | 450 |\n| fence | Moe | 180 |\n| gate | Lund | 320 |\n",
    );
    await say("show the rows for Lund in jobs.md");
    expect(await say("what is the sum of the prices?")).toContain("The sum of price in out/jobs.md is 770.");
    await say("which jobs in jobs.md cost less than 400");
    expect(await say("and how much is that in total?")).toContain("is 500.");
    await say("show jobs.md");
    expect(await say("and the total price?")).toContain("is 950.");
    await harness.write("out/work.csv", "job,client,price\nroof,Lund,450\nfence,Moe,180\ngate,Lund,320\n");
    await say("show the rows for Lund in work.csv");
    expect(await say("what is the sum of the prices?")).toContain("is 770.");
  });

  it("ticks an item of the checklist that was shown, and finds what is open", async () => {
    await harness.write("out/packing.md", "- [x] tent\n- [ ] stove\n- [ ] lamp\n");
    expect(await say("what is still open in packing.md?")).toContain("- stove\n- lamp");
    expect(await say("tick the stove")).toContain("Ticked “stove” in out/packing.md.");
    expect(await harness.read("out/packing.md")).toBe("- [x] tent\n- [x] stove\n- [ ] lamp\n");
  });
});

describe("facts about relatives", () => {
  it("answer a question with another word for them, and no question about others", async () => {
    await say("my sister Petra lives in Bergen, remember that");
    expect(await harness.facts()).toEqual(["my sister Petra lives in Bergen"]);
    expect(await say("where does my sibling live?")).toBe("My sister Petra lives in Bergen.");
    expect(await say("where does my brother live?")).toContain("Nothing in memory answers");
  });

  it("are corrected by a statement about the same subject", async () => {
    await say("remember that the boat is moored at berth 14");
    expect(await say("the boat is at berth 22 now")).toContain("is in the archive");
    expect(await say("where is the boat?")).toContain("berth 22");
  });
});

describe("what was done with a file", () => {
  it("is answered from the stored runs", async () => {
    await harness.write("out/budget.csv", "name,amount\nrent,850\n");
    expect(await say("what did you do with budget.csv?")).toContain("No stored request");
    await say("what is the sum of amount in budget.csv");
    expect(await say("what did you do with budget.csv")).toContain("Nothing was changed in “budget.csv”");
    await say("add food, 300 to budget.csv");
    expect(await say("what happened to budget.csv today")).toContain("Added a row to out/budget.csv");
  });
});

describe("a repeated reminder", () => {
  it("is set whether its days come first or last", async () => {
    expect(await say("remind me to take the bins out every thursday evening pls")).toContain(
      "every Thursday at 19:00",
    );
    expect(await say("remind me to water the plants each sunday")).toContain("every Sunday");
  });
});

describe("a task before something unsaid", () => {
  it.each([
    "make me a task to book the hall two weeks before that",
    "add a task to call Anna the day after that",
  ])("is not created by “%s”", async (request) => {
    await say(request);
    expect(await harness.tasks()).toEqual([]);
  });
});

describe("a message after an open question", () => {
  it.each([
    ["add a task to buy milk tomorrow", "Created the task"],
    ["no, remind me to buy milk on 4 December 2030", "Created the task"],
    ["list my tasks please", "No tasks."],
    ["what is 3 times 12?", "= 36"],
  ])("is done if all of it is a request: “%s”", async (request, done) => {
    const asked = await harness.ask("rename the file");
    expect(asked.pending).toMatchObject({ kind: "question", question: "Which file should be renamed?" });
    const ended = await harness.answer(asked, request);
    expect(ended.outcome).toBe("answered");
    expect(ended.result).toContain("The question was left open: “rename the file” was not done.");
    expect(ended.result).toContain(done);
  });

  it("needs the same approval as any request", async () => {
    await harness.write("out/bank.md", "Dear bank\n");
    const asked = await harness.ask("rename the file");
    await harness.profile.operator.answer(asked.id, "please delete out/bank.md");
    const { status, pending } = await harness.profile.operator.settled(asked.id);
    expect({ status, pending }).toMatchObject({ status: "waiting", pending: { kind: "approval" } });
    expect(await harness.read("out/bank.md")).toBe("Dear bank\n");
  });

  it.each(["ok email it to her", "ring him up", "laminate it for the wall", "send an email to Sana"])(
    "writes nothing for an order that cannot say what is meant: “%s”",
    async (reply) => {
      const asked = await harness.ask("save that in sana-balance.txt");
      expect(asked.pending).toMatchObject({ kind: "question", question: "What do you mean by “that”?" });
      const ended = await harness.answer(asked, reply);
      expect(ended.result).toContain("“save that in sana-balance.txt” was not done.");
      await expect(harness.read("out/sana-balance.txt")).rejects.toThrow("ENOENT");
    },
  );

  it("leaves one question after the other", async () => {
    const first = await harness.ask("rename the file");
    const second = await harness.answer(first, "delete my files");
    expect(second.status).toBe("waiting");
    const ended = await harness.answer(second, "add a task to buy milk");
    expect(ended.result).toContain("“delete my files” was not done.");
    expect(await harness.tasks()).toEqual(["buy milk"]);
  });

  it("corrects the fact that a question would have replaced", async () => {
    await say("remember that Clara's number is 040 111 2233");
    const asked = await harness.ask("her number is 040 777 1234");
    const ended = await harness.answer(asked, "no her number is 040 555 2212");
    expect(ended.outcome).toBe("answered");
    expect(await harness.facts()).toEqual(["Clara's number is 040 555 2212"]);
  });

  it.each(["no thanks, leave it as it is", "no, don't replace it"])("declines: “%s”", async (reply) => {
    await say("remember that Clara's number is 040 111 2233");
    await harness.answer(await harness.ask("her number is 040 777 1234"), reply);
    expect(await harness.facts()).toEqual(["Clara's number is 040 111 2233"]);
  });

  it.each([
    "lisää tehtävä ostaa maitoa huomenna",
    "füge eine neue aufgabe hinzu",
    "añade una tarea para mañana",
  ])("is no answer in another language: “%s”", async (request) => {
    const ended = await harness.answer(await harness.ask("rename the file"), request);
    expect(ended.result).toBe(
      "Without a language model only English is understood. “rename the file” was not done.",
    );
  });

  it.each([
    ["add a task", "paint the hull on 3 December 2030 at 14:00", /^paint the hull .*2030-12-03/u],
    ["remind me", "water the tomatoes on 4 December 2030 at 9", /^water the tomatoes .*2030-12-04/u],
  ])("reads the time in the answer to “%s”", async (request, answer, task) => {
    await harness.answer(await harness.ask(request), answer);
    expect(await harness.tasks()).toEqual([expect.stringMatching(task)]);
  });

  it("is the answer if any words are accepted", async () => {
    await harness.answer(await harness.ask("add a task"), "read the report of last year");
    expect(await harness.tasks()).toEqual(["read the report of last year"]);
  });

  it("is the answer if it chooses an option", async () => {
    await say("add a task to report for Lund");
    await say("add a task to report for Oslo");
    const asked = await harness.ask("mark the report task done");
    expect((await harness.answer(asked, "the one for Lund")).result).toContain(
      'Marked "report for Lund" as done.',
    );
  });
});

it.each([
  ["can u text my boss that I am late", "mail and messages cannot be sent"],
  ["Would you send her my thanks by email?", "mail and messages cannot be sent"],
  ["could you let Maria know I'm late", "mail and messages cannot be sent"],
  ["can you call the county office for me", "nobody can be called"],
  ["is it gonna rain on saturday?", "cannot be looked up"],
  ["book a table for two at Luigi's", "nothing can be ordered or booked"],
])("“%s” is told to be out of reach", async (request, sentence) => {
  expect(await say(request)).toContain(sentence);
});
