import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Marks and verbs between the order for a task and its title are not part of the title.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("exclamation marks after the order for a task", () => {
  it("separate the title as a colon does", async () => {
    await say("todo!! call the plumber on 5 December 2098");
    await say("reminder!!! pay the fine on 6 December 2098");
    await say("new task! iron the shirts, low prio");
    await say("remind me!!! to bake a loaf on 7 December 2098");
    await say("Task!!! Weed the path, urgent");
    expect((await harness.tasks()).toSorted()).toEqual([
      "Weed the path",
      "bake a loaf (2098-12-07)",
      "call the plumber (2098-12-05)",
      "iron the shirts",
      "pay the fine (2098-12-06)",
    ]);
    await say("Remember!!! the gate code is 12");
    expect(await harness.facts()).toEqual(["the gate code is 12"]);
  });

  it("after another sentence about tasks order nothing", async () => {
    await say("add a task to sand the door");
    harness.startConversation();
    await say("I hate this task! Paint is everywhere");
    await say("What a task!!! Never again");
    expect(await harness.tasks()).toEqual(["sand the door"]);
  });
});

describe("a polite question for a task, and the task after it", () => {
  it("makes the task without the question mark", async () => {
    await say("Could you add a reminder? Water the ferns, on 5 December 2098 at 9.");
    await say("Would you mind making a new task? Sharpen the skates, by 4 December 2098");
    await say("May I trouble you for a task please? Ring the vet on 3 December 2098");
    await say("hi, will you put something on my list? Grease the chain.");
    await say("would it be ok to put one more task in? Salt the path, before 2 December 2098");
    expect((await harness.tasks()).toSorted()).toEqual([
      "Grease the chain",
      "Ring the vet (2098-12-03)",
      "Salt the path (2098-12-02)",
      "Sharpen the skates (2098-12-04)",
      "Water the ferns (2098-12-05T09:00:00.000Z)",
    ]);
    await say("Could you remember something for me? The spare fuse is in the blue tin.");
    expect(await harness.facts()).toEqual(["The spare fuse is in the blue tin"]);
  });

  it("makes none of a remark, a doubt or a refusal after it", async () => {
    for (const remark of [
      "Can you add a task? I have no idea how this works",
      "Add a task? Nah, forget it",
      "add a task? maybe later",
      "Another task? Come on",
      "Should I add a task? Sell the boat",
      "Could you make a task? It would be the first",
      "Can you make a task? If so, how",
      "could you make a task? The thing is, I forgot what",
    ]) {
      await harness.ask(remark);
      harness.startConversation();
    }
    expect(await harness.tasks()).toEqual([]);
  });
});

describe("a task that gets a day or a priority", () => {
  it("is changed", async () => {
    for (const title of ["sweep the attic", "paint the shed", "call Ola", "feed the pony"])
      await say(`add a task "${title}"`);
    harness.startConversation();
    await say("the sweep the attic task should have the due date 2098-05-01");
    await say("the task paint the shed has a new deadline: 5 May 2098");
    await say("feed the pony task gets due date 2098-06-07");
    await say("for the task call Ola the due date is 2098-07-07");
    expect(await say("task call Ola gets high priority")).toContain("high");
    expect((await harness.tasks()).toSorted()).toEqual([
      "call Ola (2098-07-07)",
      "feed the pony (2098-06-07)",
      "paint the shed (2098-05-05)",
      "sweep the attic (2098-05-01)",
    ]);
  });

  it("is not changed by what happened, by a question or by a denial", async () => {
    await say('add a task "feed the pony"');
    harness.startConversation();
    await say("the task feed the pony got a due date yesterday");
    await say("does the task feed the pony need a due date of 2098-06-07?");
    await say("the task feed the pony never needs a due date of 2098-06-07");
    expect(await harness.tasks()).toEqual(["feed the pony"]);
  });
});
