import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Days and times as people say them, without a model.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

describe("a time in words", () => {
  it.each([
    ["add a task to wind the church clock on 5 April 2030 at half past eight", "2030-04-05 08:30"],
    ["todo: fetch the kids, 5 April 2030, twenty past three", "2030-04-05 15:20"],
    ["new task: send the minutes, deadline 5 April 2030", "2030-04-05"],
  ])("dates the task: “%s”", async (request, due) => {
    expect(await say(request)).toContain(`(due ${due})`);
  });

  it("keeps the day when only the time is corrected", async () => {
    await say("add a task to tune the organ on 5 April 2030 at quarter past ten");
    expect(await say("no, at half past eleven")).toContain("due 2030-04-05 11:30");
  });

  it.each(["it's 12 April 2030 actually", "no, on 12 April 2030, sorry", "12 April 2030, my mistake"])(
    "is corrected without a word of it in the title: “%s”",
    async (correction) => {
      await say("add a task to varnish the pews on 5 April 2030");
      expect(await say(correction)).toContain('varnish the pews" (due 2030-04-12');
    },
  );

  it("is the new time of a reminder, which then recurs", async () => {
    await say("remind me on 5 April 2030 at eight pm to lock the boathouse");
    expect(await say("make it seven thirty")).toContain('lock the boathouse" (due 2030-04-05 19:30)');
    expect(await say("make the boathouse 12 noon instead")).toContain("due 2030-04-05 12:00");
    await say("make it 19:30");
    expect(await say("make it every Friday")).toContain("every Friday at 19:30");
    expect(await say("when does it ring next?")).toContain("every Friday at 19:30");
    expect(await harness.tasks()).toEqual([]);
  });

  it("is asked for after a reminder, and makes no other", async () => {
    await say("remind me on 5 April 2030 at 9 to fetch the nets");
    expect(await say("so what have I got on 5 April 2030")).toContain("fetch the nets");
    expect(await harness.tasks()).toHaveLength(1);
  });

  it("is the time of what recurs, and moves it", async () => {
    expect(
      await say("nudge me every Friday at a quarter to eight in the evening to lock the gate"),
    ).toContain("every Friday at 19:45");
    expect(await say("move the gate reminder to half past nine in the evening")).toContain("at 21:30");
  });

  it.each([
    ["remind me Monday to Friday at quarter past eight to take my vitamins", "every weekday at 08:15"],
    ["remind me Mon-Fri at 8:15 to feed the cat", "every weekday at 08:15"],
    [
      "remind me to feed the cat every day from monday to thursday",
      "every Monday, Tuesday, Wednesday and Thursday at 09:00",
    ],
    ["remind me friday to sunday at 10 to water the plants", "every Friday, Saturday and Sunday at 10:00"],
    ["thursday through friday at 7:30 list my tasks", "every Thursday and Friday at 07:30"],
  ])("is the time of a range of days: “%s”", async (request, times) => {
    expect(await say(request)).toContain(times);
  });

  it("is not the first of several days, which would be half of what was meant", async () => {
    expect(await say("add a task trip to Rome 3 to 5 December")).toContain('"trip to Rome 3 to 5 December"');
    expect(await say("remind me on Tuesday and Thursday at 18:30 to train")).toContain(
      "Do you want “remind me every Tuesday and Thursday at 18:30 to train” instead?",
    );
  });

  it("is told when the next thing is asked for", async () => {
    await say("set an alarm for 6 April 2030 at 6pm to take the bread out");
    await say("every weekday at 9 list my tasks");
    expect(await say("when does that run next?")).toContain("| List my tasks | every weekday at 09:00 |");
    await say("pause that");
    expect(await say("when is the next reminder?")).toContain("Take the bread out");
  });

  it("may have a last day, from the beginning or later, and another recurrence", async () => {
    const first = await say("remind me every day at 9 until 5 April 2030 to open the calendar");
    expect(first).toContain("every day at 09:00 until Friday 5 April 2030");
    expect(await say("actually every 2 hours")).toContain("every 2 hours until Friday 5 April 2030");
    expect(await say("until 12 April 2030")).toContain("every 2 hours until Friday 12 April 2030");
    expect(await say("what is scheduled?")).toContain("every 2 hours until Friday 12 April 2030");
  });

  it("is moved with its reminder where a number of it is corrected", async () => {
    expect(await say("remind me in 200 days to check the filter")).toContain("You will be reminded on");
    expect(await say("actually 300")).toMatch(/^Updated the task/u);
    const listed = await say("what is scheduled?");
    expect(listed).toContain("Check the filter");
    expect(listed).not.toContain("paused");
  });

  it("is asked about where it means two times", async () => {
    const asked = await harness.ask("add a task to pick up the cake on 6 April 2030 at half two");
    expect(asked.pending).toMatchObject({ question: expect.stringContaining("2:30 to some and 1:30") });
    expect((await harness.answer(asked, "14:30")).result).toContain("due 2030-04-06 14:30");
  });

  it.each(["half 8", "half eight"])("is asked about in a reminder, too: “%s”", async (half) => {
    const asked = await harness.ask(`remind me on 6 April 2030 at ${half} to feed the hens`);
    expect(asked.pending).toMatchObject({ question: expect.stringContaining("8:30 to some and 7:30") });
    expect((await harness.answer(asked, "7:30")).result).toContain('feed the hens" (due 2030-04-06 07:30)');
  });

  it("is named in the answer where it stays a part of the title", async () => {
    expect(await say("add a task to prepare the Monday meeting")).toContain(
      "It has no date: “Monday” is a part of its title.",
    );
    expect(await say("add a task to sharpen the skates")).not.toContain("no date");
  });
});

