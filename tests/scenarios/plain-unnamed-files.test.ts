import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// A question whose answer is in a file that it does not name, without a model.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("a question that names no file", () => {
  it("is answered by the line that has its words, in any form", async () => {
    await harness.write(
      "inbox/parish.txt",
      "Hello,\n\nthe heating of the chapel is on from 13:00.\n\nParish\n",
    );
    await harness.write("out/walks.md", "- to the chapel and back\n");
    const answer = await say("when is the chapel heated?");
    expect(answer).toContain("From “inbox/parish.txt”:");
    expect(answer).toContain("> the heating of the chapel is on from 13:00.");
    expect(answer).not.toContain("walks");
  });

  it("is answered by the text that is about what it names", async () => {
    await harness.write("out/leases/1.txt", "Tenant: Mona Diaz\n\nNotice period: two months\n");
    await harness.write("out/leases/2.txt", "Tenant: Ivo Brandt\n\nNotice period: six weeks\n");
    const answer = await say("how long is Mona's notice period?");
    expect(answer).toContain("From “out/leases/1.txt”:");
    expect(answer).toContain("> Notice period: two months");
    expect(answer).not.toContain("six weeks");
  });

  it("is answered by the section under a heading, and by the rows of a table", async () => {
    await harness.write("out/gala.md", "# Summer gala\n\n## Dress code\n\nDark suits.\n\n## Food\n\nSoup.\n");
    expect(await say("what dress code does the gala have?")).toContain("> Dark suits.");
    await harness.write("out/crew.csv", "name,role,regatta\nAnn,cook,yes\nBo,skipper,no\nCy,skipper,yes\n");
    const rows = await say("which skippers sail in the regatta?");
    expect(rows).toContain("| Cy | skipper | yes |");
    expect(rows).not.toContain("cook");
  });

  it("may be a figure, a noun, or about a task that is none", async () => {
    await harness.write("out/catch.csv", "boat,day,crates\nMary,Mon,4\nMary,Tue,6\nRose,Mon,3\n");
    expect(await say("total crates for Mary")).toContain("is 10, for “Mary”");
    expect(await say("and Rose?")).toContain("is 3, for “Rose”");
    await harness.write("out/harbour.md", "Ask Lund for the winch.\n\nThe crane is checked on 4 May.\n");
    expect(await say("Lund's winch")).toContain("> Ask Lund for the winch.");
    expect(await say("when do I have the crane checked")).toContain("> The crane is checked on 4 May.");
  });

  it("counts what the question before asked for", async () => {
    await harness.write("out/loans.csv", "item,state\nsaw,lent\ndrill,lent\nladder,kept\n");
    expect(await say("which loans are kept")).toContain("| ladder | kept |");
    expect(await say("how many are those?")).toContain("1 of 3 rows");
  });

  it("names the files if several have as many of its words", async () => {
    await harness.write("out/a.md", "The boiler inspection costs 90.\n");
    await harness.write("out/b.md", "The boiler inspection is in May.\n");
    const run = await harness.ask("who does the boiler inspection?");
    expect(run.result).toContain("Several files have “boiler”, “inspection”:");
    expect(run.result).toContain("- out/a.md: The boiler inspection costs 90.");
    expect(run.result).toContain("- out/b.md: The boiler inspection is in May.");
    expect(run.suggestions).toEqual(["show out/a.md", "show out/b.md"]);
  });

  it("is not answered by a file that has only one of its words, or only words of every question", async () => {
    await harness.write("out/plan.md", "What people need next week is a good boat.\n");
    expect(await say("how many people need the plumber next week?")).toContain("Nothing in memory answers");
    expect(await say("what colour is the boat?")).toContain("Nothing in memory answers");
  });

  it("is answered from memory first", async () => {
    await harness.write("out/codes.md", "The code of the garage gate is 1111.\n");
    await say("remember that the code of the garage gate is 2222");
    const answer = await say("what is the code of the garage gate?");
    expect(answer).toContain("2222");
    expect(answer).not.toContain("1111");
  });

  it("says what it found if a file has only a part of it", async () => {
    await harness.write("out/notes.md", "The tuner of the piano comes in March.\n");
    const answer = await say("what does the piano tuner charge for Sundays?");
    expect(answer).toContain(
      "No file answers all of this. Nearest, with “piano”, “tuner”, is “out/notes.md”:",
    );
  });
});

describe("a request about a file that is attached to it", () => {
  const FEES = "name,paid,fee\nMaija Virtanen,no,20\nPekka Aalto,yes,20\nSinikka Laine,no,20\n";

  it.each([
    ["who has not paid?", "Sinikka Laine"],
    ["who still owes us", "Maija Virtanen"],
    ["which members have not paid", "Maija Virtanen"],
    ["sum the fee column", "60"],
    ["how many members are there?", "3"],
  ])("is answered from that file: %s", async (words, expected) => {
    await harness.write("inbox/fees.csv", FEES);
    await harness.write("out/other.csv", "name,paid\nNobody,no\n");
    const answer = await say(`in inbox/fees.csv: ${words}`);
    expect(answer).toContain(expected);
    expect(answer).not.toContain("Nobody");
  });

  it("is understood for a name with spaces", async () => {
    await harness.write("inbox/fees of 2026.csv", FEES);
    expect(await say('in "inbox/fees of 2026.csv": who has not paid?')).toContain("Maija Virtanen");
  });
});
