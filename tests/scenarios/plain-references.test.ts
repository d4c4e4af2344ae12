import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Requests without a model whose words refer to files, tasks or values, and the questions about them.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("all files of a kind", () => {
  beforeEach(async () => {
    for (const path of ["out/data/a.log", "out/data/b.log", "out/data/c.txt", "out/logs/d.log"])
      await harness.write(path, path);
  });

  it("are moved to another folder, and no other file is", async () => {
    await say("move all the .log files in out/data to out/logs");
    expect(await say("list out/logs")).toMatch(/a\.log[^]*b\.log[^]*d\.log/u);
    expect(await say("list out/data")).toContain("c.txt");
    expect(await say("list out/data")).not.toContain(".log");
  });

  it("are moved from everywhere but from where they are to be", async () => {
    await say("move all my log files to logs");
    expect(await say("list out/logs")).toMatch(/a\.log[^]*b\.log[^]*d\.log/u);
  });

  it("are deleted only after a yes to their names", async () => {
    const asked = await harness.ask("delete all the log files in out/data");
    expect(asked.pending).toMatchObject({
      kind: "question",
      question: "Delete these files? “out/data/a.log”, “out/data/b.log”",
    });
    await harness.answer(asked, "No");
    expect(await say("list out/data")).toContain("a.log");
  });

  it.each([
    [
      "a setting",
      { skillOverrides: { fs_delete: "never" } },
      "Your settings never allow fs_delete. You can change this under Settings → Trust and skills.",
    ],
    ["the trust level", { trustLevel: "observe" }, "the operator can only read."],
  ] as const)("are refused at once, without a question, if %s forbids it", async (_, settings, reason) => {
    await harness.profile.store.changeSettings(settings);
    const refused = await harness.ask("delete all the log files in out/data");
    expect(refused).toMatchObject({ status: "ended", outcome: "stuck" });
    expect(refused.result).toContain(reason);
    // One call shows that it is forbidden; the others are not tried.
    expect(refused.scratchpad.filter(({ action }) => action?.tool === "fs_delete")).toHaveLength(1);
    expect(await harness.read("out/data/a.log")).toBe("out/data/a.log");
  });
});

describe("words that fit several files", () => {
  it("are asked about, and the chosen file is meant", async () => {
    await harness.write("out/leases/lease-12A.txt", "ground floor");
    await harness.write("out/leases/lease-14C.txt", "top floor");
    const asked = await harness.ask("show the lease");
    expect(asked.pending).toMatchObject({
      kind: "question",
      options: ["out/leases/lease-12A.txt", "out/leases/lease-14C.txt"],
    });
    expect((await harness.answer(asked, "the second one")).result).toContain("top floor");
  });
});

describe("a word that refers to nothing", () => {
  it("is asked about, and the answer takes its place", async () => {
    await harness.write("out/old.txt", "worn");
    const asked = await harness.ask("read it");
    expect(asked.pending).toMatchObject({ kind: "question", question: "What do you mean by “it”?" });
    expect((await harness.answer(asked, "out/old.txt")).result).toContain("worn");
  });

  it("changes nothing if nothing is meant", async () => {
    await say("add a task to buy milk");
    harness.startConversation();
    const ended = await harness.answer(await harness.ask("mark it as done"), "nothing");
    expect(ended.result).toBe("All right, nothing was changed.");
  });
});

describe("a question about a day", () => {
  it("is answered by a task if nothing is remembered", async () => {
    await say("add a task: dentist appointment due 2031-03-04");
    expect(await say("when is my dentist appointment?")).toContain("“dentist appointment” is due");
    expect(await say("when is my boat trip?")).not.toContain("is due");
  });
});

describe("a value in the place of another one", () => {
  it("takes the place of what follows the same word in a question", async () => {
    expect(await say("what is 15 % of 80")).toContain("12");
    expect(await say("and of 200?")).toContain("30");
  });

  it("is one more for another item", async () => {
    await say("add a task to buy milk");
    await say("oh and one for eggs too");
    expect((await harness.tasks()).toSorted()).toEqual(["buy eggs", "buy milk"]);
  });

  it("is the text alone in a correction of a text", async () => {
    await say("create memo.txt with the text first version");
    await say("I am sorry, I meant the text second version");
    expect(await say("read memo.txt")).toMatch(/```\nsecond version\n```/u);
  });
});

describe("a letter of the conversation", () => {
  beforeEach(async () => {
    await say("write a letter to Will Petty: Dear Will, it costs 175 pounds.");
    await say("write a letter to Jane Moss: Dear Jane, it costs 90 pounds.");
  });

  it.each(["show me the letter to will petty", "will's letter", "read the letter for Will"])(
    "is shown after “%s”",
    async (request) => {
      expect(await say(request)).toContain("Dear Will");
    },
  );

  it("is changed under the name of who gets it", async () => {
    await say("change 175 to 180 in the letter for will");
    expect(await harness.read("out/will-petty-letter.txt")).toContain("180 pounds");
  });
});

it("“there” is the folder that was just made, and “the same” goes on with another file", async () => {
  await harness.write("out/loans.csv", "cell,title\n");
  await harness.write("out/overdue.csv", "cell,title\n");
  await say("make a folder closed");
  await say("Move loans.csv there.");
  await say("Same with overdue.csv.");
  expect(await harness.read("out/closed/loans.csv")).toBe("cell,title\n");
  expect(await harness.read("out/closed/overdue.csv")).toBe("cell,title\n");
});

it("a remembered fact is corrected by its wrong and its right word", async () => {
  await say("remember that aisha reacts to clove oil");
  await say("it's eucalyptus not clove, I got it wrong");
  expect(await harness.facts()).toEqual(["aisha reacts to eucalyptus oil"]);
});

it("a plain fact is offered to memory, and nothing is stored before", async () => {
  const run = await harness.ask("jess is allergic to nuts");
  expect(run.result).toContain("Should it be remembered?");
  expect(await harness.facts()).toEqual([]);
});

it("“bring it back” means what is gone, whatever is said before it", async () => {
  await say("write in owed.txt: Nolan owes 85");
  await say("He paid. Delete it.");
  await say("Ah no, the cheque bounced. Bring it back.");
  expect(await harness.read("out/owed.txt")).toBe("Nolan owes 85");
});