describe("the answer to a question", () => {
  it("is read like the rest of the request", async () => {
    const reminder = await harness.answer(
      await harness.ask("remind me"),
      "oil the hinges on 7 April 2030 at 9",
    );
    expect(reminder.result).toContain('Created the task "oil the hinges" (due 2030-04-07 09:00)');
    expect(reminder.result).toContain("You will be reminded");
    const task = await harness.answer(
      await harness.ask("add a task"),
      "paint the hull on 8 April 2030 at 14:00",
    );
    expect(task.result).toContain('"paint the hull" (due 2030-04-08 14:00)');
    const recurring = await harness.answer(await harness.ask("remind me"), "feed the cat every Monday at 8");
    expect(recurring.result).toContain("every Monday at 08:00");
  });

  it("is taken word by word in quotation marks", async () => {
    await harness.answer(await harness.ask("add a task"), "“ask Nelly about 9 April 2030”");
    expect(await harness.tasks()).toEqual(["ask Nelly about 9 April 2030"]);
  });
});

describe("the date of a task that was just made", () => {
  it("is set by a statement, and a time that is two times is not taken as a title", async () => {
    await say("add three tasks: return library books, email Dr Novak, print the poster");
    expect(await say("the first one is due on monday")).toContain("return library books");
    await say("add a task to pick up the kids tomorrow at 6");
    await say("make that half 5");
    expect((await harness.tasks()).join()).toContain("pick up the kids (");
  });
});

describe("words that name a day and no order", () => {
  it("are offered as a task, and nothing is done", async () => {
    expect(await say("order more mugs by tuesday")).toContain("Should it become a task?");
    expect(await harness.tasks()).toEqual([]);
    expect(await say("what is due by tuesday?")).not.toContain("become a task");
  });
});

it("asks which day is meant where a weekday and a date differ", async () => {
  await harness.ask("add a task to send the tax form by 15 January 2030");
  const run = await harness.ask("move it to Monday, 15 May 2030");
  expect(run.pending?.kind).toBe("question");
  expect((await harness.tasks()).join()).toContain("2030-01-15");
});

