import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Facts are stated, asked for, corrected and forgotten in plain words, without a model.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("a fact that has changed", () => {
  it("replaces the old one, whichever way the change is told", async () => {
    await say("remember that the boathouse code is 4410");
    await say("they changed the boathouse code it's 8820 now");
    expect(await say("say the boathouse code again")).toContain("8820");
    await say("remember that the pump key is with Ann");
    await say("The pump key has moved, I'm afraid: it is with the Holms now.");
    expect(await say("who has the pump key?")).toContain("the Holms");
    expect(await harness.facts()).toHaveLength(2);
  });

  it("is none that somebody only remembers", async () => {
    await say("remember when the milk came in bottles, those were the days");
    expect(await harness.facts()).toEqual([]);
  });
});

describe("a fact", () => {
  it("is remembered in the person's words, with all that is said of it", async () => {
    await say("Remember that the spruce from Val di Fiemme is on the second shelf and was cut in 2011");
    expect(await say("where do I find the spruce?")).toContain("on the second shelf and was cut in 2011");
  });

  it.each([
    ["the gate code of the Pihlaja site is 5518", "Pihlaja gate code changed, now 7702", "7702"],
    ["the spruce is on the second shelf", "I moved the spruce, it is on the third shelf now", "third shelf"],
    [
      "Dr. Patel doesn't work on Thursdays, the ultrasound code is 4410, and Biscuit is allergic to chicken",
      "oh shoot, the ultrasound code has changed, it's 4471",
      "the ultrasound code is 4471, and Biscuit",
    ],
  ])("%j is replaced after %j", async (fact, change, expected) => {
    await say(`remember: ${fact}`);
    const result = await say(change);
    expect(result).toContain("is in the archive");
    expect(result).toContain(expected);
  });
});

it("a remark that all is well corrects nothing", async () => {
  await say("remember that we need to talk about the fence");
  await say("no, it's fine");
  expect(await say("what do you know about the fence")).toMatch(/we need to talk about the fence/iu);
});

it("a fact about somebody else replaces nothing of the last one", async () => {
  await say("remember that Mia wears a size two shoe");
  await say("remember the school office number is 555 0142");
  const asked = await harness.ask("hold on Mia wears a size three now");
  expect(asked.pending).toMatchObject({ kind: "question" });
  await harness.answer(asked, "Replace it");
  expect(await say("what's the school office number")).toContain("555 0142");
  expect(await say("what size does Mia wear")).toContain("three");
});

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
    harness.startConversation();
    expect(await say(question)).not.toContain(secret);
    const recalled = await harness.profile.memory.recall({ query: `${question} ${secret}` });
    expect(recalled.filter(({ memory }) => memory.content.includes(secret))).toEqual([]);
  });

  it("is recalled again after “undo that”, with its conversations", async () => {
    await say("remember that the safe code is 9911");
    await say("what is the safe code");
    await say("forget the safe code");
    await say("undo that");
    expect(await say("what is the safe code")).toContain("9911");
    const { items } = await harness.profile.memory.list({
      types: ["conversation"],
      query: "9911 ",
      limit: 20,
    });
    expect(items.length).toBeGreaterThan(1);
  });

  it("is restored by its words, although its conversations contain them, too", async () => {
    await say("remember that the safe code is 9911");
    await say("what is the safe code");
    await say("forget the safe code");
    expect(await say("restore the memory about safe code")).toContain("Restored");
    expect(await harness.facts()).toEqual(["the safe code is 9911"]);
  });
});

