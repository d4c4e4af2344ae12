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

describe("tasks and reminders in short words", () => {
  it("are made, whatever stands around their noun", async () => {
    await say("ok so i gotta hand in the bio lab by tues can u put that as a task");
    await say("Add one task also, renew hostel pass on 3 March 2099");
    await say("Stick in a task to bake a cake, due the 15th of December 2098");
    const tasks = (await harness.tasks()).join();
    expect(tasks).toMatch(/hand in the bio lab \(\d{4}-\d\d-\d\d\)/u);
    expect(tasks).toContain("renew hostel pass (2099-03-03)");
    expect(tasks).toContain("bake a cake (2098-12-15)");
    await say("remind 4 march 2099 17 00 pay phone");
    await say("reminder also 5 march 2099 9 call bob");
    const reminders = (await harness.tasks()).join();
    expect(reminders).toMatch(/pay phone \(2099-03-04T17:00/u);
    expect(reminders).toMatch(/call bob \(2099-03-05T09:00/u);
    await say("phone make 17 30");
    expect((await harness.tasks()).join()).toMatch(/pay phone \(2099-03-04T17:30/u);
    expect(await say("what remindrs i have")).toContain("Pay phone");
  });

  it("are made of each sentence, listed and changed alike", async () => {
    await say("tasks. call concrete guy 3 March 2099. order dumpster 4 March 2099. pay Luis 5 March 2099.");
    expect(await harness.tasks()).toHaveLength(3);
    expect(await say("list em")).toContain("order dumpster");
    await say("make the dumpster 6 March 2099");
    await say("same for Luis");
    expect((await harness.tasks()).toSorted()).toEqual([
      "call concrete guy (2099-03-03)",
      "order dumpster (2099-03-06)",
      "pay Luis (2099-03-06)",
    ]);
    for (const question of ["so whats still on there", "anything left on there?"])
      expect(await say(question)).toContain("pay Luis");
  });

  it("are the ones that a statement beside the order names", async () => {
    await say("tasks. call the garage. renew the passport. call Amma. wash the van.");
    await say("list my tasks");
    await say("Garage is called, check it off");
    await say("van got washed tick it off");
    await say("Amma called herself, so no need of that reminder");
    await say("Passport came in the post, so it can go");
    expect(await harness.tasks()).toEqual([]);
  });
});

describe("a remark after a task", () => {
  it("changes nothing", async () => {
    await say("add a task to ring mum on 3 March 2099");
    for (const remark of [
      "it's Friday today",
      "no, it's fine",
      "same for me",
      "he called me, that is not necessary",
    ])
      await harness.ask(remark);
    expect(await harness.tasks()).toEqual(["ring mum (2099-03-03)"]);
  });

  it("does not say what was meant", async () => {
    for (const remark of ["im so broke tho", "my boss is up to something", "Another one bites the dust"])
      await harness.answer(await harness.ask("save that in pay.txt"), remark);
    await expect(harness.read("out/pay.txt")).rejects.toThrow("ENOENT");
  });
});

describe("a mistake that a person admits", () => {
  it("is put right in what is remembered", async () => {
    await say("remember also: queen in hive 4 is from year 2024");
    await say("I made mistake, the queen in hive 4 is from year 2025");
    expect((await harness.facts()).join()).toBe("queen in hive 4 is from year 2025");
    await say("oh i got that wrong, the queen in hive 4 is from year 2026");
    expect((await harness.facts()).join()).toBe("queen in hive 4 is from year 2026");
  });
});

it("keeps a name in the middle of a sentence that is also a short form", async () => {
  await say("add a task to ask Reed about the boat");
  expect(await harness.tasks()).toEqual(["ask Reed about the boat"]);
  const { result = "" } = await harness.ask("pls tell Reed that teh boat is ready");
  expect(result).not.toMatch(/tell read/iu);
});
