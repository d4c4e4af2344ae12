import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// New lists, notes and tables, however the request for them is put.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

describe("a new text", () => {
  it.each([
    ["need a list for the vet. wormer, collar, bandages", "out/vet-list.txt", "wormer\ncollar\nbandages"],
    ["put my bank pin hint in a note: grandpa's year", "out/bank-pin-hint-note.txt", "grandpa's year"],
    [
      "create out/hymns.md with a numbered list: Abide with me, Jerusalem",
      "out/hymns.md",
      "1. Abide with me\n2. Jerusalem",
    ],
    [
      "new list birthday presents: kite for Ole, mug for Siri",
      "out/birthday-presents-list.txt",
      "kite for Ole\nmug for Siri",
    ],
    ["um start a milk log please, a table milk.csv with time and litres", "out/milk.csv", "time,litres\n"],
    ["open a new table for car trips, columns day, km and reason", "out/car-trips.csv", "day,km,reason\n"],
    ["packing - boots, map, torch", "out/packing.txt", "boots\nmap\ntorch"],
    ["make a list of seeds to order: kale, chard", "out/seeds-to-order-list.txt", "kale\nchard"],
    ["Would you start a list for the bazaar? Tombola, teas, please.", "out/bazaar-list.txt", "Tombola\nteas"],
    [
      "ok amigo let's make the taco list limes, tortillas and pork",
      "out/taco-list.txt",
      "limes\ntortillas\npork",
    ],
    ["haha right coach, make a list of subs: Eva, Mio", "out/list-of-subs.txt", "Eva\nMio"],
    ["can you jot down what we need for camp. tents, stove", "out/camp-list.txt", "tents\nstove"],
    [
      "write down the recipe for scones: 200 g flour, 50 g butter",
      "out/scones-recipe.txt",
      "200 g flour, 50 g butter",
    ],
  ])("%s", async (request, path, text) => {
    await harness.ask(request);
    expect(await harness.read(path)).toBe(text);
  });

  it("is one of two orders, each with what belongs to it", async () => {
    await harness.ask(
      "Two things: add a task to sweep the chimney on Thursday and make a list drinks with cider and squash",
    );
    expect(await harness.read("out/drinks-list.txt")).toBe("cider\nsquash");
    expect((await harness.tasks()).join()).toContain("sweep the chimney");
  });

  it.each([
    "back to the list for Anna: add jam",
    "who is on the guest list: Anna or Bo?",
    "I never said make a list: that was Tom",
    "write a poem with love, roses and rain",
  ])("is not made for %s", async (request) => {
    const run = await harness.ask(request);
    expect(run.scratchpad.filter(({ action }) => action?.tool === "fs_write")).toEqual([]);
  });
});

describe("a reason beside an order", () => {
  it("is left out, and the pronoun of the order means what it is about", async () => {
    await harness.write("out/fish.csv", "fish,price\ncod,28\nhake,19\n");
    await harness.ask("average price in fish.csv");
    await harness.ask("hake is sold out, take it off");
    expect(await harness.read("out/fish.csv")).toBe("fish,price\ncod,28\n");
    expect((await harness.ask("she wants 12 per dress so 12 times 4.5")).result).toContain("= 54");
  });

  it("is no reason if it binds the order", async () => {
    await harness.write("out/a.txt", "a");
    await harness.ask("if Tom agrees, delete out/a.txt");
    await harness.ask("delete out/a.txt, unless Tom needs it");
    expect(await harness.read("out/a.txt")).toBe("a");
  });
});

describe("a text that an order names", () => {
  it("is no part of the words that are changed or added", async () => {
    await harness.ask("write a letter to Ms Brandt: the sofa costs 240 euros, come on Monday");
    await harness.ask("replace 240 with 260 in ms-brandt-letter");
    await harness.ask("replace Monday with Friday in the letter to ms brandt");
    await harness.ask('append "PS bring a van" to ms-brandt-letter');
    expect(await harness.read("out/ms-brandt-letter.txt")).toBe(
      "the sofa costs 260 euros, come on Friday\nPS bring a van",
    );
  });

  it("is followed by one like it for somebody else, and found by its owner", async () => {
    await harness.ask("write a letter to Ms Brandt: the sofa is ready");
    await harness.ask("write a letter to Will Haas: the lamp is ready");
    expect(await harness.read("out/will-haas-letter.txt")).toBe("the lamp is ready");
    expect((await harness.ask("show me wills letter")).result).toContain("the lamp is ready");
  });

  it("gets what is added to “the list”, and no task is made of it", async () => {
    await harness.ask("make a drinks list: water, cola");
    await harness.ask("add ginger beer to the list");
    expect(await harness.read("out/drinks-list.txt")).toBe("water\ncola\nginger beer");
    await harness.ask("make a folder drinks and put both lists in it");
    expect(await harness.read("out/drinks-list.txt")).toBe("water\ncola\nginger beer");
    expect(await harness.tasks()).toEqual([]);
  });
});

it("a name may have two words joined by “and”", async () => {
  await harness.ask("make us a list for the cash and carry: oatmeal shampoo, towels");
  expect(await harness.read("out/cash-and-carry-list.txt")).toBe("oatmeal shampoo\ntowels");
  await harness.ask("make a list for Ann and read it to me: eggs, milk");
  await expect(harness.read("out/ann-list.txt")).rejects.toThrow();
});

describe("a list that is wanted in a roundabout way", () => {
  it("is made although the reason for it stands first, or a wish", async () => {
    await harness.ask("We fly on Friday, so I need a cabin list: passport, charger, book");
    expect(await harness.read("out/cabin-list.txt")).toBe("passport\ncharger\nbook");
    await harness.ask("I'd like to have a checklist named boat.md please: anchor, ropes, flares");
    expect(await harness.read("out/boat.md")).toBe("anchor\nropes\nflares");
    await harness.ask("new list for the allotment, we need canes, twine and a trowel");
    expect(await harness.read("out/allotment-list.txt")).toBe("canes\ntwine\na trowel");
    await harness.ask("make it two trowels");
    expect(await harness.read("out/allotment-list.txt")).toBe("canes\ntwine\ntwo trowels");
  });

  it("gets and loses lines in further words, and none by a remark", async () => {
    await harness.ask("I would like a guest list called guests.md: Lind, Oman, Berg");
    await harness.ask("put there Nord also");
    await harness.ask("and the Holms, nearly forgot");
    await harness.ask("Oman can't come unfortunately, remove them please");
    await harness.ask("Holms is Holmes");
    for (const remark of ["another one bites the dust", "and now back to work", "no, really"])
      await harness.ask(remark);
    expect(await harness.read("out/guests.md")).toBe("Lind\nBerg\nNord\nHolmes");
    expect((await harness.ask("may I see the list")).result).toContain("Nord");
    await harness.ask("save that list as party.md");
    expect(await harness.read("out/party.md")).toBe("Lind\nBerg\nNord\nHolmes");
  });
});
