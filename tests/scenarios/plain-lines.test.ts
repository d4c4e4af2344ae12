import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Corrections, reasons and questions about the lines of the text that a conversation is about.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("the programme of a conversation", () => {
  it("is found by its folder, corrected by what is not so, and loses who is ill", async () => {
    await harness.write(
      "out/recital/programme.md",
      "# Programme\n\n- Aoife: Für Elise\n- Cian: Minuet in G\n",
    );
    expect(await say("Good morning. Could you show me the recital programme?")).toContain("Minuet in G");
    await say("Oh, Cian is not playing the Minuet in G, it should be the Musette in D.");
    expect(await harness.read("out/recital/programme.md")).toContain("- Cian: Musette in D");
    await say("Aoife has the flu, poor thing. Take her off the programme, please.");
    expect(await harness.read("out/recital/programme.md")).toBe("# Programme\n\n- Cian: Musette in D\n");
  });
});

describe("a list of visitors", () => {
  it("is written down, corrected, and takes back who is coming after all", async () => {
    await say("Write down in visitors.txt: Sunday Carol, Tuesday nurse Bev");
    await say("And Friday Pastor Jim");
    await say("No no, the pastor comes Saturday, not Friday.");
    expect(await harness.read("out/visitors.txt")).toBe(
      "Sunday Carol\nTuesday nurse Bev\nSaturday Pastor Jim",
    );
    expect(await say("Who comes on Tuesday?")).toContain("Bev");
    await say("Carol has a cold, take her out please.");
    expect(await harness.read("out/visitors.txt")).not.toContain("Carol");
    await say("Oh, she is coming after all. Put Carol back in please.");
    expect(await harness.read("out/visitors.txt")).toContain("Sunday Carol");
  });

  it("stays as it is where nothing on it is meant", async () => {
    await say("Write down in visitors.txt: Sunday Carol, Tuesday nurse Bev");
    const before = await harness.read("out/visitors.txt");
    for (const remark of [
      "My sister has a cold, what a pity.",
      "If Carol is ill, take her out.",
      "I like Monday, not Friday.",
      "Bev is very kind.",
    ])
      await say(remark);
    expect(await harness.read("out/visitors.txt")).toBe(before);
  });
});

describe("a checklist", () => {
  it("is ticked by what is good, unticked, and asked for what is left", async () => {
    await harness.write("out/truck/pretrip.md", "- [ ] lights\n- [ ] mirrors\n- [ ] tires\n");
    await say("whats still open in pretrip.md");
    await say("lights and mirrors are good check em off");
    expect(await harness.read("out/truck/pretrip.md")).toBe("- [x] lights\n- [x] mirrors\n- [ ] tires\n");
    expect(await say("whats left")).toMatch(/1 of 3 items[^]*tires/u);
    await say("oh wait mirrors aint done uncheck that");
    expect(await harness.read("out/truck/pretrip.md")).toContain("- [ ] mirrors");
    expect(await say("how many are still open")).toContain("2 of 3 items");
  });
});

describe("two orders in one message", () => {
  it("are both carried out on the list of the conversation", async () => {
    await say("start a shopping list with rice, tuna");
    await say("remove tuna and add chicken");
    expect(await harness.read("out/shopping-list.txt")).toBe("rice\nchicken");
    await say("She does not like chicken, it should be tofu.");
    expect(await harness.read("out/shopping-list.txt")).toBe("rice\ntofu");
  });
});

it("rows of a table are listed by a condition and a word for them", async () => {
  await harness.write("out/invoices.csv", "no,client,status\n1001,Joshi,paid\n1002,Mehta,open\n");
  const rows = await say("list the open invoices in invoices.csv");
  expect(rows).toContain("Mehta");
  expect(rows).not.toContain("Joshi");
});

describe("a checklist", () => {
  it("is ticked where its items have boxes, one after the other", async () => {
    await harness.write("out/boat.md", "# Boat\n\n- [ ] anchor\n- [ ] flares\n- [ ] life jackets\n");
    expect(await say("what's still open in boat.md?")).toContain("3 of 3");
    await say("tick the anchor off");
    await say("and the flares");
    expect(await harness.read("out/boat.md")).toBe(
      "# Boat\n\n- [x] anchor\n- [x] flares\n- [ ] life jackets\n",
    );
    await say("hm, the flares are out of date, untick them");
    await say("the life jackets have arrived");
    expect(await harness.read("out/boat.md")).toBe(
      "# Boat\n\n- [x] anchor\n- [ ] flares\n- [x] life jackets\n",
    );
  });
});

describe("a list of things to get", () => {
  it("loses what is there, whoever says it in whatever order", async () => {
    await say("ok write me a workshop list it needs sandpaper and a tin of varnish and two clamps");
    expect(await harness.read("out/workshop-list.txt")).toBe("sandpaper\na tin of varnish\ntwo clamps");
    await say("the sandpaper we have already");
    await say("scratch the varnish they had none");
    expect(await say("what's outstanding?")).toContain("two clamps");
    expect(await harness.read("out/workshop-list.txt")).toBe("two clamps");
    await say("the clamps are heavy");
    expect(await harness.read("out/workshop-list.txt")).toBe("two clamps");
  });

  it("gets the number that is right", async () => {
    await say("make a list of timber: beam 90 mm, lath 20 mm");
    await say("the beam is 95 mm, not 90");
    expect(await harness.read("out/list-of-timber.txt")).toContain("beam 95 mm");
    await say("back to the list add dowels");
    expect(await harness.read("out/list-of-timber.txt")).toContain("dowels");
  });
});

describe("a file", () => {
  it("gets its old name back, and its copy can be deleted", async () => {
    await say("write “8 bar” to out/pressure.txt");
    await say("rename it to pressure-may.txt");
    await say("no put the old name back");
    expect(await harness.read("out/pressure.txt")).toBe("8 bar");
    await say("copy it to out/old/pressure.txt");
    await say("delete the copy");
    await expect(harness.read("out/old/pressure.txt")).rejects.toThrow();
    await say("no put it back");
    expect(await harness.read("out/old/pressure.txt")).toBe("8 bar");
  });
});