describe("a time that the conversation knows", () => {
  it("is the same time, the same day or the day before", async () => {
    await say("add a task inspect the bus on 9 April 2030 at 8:30");
    await say("and fetch the permit 11 April 2030 same time");
    await say("remind me the day before at 19:00 to fill the tank");
    await say("and ring the depot at 16:00 the same day");
    expect((await harness.tasks()).toSorted()).toEqual([
      "fetch the permit (2030-04-11T08:30:00.000Z)",
      "fill the tank (2030-04-10T19:00:00.000Z)",
      "inspect the bus (2030-04-09T08:30:00.000Z)",
      "ring the depot (2030-04-10T16:00:00.000Z)",
    ]);
  });

  it("is moved by an amount, to the usual half of the day, and by what it is not", async () => {
    await say("add a task call Mrs Olson on 9 April 2030 at 16:00");
    expect(await say("make it 430")).toContain("due 2030-04-09 16:30");
    expect(await say("no, half an hour earlier")).toContain("due 2030-04-09 16:00");
    expect(await say("it is not 16:00, it is 17:00")).toContain("due 2030-04-09 17:00");
    expect(await say("shift the Olson one a day")).toContain("due 2030-04-10 17:00");
    expect(await say("no, the 12th, 15:00, after lunch")).toContain("due 2030-04-12 15:00");
    expect(await harness.tasks()).toEqual(["call Mrs Olson (2030-04-12T15:00:00.000Z)"]);
  });
});

describe("a time before what is to be done", () => {
  it.each([
    ["on 9 April 2030 at 11:00 I tune the organ, put this in my tasks", "tune the organ", "2030-04-09 11:00"],
    ["organ check on 9 April 2030 at 8:30, remind me", "organ check", "2030-04-09 08:30"],
    [
      "I should like to be reminded on 9 April 2030 at 9:00 to post the parcel",
      "post the parcel",
      "2030-04-09 09:00",
    ],
    [
      "Put in shearing at Gallaghers, 9 April 2030 7 in the morning",
      "shearing at Gallaghers",
      "2030-04-09 07:00",
    ],
  ])("is read: “%s”", async (request, title, due) => {
    const answer = await say(request);
    expect(answer).toContain(`"${title}"`);
    expect(answer).toContain(due);
  });

  it("belongs to what should be done some day", async () => {
    await say("i should really clean out my garage someday");
    await say("ok fine make it a task for 6 April 2030");
    expect(await harness.tasks()).toEqual(["clean out my garage (2030-04-06)"]);
  });
});

it("a reason or an exclamation next to an order forbids nothing", async () => {
  await say("add a task visit Nolan on 9 April 2030 at 7:00");
  await say("Useless. Add a task visit Byrne on 10 April 2030 at 7:00");
  await say("Nolan rang, he can't. Take that one out.");
  expect(await harness.tasks()).toEqual(["visit Byrne (2030-04-10T07:00:00.000Z)"]);
});

it("a number alone is no time, and a remark about that day stays as it was written", async () => {
  await say("add a task visit Nolan on 9 April 2030 at 7:00");
  await say("4");
  expect(await say("that day was nice")).not.toContain("2030-04-09");
  expect(await harness.tasks()).toEqual(["visit Nolan (2030-04-09T07:00:00.000Z)"]);
});

it("a task is made, moved and asked for in roundabout words", async () => {
  await say(
    "I have to take Zosia to the dentist on 3 April 2030 at 15:20, would you please put that among my tasks?",
  );
  const moved = await say(
    "They have just rung and moved the dentist to 5 April 2030 at the same time, so could you please change it?",
  );
  expect(moved).toContain("due 2030-04-05 15:20");
  expect(await say("When exactly is the dentist, I am afraid I have already forgotten?")).toContain("15:20");
  await say("put it in my tasks to call the wholesaler on Monday");
  expect(await say("the wholesaler one is done he called me himself")).toContain("as done");
});

it("a reminder of the low tide has no priority, and is found by a loose question", async () => {
  await say("remind me on 3 April 2030 at 5:45 of the low tide");
  const answer = await say("so what reminders i have left");
  expect(answer.toLowerCase()).toContain("low tide");
});
