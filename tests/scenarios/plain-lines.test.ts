import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainStage, type PlainStage } from "../support/plain-stage.ts";

// Corrections, reasons and questions about the lines of the text that a conversation is about.

let stage: PlainStage;
beforeEach(async () => {
  stage = await openPlainStage();
});
afterEach(() => stage.close());

const say = async (goal: string) => (await stage.ask(goal)).result ?? "";

describe("the programme of a conversation", () => {
  it("is found by its folder, corrected by what is not so, and loses who is ill", async () => {
    await stage.write("out/recital/programme.md", "# Programme\n\n- Aoife: Für Elise\n- Cian: Minuet in G\n");
    expect(await say("Good morning. Could you show me the recital programme?")).toContain("Minuet in G");
    await say("Oh, Cian is not playing the Minuet in G, it should be the Musette in D.");
    expect(await stage.read("out/recital/programme.md")).toContain("- Cian: Musette in D");
    await say("Aoife has the flu, poor thing. Take her off the programme, please.");
    expect(await stage.read("out/recital/programme.md")).toBe("# Programme\n\n- Cian: Musette in D\n");
  });
});

describe("a list of visitors", () => {
  it("is written down, corrected, and takes back who is coming after all", async () => {
    await say("Write down in visitors.txt: Sunday Carol, Tuesday nurse Bev");
    await say("And Friday Pastor Jim");
    await say("No no, the pastor comes Saturday, not Friday.");
    expect(await stage.read("out/visitors.txt")).toBe("Sunday Carol\nTuesday nurse Bev\nSaturday Pastor Jim");
    expect(await say("Who comes on Tuesday?")).toContain("Bev");
    await say("Carol has a cold, take her out please.");
    expect(await stage.read("out/visitors.txt")).not.toContain("Carol");
    await say("Oh, she is coming after all. Put Carol back in please.");
    expect(await stage.read("out/visitors.txt")).toContain("Sunday Carol");
  });

  it("stays as it is where nothing on it is meant", async () => {
    await say("Write down in visitors.txt: Sunday Carol, Tuesday nurse Bev");
    const before = await stage.read("out/visitors.txt");
    for (const remark of [
      "My sister has a cold, what a pity.",
      "If Carol is ill, take her out.",
      "I like Monday, not Friday.",
      "Bev is very kind.",
    ])
      await say(remark);
    expect(await stage.read("out/visitors.txt")).toBe(before);
  });
});

describe("a checklist", () => {
  it("is ticked by what is good, unticked, and asked for what is left", async () => {
    await stage.write("out/truck/pretrip.md", "- [ ] lights\n- [ ] mirrors\n- [ ] tires\n");
    await say("whats still open in pretrip.md");
    await say("lights and mirrors are good check em off");
    expect(await stage.read("out/truck/pretrip.md")).toBe("- [x] lights\n- [x] mirrors\n- [ ] tires\n");
    expect(await say("whats left")).toMatch(/1 of 3 items[^]*tires/u);
    await say("oh wait mirrors aint done uncheck that");
    expect(await stage.read("out/truck/pretrip.md")).toContain("- [ ] mirrors");
    expect(await say("how many are still open")).toContain("2 of 3 items");
  });
});

describe("two orders in one message", () => {
  it("are both carried out on the list of the conversation", async () => {
    await say("start a shopping list with rice, tuna");
    await say("remove tuna and add chicken");
    expect(await stage.read("out/shopping-list.txt")).toBe("rice\nchicken");
    await say("She does not like chicken, it should be tofu.");
    expect(await stage.read("out/shopping-list.txt")).toBe("rice\ntofu");
  });
});

it("rows of a table are listed by a condition and a word for them", async () => {
  await stage.write("out/invoices.csv", "no,client,status\n1001,Joshi,paid\n1002,Mehta,open\n");
  const rows = await say("list the open invoices in invoices.csv");
  expect(rows).toContain("Mehta");
  expect(rows).not.toContain("Joshi");
});