describe("a statement that contradicts a memory", () => {
  it.each([
    ["the boat is at berth 14", "the boat is at berth 22 now", "the boat is at berth 22"],
    ["the boat lies at berth 41", "the boat is at berth 17 now", "the boat is at berth 17"],
    ["my sister Petra lives in Bergen", "Petra lives in Oslo now", "my sister Petra lives in Oslo"],
    ["the garage code is 4711", "by the way, the garage code is now 4712", "the garage code is 4712"],
    ["our choir meets on Tuesday", "our choir meets on Thursday from now on", "our choir meets on Thursday"],
    ["the rent costs 900 euros", "the rent costs 950 euros these days", "the rent costs 950 euros"],
    [
      "the slip key hangs at the office",
      "the slip key hangs at Pekka's now",
      "the slip key hangs at Pekka's",
    ],
    [
      "Birgit's number is 040 555 2211",
      "Birgit's number has changed, it is 040 555 2212 now",
      "Birgit's number is 040 555 2212",
    ],
    ["Birgit's number is 040 555 2211", "Birgit's new phone number is 0509", "Birgit's number is 0509"],
    ["the meeting is on Friday", "the meeting has moved to Thursday", "the meeting is on Thursday"],
    ["Clara lives in Lyon", "Clara has moved to Nantes", "Clara lives in Nantes"],
    ["wifi password is heron55", "wifi password changed, its otter99 now", "wifi password is otter99"],
    ["Mr Okafor's phone is 0701", "Mr Okafor has a new phone number: 0702", "Mr Okafor's phone is 0702"],
    ["yoga is on Wednesday at 6 pm", "yoga moved to Friday", "yoga is on Friday at 6 pm"],
    ["the alarm code is 5518", "the alarm code isn't 5518 any more, it's 6620", "the alarm code is 6620"],
    [
      "Jonas works at Statoil",
      "Jonas doesn't work at Statoil anymore, he works at Equinor",
      "Jonas works at Equinor",
    ],
    [
      "the bins are collected on Mondays",
      "the bins are collected on Thursdays now not Mondays",
      "the bins are collected on Thursdays",
    ],
    ["my son's teacher is called Mrs Lund", "my son's new teacher is Mr Falk", "my son's teacher is Mr Falk"],
  ])(
    "replaces it if it has changed, and “undo that” brings it back: %j, %j",
    async (fact, statement, corrected) => {
      await say(`remember that ${fact}`);
      harness.startConversation();
      expect(await say(statement)).toContain("is in the archive");
      expect(await harness.facts()).toEqual([corrected]);
      await say("undo that");
      expect(await harness.facts()).toEqual([fact]);
    },
  );

  it.each([
    ["Clara is a nurse", "Clara is tired now"],
    ["Clara lives in Lyon", "Clara's mother lives in Nantes now"],
    ["the meeting is on Friday", "the meeting is in room 4 now"],
    ["the key of the boat is at Pekka's", "the key is in the office now"],
    ["my flat is in Porto", "my flat is tidy now"],
    ["Tom is allergic to nuts", "Tom is not allergic to nuts any more"],
    ["pekka has the boathouse key", "birgit has the boathouse key now"],
  ])("replaces nothing unasked that may hold beside it: %j, %j", async (fact, statement) => {
    await say(`remember that ${fact}`);
    harness.startConversation();
    await harness.ask(statement);
    expect(await harness.facts()).toEqual([fact]);
  });

  it.each([
    ["the boat is at berth 14", "actually the boat is at berth 22", "the boat is at berth 22"],
    ["the garage code is 4711", "the garage code is 4712", "the garage code is 4712"],
  ])("asks, replaces it, and “undo that” brings it back: %j, %j", async (fact, statement, corrected) => {
    await say(`remember that ${fact}`);
    harness.startConversation();
    const asked = await harness.ask(statement);
    expect(asked.pending).toMatchObject({
      question: `“${fact}” is remembered. Should “${corrected}” replace it?`,
      options: ["Replace it", "Remember both", "No"],
    });
    const ended = await harness.answer(asked, "Replace it");
    expect(ended.learnedFunction).toBeUndefined();
    expect(await harness.facts()).toEqual([corrected]);
    await say("undo that");
    expect(await harness.facts()).toEqual([fact]);
  });

  it("says of the person before what was denied", async () => {
    await say("remember that Birgit's number is 040 555 2211");
    await say("no her number is 040 555 2212");
    expect(await harness.facts()).toEqual(["Birgit's number is 040 555 2212"]);
  });

  it("is remembered after the statement that changed nothing", async () => {
    await say("my cousin is called Ebba");
    await say("remember that too");
    await say("the code of the shed is 1177, save also");
    expect(await harness.facts()).toEqual(["code of the shed is 1177", "my cousin is called Ebba"]);
  });

  it("keeps both, or changes nothing", async () => {
    await say("remember that the boat is at berth 14");
    await harness.answer(await harness.ask("the boat is at berth 22"), "No");
    expect(await harness.facts()).toEqual(["the boat is at berth 14"]);
    await harness.answer(await harness.ask("the boat is at berth 22 in winter"), "Remember both");
    expect((await harness.facts()).toSorted()).toEqual([
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
    expect(await harness.facts()).toEqual(["Ines works in Porto since May"]);
    harness.startConversation();
    await say("where does my brother live?");
    await say("remember that his door code is 4410");
    expect((await harness.facts()).toSorted()).toEqual([
      "Ines works in Porto since May",
      "my brother's door code is 4410",
    ]);
    const { items } = await harness.profile.memory.list({ types: ["observation"], limit: 9 });
    expect(items.map(({ trust }) => trust)).toEqual(["trusted", "trusted"]);
  });

  it("asks who it is if the request before names nobody, or several", async () => {
    const asked = await harness.ask("remember that he drives a red van");
    expect(asked.pending).toMatchObject({ question: "Who is “he”?" });
    await harness.answer(asked, "Viktor");
    expect(await harness.facts()).toEqual(["Viktor drives a red van"]);
    await say("what do you know about Tom and Ida?");
    expect((await harness.ask("her birthday is 3 May, remember that")).pending).toMatchObject({
      question: "Who is “she”?",
    });
  });

  it("is offered for memory with the name", async () => {
    await say("what do you know about Ines?");
    const run = await harness.ask("she has a small dog");
    expect(run.suggestions).toContain("remember that “Ines has a small dog”");
  });
});

describe("a question that memory does not answer", () => {
  it("is not answered with a conversation about it", async () => {
    const first = await say("what is my garage code");
    expect(await say("what is my garage code")).toBe(first);
    expect(await say("what's the garage code?")).not.toContain("Related");
    expect(await harness.profile.memory.recall({ query: "garage code" })).toEqual([]);
  });
});
