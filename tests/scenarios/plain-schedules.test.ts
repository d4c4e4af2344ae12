import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Conversations about what recurs, without a model: other times and days, pauses, a last day, and undo.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

it("changes the time and the days of what recurs", async () => {
  await say("remind me every monday at 9 to put the bins out");
  expect(await say("at 7pm")).toContain("every Monday at 19:00");
  expect(await say("actually make it sunday")).toContain("every Sunday at 19:00");
  expect(await say("make it half past 8")).toContain("every Sunday at 20:30");
  expect(await say("undo that")).toContain("every Sunday at 19:00");
});

it("is taken back as a whole by “undo”, and nothing else is", async () => {
  const titles = async () =>
    (await harness.profile.schedules.list({ limit: 10 })).items.map(({ title }) => title);
  await say("every friday at 17:00 list my tasks");
  await say("remind me every day at 7 to feed the cat");
  await say("undo");
  expect(await titles()).toHaveLength(1);
  await say("remind me on 5 April 2099 at 7 to ring the vet");
  await say("make it every month");
  expect(await harness.tasks()).toEqual([]);
  await say("undo");
  expect(await harness.tasks()).toHaveLength(1);
  expect((await titles()).filter((title) => title.includes("vet"))).toHaveLength(1);
});

it("leaves out days of the week", async () => {
  await say("every weekday at 8:15 remind me to check the backups");
  expect(await say("not on fridays")).toContain("every Monday, Tuesday, Wednesday and Thursday at 08:15");
  expect(await say("stop it on mondays")).toContain("every Tuesday, Wednesday and Thursday at 08:15");
  expect(await say("change the time to 8:30")).toContain("at 08:30");
  expect(await say("until 2099-12-31")).toContain("until Thursday 31 December 2099");
});

it("does not take the days that are denied for the new ones", async () => {
  await say("remind me every day at 8 to take the pills");
  expect(await say("no weekends please")).toContain(
    "every Monday, Tuesday, Wednesday, Thursday and Friday at 08:00",
  );
});

it("pauses until a day, and resumes before it", async () => {
  await say("remind me every monday at 9 to water the ferns");
  expect(await say("pause it until 2099-01-01")).toMatch(/Paused “Water the ferns”[^]*2099 at 00:01/u);
  expect(await say("resume it")).toContain("Resumed “Water the ferns”");
  expect(await say("which reminders are set?")).toContain("Water the ferns");
});

describe("a reminder after the event that it is for", () => {
  it.each([
    ["Board meeting 2031-12-04 at 18:00, remind me an hour before", "Board meeting (18:00)", "17:00"],
    ["vet's coming 2031-12-02 at 2, remind me at 1", "vet's coming (14:00)", "13:00"],
    ["dinner with Lena 2031-12-06 at 7pm, remind me at 5", "dinner with Lena (19:00)", "17:00"],
    ["the train leaves 2031-12-06 at 6:40, so wake me at 5:30", "train leaves (06:40)", "05:30"],
    [
      "I have a dentist appointment on 2031-12-03 at 14:30. Please remind me 30 minutes before.",
      "dentist appointment (14:30)",
      "14:00",
    ],
  ])("is set: %j", async (request, title, time) => {
    await harness.ask(request);
    const [task = ""] = await harness.tasks();
    expect(task).toContain(title);
    expect(task).toContain(`T${time}`);
  });

  it("is on another day with the date of the event", async () => {
    await harness.ask("exam on 12 December 2031, remind me a week before");
    expect(await harness.tasks()).toEqual(["exam (2031-12-12) (2031-12-05T09:00:00.000Z)"]);
  });

  it.each([
    "the board meets on 2031-12-04 at 18:00, remind me on 2031-12-05",
    "add a task to pay the rent by 2031-12-04, remind me about that",
    "the meeting was nice, remind me an hour before",
  ])("is not set after the event, for another order, or without a date: %j", async (request) => {
    await harness.ask(request);
    const tasks = await harness.tasks();
    expect(tasks.filter((task) => task.includes("board") || task.includes("nice"))).toEqual([]);
  });
});

