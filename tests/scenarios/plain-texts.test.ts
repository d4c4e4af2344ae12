import { afterEach, beforeEach, expect, it } from "vitest";
import { openPlainStage, type PlainStage } from "../support/plain-stage.ts";

// Notes, letters and lists whose text the request holds, and what is then said about them, without a model.

let stage: PlainStage;
beforeEach(async () => {
  stage = await openPlainStage();
});
afterEach(() => stage.close());

const say = async (goal: string) => (await stage.ask(goal)).result ?? "";

it("writes a note or a letter with the text after the colon, and changes it", async () => {
  await say("make a note for the plumber: the tap drips, key is under the mat");
  await say("add: call before you come");
  expect(await stage.read("out/plumber-note.txt")).toBe(
    "the tap drips, key is under the mat\ncall before you come",
  );
  await say("write a letter to the landlord: Dear Mr Holt, the heating is broken.");
  await say("change broken to not working");
  await say('append "PS call me" on a new line');
  expect(await stage.read("out/landlord-letter.txt")).toBe(
    "Dear Mr Holt, the heating is not working.\nPS call me",
  );
  await say("save a copy as holt.txt");
  expect(await stage.read("out/holt.txt")).toContain("Mr Holt");
});

it("corrects words of a letter by both of them, and never writes it anew", async () => {
  const letter = "Dear Mrs Walsh, the plaque will be unveiled on Friday at noon.";
  await say(`write a letter to Mrs Walsh: ${letter}`);
  await say("It's Saturday, not Friday");
  await say("it's three o'clock not noon, our Janet says");
  expect(await stage.read("out/mrs-walsh-letter.txt")).toBe(
    "Dear Mrs Walsh, the plaque will be unveiled on Saturday at three o'clock.",
  );
  await say("it's raining, not sunny");
  for (const remark of ["no, it's lovely", "it's Saturday today", "it is what it is", "no, it's fine"])
    await say(remark);
  expect(await stage.read("out/mrs-walsh-letter.txt")).toBe(
    "Dear Mrs Walsh, the plaque will be unveiled on Saturday at three o'clock.",
  );
});

it("writes nothing that has to be thought of", async () => {
  expect(await say("write a letter to the bank with a complaint and a threat")).toContain(
    "needs a language model",
  );
  expect(await say("write me a poem about the sea: it should rhyme")).toContain("needs a language model");
  await say("make a packing list with socks, hat");
  await say("add gloves");
  await say("write me an intro for the essay");
  expect(await stage.read("out/packing-list.txt")).toBe("socks\nhat\ngloves");
});

it("makes a list in hasty words, and follows what is said about its items", async () => {
  await say("heyy can u make me a to do list for moving out: boxes, tape, call landlord");
  await say("ooh and add bin bags lol");
  await say("call landlord is done");
  await say("I forgot the torch, please add");
  await say("we don't need tape, Ben has some");
  expect(await stage.read("out/moving-out-to-do-list.txt")).toBe("boxes\nbin bags\ntorch");
  await say("please rename file to moving.md");
  expect(await stage.read("out/moving.md")).toContain("torch");
});

it("takes off who does not come, and nobody else", async () => {
  await say("create a list called party guests: Ana, Luis, Tom");
  await say("Luis can't come");
  await say("Otto can't come");
  expect(await stage.read("out/party-guests.txt")).toBe("Ana\nTom");
  expect(await say("who's coming?")).toContain("Tom");
});

it("saves a list under the name that is said", async () => {
  await say("save a packing list for a weekend in Oslo with socks, hat and gloves to packing.md");
  expect(await stage.read("out/packing.md")).toBe("socks\nhat\ngloves");
});
