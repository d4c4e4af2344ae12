import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainStage, type PlainStage } from "../support/plain-stage.ts";

// What is told, asked, corrected and forgotten in plain words, without a model.

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
  ])("%j is neither told again nor found in its conversations", async (fact, question, forget, secret) => {
    expect(await say(`remember that ${fact}`)).toContain(secret);
    expect(await say(question)).toContain(secret);
    expect(await say(forget)).toContain("Forgot");
    expect(await say(question)).not.toContain(secret);
    stage.startConversation();
    expect(await say(question)).not.toContain(secret);
    const recalled = await stage.profile.memory.recall({ query: `${question} ${secret}` });
    expect(recalled.filter(({ memory }) => memory.content.includes(secret))).toEqual([]);
  });

  it("is told again after “undo that”, and its conversations are recalled again", async () => {
    await say("remember that the safe code is 9911");
    await say("what is the safe code");
    await say("forget the safe code");
    await say("undo that");
    expect(await say("what is the safe code")).toContain("9911");
    const { items } = await stage.profile.memory.list({ types: ["conversation"], query: "9911 ", limit: 20 });
    expect(items.length).toBeGreaterThan(1);
  });

  it("is restored by its words, although its conversations have them, too", async () => {
    await say("remember that the safe code is 9911");
    await say("what is the safe code");
    await say("forget the safe code");
    expect(await say("restore the memory about safe code")).toContain("Restored");
    expect(await stage.facts()).toEqual(["the safe code is 9911"]);
  });
});

describe("a question that memory does not answer", () => {
  it("is not recalled as a conversation about it", async () => {
    const first = await say("what is my garage code");
    expect(await say("what is my garage code")).toBe(first);
    expect(await say("what's the garage code?")).not.toContain("Related");
    expect(await stage.profile.memory.recall({ query: "garage code" })).toEqual([]);
  });
});