describe("the same reminder said twice", () => {
  it("stands once, and “undo that” takes nothing back", async () => {
    await harness.ask("remind me on 2031-12-05 at 10 to call the winter storage");
    const again = await harness.ask("remind me to call the winter storage on 2031-12-05 at 10");
    expect(again.result).toContain("already");
    expect(await harness.tasks()).toHaveLength(1);
    await harness.ask("remind me every Monday at 9 to check the statement");
    const { result } = await harness.ask("remind me every Monday at 9 to check the statement");
    expect(result).toContain("already");
    const { items } = await harness.profile.schedules.list({ limit: 10 });
    expect(items).toHaveLength(2);
    await harness.ask("undo that");
    expect((await harness.profile.schedules.list({ limit: 10 })).items).toHaveLength(2);
  });

  it.each([
    "what reminders have I got?",
    "do I have any reminders?",
    "my reminders",
    "which reminders are set",
  ])("is listed: %j", async (request) => {
    await harness.ask("remind me every Monday at 9 to check the statement");
    expect((await harness.ask(request)).result).toContain("Check the statement");
  });
});

describe("a recurring reminder", () => {
  it("keeps its half of the day, and skips one day only", async () => {
    await harness.ask("remind me every weekday at six in the morning to take my vitamins");
    expect((await harness.ask("sorry make that half past six")).result).toContain("every weekday at 06:30");
    // On a Monday, the reminder of that day may be over.
    const isMonday = new Date().getDay() === 1;
    const [day, others] = isMonday ? ["tuesday", "Monday, Wednesday"] : ["monday", "Tuesday, Wednesday"];
    expect((await harness.ask(`skip it on ${day}`)).result).toContain("Skipped");
    expect((await harness.ask(`skip it on ${day}s`)).result).toContain(
      `every ${others}, Thursday and Friday`,
    );
  });
});

describe("an order for a schedule beside its reason", () => {
  it("pauses it until the day of the reason, and starts it again earlier", async () => {
    await say("remind me every monday at 9 to check the bank statement");
    expect(await say("I'm away until 2099-01-05, pause it until then")).toContain(
      "Monday 5 January 2099 at 00:01",
    );
    expect(await say("when is it next?")).toMatch(/Check the bank statement[^]*paused/u);
    const listed = await say("what reminders have I got?");
    expect(listed).toContain("1 schedule");
    expect(listed).not.toContain("Resume the schedule");
    expect(await say("start it again already on 2099-01-01")).toContain("Thursday 1 January 2099 at 00:01");
    expect(await say("resume it")).toContain("Resumed “Check the bank statement”");
    expect((await harness.profile.schedules.list({ limit: 10 })).items).toHaveLength(1);
  });

  it.each([
    [
      "remind me every tuesday at 18:30 of choir",
      "There's none next Tuesday! Skip it.",
      /^Skipped \d{4}-\d\d-\d\d of “Choir”/u,
    ],
    [
      "remind me every friday at 4pm to send the order",
      "we're closed next friday, skip that one",
      /^Skipped .* of “Send the order”/u,
    ],
    [
      "remind me every day at 8 to take the pills",
      "and never on wednesdays",
      /every Monday, Tuesday, Thursday/u,
    ],
    ["remind me every day at 12 to lock the shed", "stop it for two weeks", /Paused “Lock the shed”/u],
    ["remind me every weekday at 7:15 to list tasks", "make it 7 instead of 7:15", /every weekday at 07:00/u],
    ["remind me every weekday at 7:15 to list tasks", "turn it off", /Paused “List tasks”/u],
  ])("after %j: %j", async (reminder, order, answer) => {
    await say(reminder);
    expect(await say(order)).toMatch(answer);
  });

  it("skips every time of a month", async () => {
    await say("remind me every monday at 9 to check the bank statement");
    const answer = await say("skip the bank statement in february");
    expect(answer.match(/Skipped \d{4}-02-\d\d/gu)?.length).toBeGreaterThanOrEqual(4);
  });

  it("comes back after its deletion", async () => {
    await say("remind me to water the plants every sunday at 10");
    await say("cancel it");
    expect(await say("undo that")).toContain("Restored");
    expect(await say("my reminders")).toContain("Water the plants");
  });
});

it("a reminder that is changed politely is no new one", async () => {
  await say("Remind me please to take the tablet every night at 21:00");
  expect(await say("Please change the tablet reminder to half past eight in the evening")).toContain("20:30");
  expect(await say("My mother used to say, stop worrying and go to sleep")).not.toMatch(/deleted|stopped/iu);
  expect(await say("what all reminders are there?")).toContain("Take the tablet");
  expect(await harness.tasks()).toEqual([]);
});
