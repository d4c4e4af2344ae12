import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Orders and questions about a list, in the words of people who talk to somebody that has it in hand.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";
const conversation = async (...messages: string[]) => {
  let answer = "";
  for (const message of messages) answer = await say(message);
  return answer;
};

describe("a list that was just made", () => {
  const list = async () => (await harness.read("out/parts-list.txt")).split("\n");
  beforeEach(() => say("make a list parts: chains, brake pads, 3 inner tubes, rags, pump"));

  it("loses several items by one order, and gets several", async () => {
    await conversation("cross off the pump and the rags", "also 2 bottles of oil and a box of nipples");
    expect(await list()).toEqual([
      "chains",
      "brake pads",
      "3 inner tubes",
      "2 bottles of oil",
      "a box of nipples",
    ]);
    await conversation("take the chains and the brake pads off", "put the saddle and the bell on too");
    expect(await list()).toEqual(["3 inner tubes", "2 bottles of oil", "a box of nipples", "saddle", "bell"]);
  });

  it("has another amount of an item after “make the chains 12”", async () => {
    await conversation("make the chains 12", "make that five inner tubes");
    expect(await list()).toEqual(["12 chains", "brake pads", "five inner tubes", "rags", "pump"]);
  });

  it("is sorted, counted and shown without its name", async () => {
    await say("alphabetical please");
    expect(await list()).toEqual((await list()).toSorted());
    expect(await say("how many things stand upon it?")).toContain("5 items");
    expect(await say("where have you placed it?")).toContain("out/parts-list.txt");
  });

  it("loses what somebody else brings, and gets who a sentence names", async () => {
    await conversation("nvm the pump, Lars is bringing one", "my brother's got rags so we don't need those");
    expect(await list()).toEqual(["chains", "brake pads", "3 inner tubes"]);
  });

  it("has the other number of a line, in words, and not the word beside it", async () => {
    await say("add two tubes of glue");
    await say("it needs three tubes of glue now not two");
    expect((await list()).at(-1)).toBe("three tubes of glue");
  });

  it("is corrected in the line that was added last by its words with another one", async () => {
    await say("add a steel hook");
    await say("actually make it a steel ring, the hook is too wide");
    expect((await list()).at(-1)).toBe("a steel ring");
    await say("it was a long day");
    expect((await list()).at(-1)).toBe("a steel ring");
  });

  it("has another size of an item, which keeps its name", async () => {
    await say("add gloves size 9");
    await say("the gloves must be size 10");
    expect((await list()).at(-1)).toBe("gloves size 10");
  });

  it("gets what was forgotten", async () => {
    await say("Oh, and I almost forgot, the helmet too, if you would.");
    expect((await list()).at(-1)).toBe("helmet");
  });

  it("is corrected by both words, in any form", async () => {
    await conversation(
      "it's spokes not chains",
      "I said rags but I meant towels",
      "Exchange the pump for a compressor.",
    );
    expect(await list()).toEqual(["spokes", "brake pads", "3 inner tubes", "towels", "compressor"]);
  });

  it("stays as it is where a sentence only mentions its items", async () => {
    const before = await list();
    for (const remark of [
      "I do not like rags, Tom brings towels",
      "should I take the pump off?",
      "if it rains take the pump off",
      "the pump was expensive",
      "we have no rags",
      "we need to talk",
      "we need more time",
      "write to my mother",
      "I forgot my umbrella at work",
    ])
      await say(remark);
    expect(await list()).toEqual(before);
  });

  it("gets both of two orders in one message, or neither", async () => {
    await say("swap rags for cloths and take the pump off");
    expect(await list()).toEqual(["chains", "brake pads", "3 inner tubes", "cloths"]);
    await say("swap cloths for towels and put the chains at the top");
    expect(await list()).not.toContain("towels and put the chains at the top");
  });
});

describe("a log whose lines begin with a time", () => {
  it("gets further lines, and their correction", async () => {
    await harness.write("out/watch.txt", "21:40 gate 3 left open\n23:05 lamp out on deck 2\n");
    await conversation("read watch.txt", "add 02:15 buoy 7 adrift again", "it was buoy 9");
    expect(await harness.read("out/watch.txt")).toMatch(/deck 2\n02:15 buoy 9 adrift again\n?$/u);
    expect(await say("last line?")).toContain("buoy 9");
  });
});

describe("a note with its items in one line", () => {
  it("loses one of them, and has another amount of one", async () => {
    await say("write me a note dough.md with: 500 g corn flour, 300 g wheat flour, 12 g salt");
    await say("12 g salt is too much, make that 9 g");
    expect(await harness.read("out/dough.md")).toBe("500 g corn flour, 300 g wheat flour, 9 g salt");
    await say("corn flour we have at home, remove");
    expect(await harness.read("out/dough.md")).not.toContain("corn");
  });
});
