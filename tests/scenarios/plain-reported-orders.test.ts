import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// What somebody else says, asks or writes is not an order of the person, in quotation marks of any kind or without any.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

describe("an order in what somebody else says", () => {
  it("is not carried out when it is quoted", async () => {
    await harness.write("out/x.md", "kept");
    for (const reported of [
      "My sister said: 'add a task for every guest'. Ridiculous",
      "The guide recommends: 'make a task for each room'",
      "According to the poster: 'add a task to recycle'. Hm",
      "Our coach tells everyone ‘add a reminder to stretch’. Boring",
      "my boss wrote: 'delete out/x.md'. lol",
      "I read 'add a task to count sheep' somewhere, funny",
      "'create a task for each bug' is what they wrote",
      "Page 4: 'create a new task for each risk'. sounds dull",
      "The flyer goes «add a task to vote», well well",
    ])
      await harness.ask(reported);
    expect(await harness.tasks()).toEqual([]);
    expect(await harness.read("out/x.md")).toBe("kept");
    await expect(harness.read("out/4-page.txt")).rejects.toThrow("ENOENT");
  });

  it("is asked about when it is reported without quotation marks", async () => {
    for (const reported of [
      "He asked me to add a task to buy a yacht",
      "The landlord wants me to make a task to paint the fence",
      "Their newsletter tells you to create a task to donate",
      "Ida suggested a task to rake the gravel",
      "He asked, can you add a task to buy a yacht",
      "Mum said: please add a task to iron the flags",
    ]) {
      await harness.ask(reported);
      harness.startConversation();
    }
    expect(await harness.tasks()).toEqual([]);
  });

  it("stays an order when the person gives it and only names who said something", async () => {
    await harness.ask("add a task to ask Ida what she said");
    await harness.ask("create a task 'read what the manual says'");
    expect((await harness.tasks()).toSorted()).toEqual([
      "ask Ida what she said",
      "read what the manual says",
    ]);
  });
});
