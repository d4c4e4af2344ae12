import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Requests with slips of the keyboard, and with words that ask for nothing, are read once more in plainer words.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("a request with slips of the keyboard", () => {
  it("is carried out, and the answer says how it was read", async () => {
    await harness.write("out/menu.csv", "dish,price\nduck,30\ncod,24\n");
    expect(await say("mve out/menu.csv to out/old/menu.csv")).toMatch(
      /^Read as “move out\/menu\.csv to out\/old\/menu\.csv”\.\n\nMoved/u,
    );
    expect(await say("reed out/old/menu.csv")).toContain("duck,30");
    expect(await say("totl of price")).toContain("54");
  });

  it("keeps names and quotations as they are", async () => {
    expect(await say('dont forget that Teh Adn says "reed teh book"')).toContain(
      'Teh Adn says "reed teh book"',
    );
    expect((await harness.facts()).join()).toContain("Teh Adn");
  });
});

describe("a request with words beside it", () => {
  it("is answered without them", async () => {
    await harness.write("out/menu.csv", "dish,price\nduck,30\ncod,24\n");
    expect(await say("price of duck, out/menu.csv")).toContain("30");
    expect(await say("remember, by the way, that the bloody pump is a Grundfos")).toContain("Grundfos");
    expect(await say("sum of price in out/menu.csv, mate, hooray")).toContain("54");
  });

  it("is done without its polite beginning", async () => {
    await say("I wonder whether you could remember that the boathouse key is with Mr. Tang.");
    expect(await say("so who has the boathouse key, pray?")).toContain("Mr. Tang");
    expect(await say("kindly tell the number of buckets in 3 crates of 4")).not.toContain("Created");
    expect(await say("Might I trouble you to add a task to oil the oars on 5 April 2030?")).toContain(
      '"oil the oars" (due 2030-04-05)',
    );
  });

  it("is done once: a step of the request as written is not followed by another reading", async () => {
    await harness.write("out/a.txt", "a");
    const run = await harness.ask("just copy out/a.txt to out/b.txt and delete out/missing.txt please");
    expect(run.scratchpad.filter(({ action }) => action?.tool === "fs_copy")).toHaveLength(1);
  });
});
