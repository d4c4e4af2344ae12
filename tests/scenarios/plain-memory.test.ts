import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainStage, type PlainStage } from "../support/plain-stage.ts";

// Facts are stated, asked for, corrected and forgotten in plain words, without a model.

let stage: PlainStage;
beforeEach(async () => {
  stage = await openPlainStage();
});
afterEach(() => stage.close());

const say = async (goal: string) => (await stage.ask(goal)).result ?? "";

describe("a forgotten fact", () => {
  it.each([
    ["the safe code is 9911", "what is the safe code", "forget the safe code", "9911"],
    ["Bob's birthday is on 4 May", "when is Bob's birthday?", "forget Bob's birthday", "4 May"],
    ["the spare key hangs behind the shed", "where is the spare key?", "forget the spare key", "shed"],
  ])("%j is neither recalled nor found in its conversations", async (fact, question, forget, secret) => {
    expect(await say(`remember that ${fact}`)).toContain(secret);
    expect(await say(question)).toContain(secret);
    expect(await say(forget)).toContain("Forgot");
    expect(await say(question)).not.toContain(secret);
    stage.startConversation();
    expect(await say(question)).not.toContain(secret);
    const recalled = await stage.profile.memory.recall({ query: `${question} ${secret}` });
    expect(recalled.filter(({ memory }) => memory.content.includes(secret))).toEqual([]);
  });

  it("is recalled again after “undo that”, with its conversations", async () => {
    await say("remember that the safe code is 9911");
    await say("what is the safe code");
    await say("forget the safe code");
    await say("undo that");
    expect(await say("what is the safe code")).toContain("9911");
    const { items } = await stage.profile.memory.list({ types: ["conversation"], query: "9911 ", limit: 20 });
    expect(items.length).toBeGreaterThan(1);
  });

  it("is restored by its words, although its conversations contain them, too", async () => {
    await say("remember that the safe code is 9911");
    await say("what is the safe code");
    await say("forget the safe code");
    expect(await say("restore the memory about safe code")).toContain("Restored");
    expect(await stage.facts()).toEqual(["the safe code is 9911"]);
  });
});

describe("a statement that contradicts a memory", () => {
  it.each([
    ["the boat is at berth 14", "the boat is at berth 22 now", "the boat is at berth 22"],
    ["the boat is at berth 14", "actually the boat is at berth 22", "the boat is at berth 22"],
    ["my sister Petra lives in Bergen", "Petra lives in Oslo now", "my sister Petra lives in Oslo"],
    ["the garage code is 4711", "by the way, the garage code is now 4712", "the garage code is 4712"],
    ["our choir meets on Tuesday", "our choir meets on Thursday from now on", "our choir meets on Thursday"],
    ["the rent costs 900 euros", "the rent costs 950 euros these days", "the rent costs 950 euros"],
  ])("asks, replaces it, and “undo that” brings it back: %j, %j", async (fact, statement, corrected) => {
    await say(`remember that ${fact}`);
    stage.startConversation();
    const asked = await stage.ask(statement);
    expect(asked.pending).toMatchObject({
      question: `“${fact}” is remembered. Should “${corrected}” replace it?`,
      options: ["Replace it", "Remember both", "No"],
    });
    const ended = await stage.answer(asked, "Replace it");
    expect(ended.learnedFunction).toBeUndefined();
    expect(await stage.facts()).toEqual([corrected]);
    await say("undo that");
    expect(await stage.facts()).toEqual([fact]);
  });

  it("keeps both, or changes nothing", async () => {
    await say("remember that the boat is at berth 14");
    await stage.answer(await stage.ask("the boat is at berth 22 now"), "No");
    expect(await stage.facts()).toEqual(["the boat is at berth 14"]);
    await stage.answer(await stage.ask("the boat is at berth 22 in winter"), "Remember both");
    expect((await stage.facts()).toSorted()).toEqual([
      "the boat is at berth 14",
      "the boat is at berth 22 in winter",
    ]);
  });

  it.each(["our dentist is Dr. Berg", "the cat is at the vet"])(
    "needs no question if there is no similar memory: %j",
    async (statement) => {
      await say("remember that the boat is at berth 14");
      expect(await say(statement)).toContain("Should it be remembered?");
    },
  );
});

describe("a statement about “she”, “he” or “her”", () => {
  it("is remembered under the name of the request before", async () => {
    await say("what do you know about Ines?");
    expect(await say("she works in Porto since May, remember that")).toContain("“she” was taken as “Ines”.");
    expect(await stage.facts()).toEqual(["Ines works in Porto since May"]);
    stage.startConversation();
    await say("where does my brother live?");
    await say("remember that his door code is 4410");
    expect((await stage.facts()).toSorted()).toEqual([
      "Ines works in Porto since May",
      "my brother's door code is 4410",
    ]);
    const { items } = await stage.profile.memory.list({ types: ["observation"], limit: 9 });
    expect(items.map(({ trust }) => trust)).toEqual(["trusted", "trusted"]);
  });

  it("asks who it is if the request before names nobody, or several", async () => {
    const asked = await stage.ask("remember that he drives a red van");
    expect(asked.pending).toMatchObject({ question: "Who is “he”?" });
    await stage.answer(asked, "Viktor");
    expect(await stage.facts()).toEqual(["Viktor drives a red van"]);
    await say("what do you know about Tom and Ida?");
    expect((await stage.ask("her birthday is 3 May, remember that")).pending).toMatchObject({
      question: "Who is “she”?",
    });
  });

  it("is offered for memory with the name", async () => {
    await say("what do you know about Ines?");
    const run = await stage.ask("she has a small dog");
    expect(run.suggestions).toContain("remember that “Ines has a small dog”");
  });
});

describe("a question that memory does not answer", () => {
  it("is not answered with a conversation about it", async () => {
    const first = await say("what is my garage code");
    expect(await say("what is my garage code")).toBe(first);
    expect(await say("what's the garage code?")).not.toContain("Related");
    expect(await stage.profile.memory.recall({ query: "garage code" })).toEqual([]);
  });
});
