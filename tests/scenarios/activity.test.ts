import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installSimulatedClock, type SimulatedClock } from "../soak/simulated-clock.ts";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Questions about what was asked and done, answered from the stored runs, files and tasks without a model.

let clock: SimulatedClock;
let harness: PlainHarness;
beforeEach(async () => {
  clock = installSimulatedClock();
  week += 1;
  at("monday", "09:10");
  harness = await openPlainHarness();
});
afterEach(async () => {
  await harness.close();
  clock.remove();
});

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

/** Ids sort by time and always increase in one process, so each test uses a later week. */
let week = 0;
const FIRST_MONDAY = Date.parse("2031-01-06T00:00:00Z");
const DAYS = { monday: 0, wednesday: 2, friday: 4 } as const;

/** A day of the week of this test: `2031-01-06`. */
const day = (name: keyof typeof DAYS): string =>
  new Date(FIRST_MONDAY + (week * 7 + DAYS[name]) * 86_400_000).toISOString().slice(0, 10);

/** The text with the days of this test in place of their names in braces. */
const dated = (text: string): string =>
  text.replaceAll(/\{(monday|wednesday|friday)\}/gu, (_whole, name: keyof typeof DAYS) => day(name));

function at(name: keyof typeof DAYS, time: string): void {
  clock.setDate(Date.parse(`${day(name)}T${time}:00Z`) - clock.now());
}

/** The requests of Monday, Wednesday and Friday. */
async function aWeek(): Promise<void> {
  await say("add a task to go to the dentist");
  await say("create a file notes.md with the text hello");
  at("wednesday", "18:30");
  harness.startConversation();
  await say("delete notes.md");
  await say("append the text oars to trip/boat.md");
  at("friday", "08:00");
  harness.startConversation();
}

const RECAPS = [
  "what have you done since monday?",
  "so what have you been up to this week",
  "tell me everything you did in the last 5 days",
  "give me a recap of this week",
  "what hapened this week?",
  "what did u do since munday",
];

const WHETHER: readonly [question: string, answer: string][] = [
  // The first one, because it names the number of requests, and each question is one.
  ["did we delete the dentist task?", "No. Nothing that fits “dentist task” was deleted in the 4 requests"],
  ["did you add the dentist task?", 'Yes. {monday} 09:10: Created the task "go to the dentist".'],
  ["have you already deleted notes.md", "Yes. {wednesday} 18:30: Deleted out/notes.md"],
  ["did you put the dentist on my list yet?", 'Yes. {monday} 09:10: Created the task "go to the dentist".'],
  ["when did you create notes.md?", "{monday} 09:10: Created out/notes.md"],
  ["when did I add the dentist?", '{monday} 09:10: Created the task "go to the dentist".'],
  ["did you add the plumber task?", "No. Nothing that fits “plumber task” was added or created"],
  ["did you finish the dentist task?", "No. Nothing that fits “dentist task” was finished"],
];

describe("a question about what was done", () => {
  it("lists the changes of the day in sentences, in the time zone of the profile", async () => {
    await harness.profile.store.changeSettings({ timeZone: "Europe/Helsinki" });
    await aWeek();
    await say("mark the dentist task as done");
    const answer = await say("what did you do today?");
    expect(answer).toContain("Today, 1 change was made:");
    expect(answer).toContain('- 10:00: Marked "go to the dentist" as done.');
    expect(await say("what did you do on wednesday?")).toContain(
      "- 20:30: Deleted out/notes.md; it can be restored from the archive.",
    );
  });

  it("repeats no fact that was forgotten, unless it was restored", async () => {
    await say("remember that the cellar key is under stone 17");
    await say("forget the cellar key");
    for (const question of ["what did you do today?", "what did I ask today?"])
      expect(await say(question)).not.toMatch(/stone 17/u);
    expect(await say("what did you do today?")).toContain("Remembered something that was forgotten later.");
    await say("remember that the attic key is in drawer 23");
    await say("forget the attic key");
    await say("undo that");
    expect(await say("what did you do today?")).toContain("drawer 23");
  });

  it("is answered with the start of the records if nothing is stored", async () => {
    expect(await say("what did you do yesterday?")).toBe(
      "No request is stored from yesterday. No earlier request is stored.",
    );
    await aWeek();
    expect(await say("what did you do last week?")).toContain(
      dated("The oldest stored request is from {monday} 09:10; those of deleted conversations are gone."),
    );
  });

  it("is answered with what was not done, too", async () => {
    await say("delete the plumber task");
    const answer = await say("what did you do today?");
    expect(answer).toContain("Today, nothing was changed.");
    expect(answer).toContain("Not done:\n- “delete the plumber task”");
  });

  it("leaves no record that would answer a later question", async () => {
    await aWeek();
    await say("what did you do this week?");
    const recalled = await harness.profile.memory.recall({ query: "what was done this week dentist" });
    expect(recalled.filter(({ memory }) => memory.content.includes("changes were made"))).toEqual([]);
  });
});

describe("a question about what was requested", () => {
  it("lists the requests of the period", async () => {
    await aWeek();
    const answer = await say("what did I ask you on monday?");
    expect(answer).toMatch(/On Monday, \d+ \p{Lu}\p{L}+ 2031, you asked 2 times:/u);
    expect(answer).toContain("- 09:10: “add a task to go to the dentist”");
    expect(await say("how many questions did I ask on wednesday?")).toContain("you asked 2 times");
    expect(await say("what was my last question?")).toContain("how many questions");
  });

  it("groups them by conversation", async () => {
    await aWeek();
    expect(await say("what have we talked about this week?")).toContain("there were 2 conversations:");
    expect(await say("what did we talk about on wednesday")).toMatch(
      /- 18:30, “Delete notes.md”: “delete notes.md”, “append/iu,
    );
  });
});

describe("a question about files and tasks", () => {
  it("names the files with their changes, the last one first", async () => {
    await aWeek();
    const answer = await say("which files did you change this week?");
    expect(answer).toContain("2 files:");
    expect(answer).toContain(dated("out/trip/boat.md ({wednesday} 18:30): Created out/trip/boat.md"));
    expect(answer).toContain(dated("out/notes.md ({wednesday} 18:30): Deleted out/notes.md"));
    expect(answer).toContain(dated("\n  - {monday} 09:10: Created out/notes.md"));
    expect(await say("what files did you delete today?")).toContain("Today, no file was deleted.");
    expect(await say("show me the files that you created on monday")).toContain("out/notes.md (09:10)");
  });

  it("names the tasks that were added and finished, by any source", async () => {
    await aWeek();
    const { tasks } = await harness.profile.tasks.list({});
    await harness.profile.tasks.edit(tasks[0]?.id ?? "", { status: "done" });
    expect(await say("which tasks did I finish today?")).toContain("- 08:00: “go to the dentist”");
    expect(await say("what did I get done this week?")).toContain("“go to the dentist”");
    expect(await say("which tasks were added on monday?")).toContain("“go to the dentist”");
    expect(await say("which tasks were added yesterday?")).toBe("Yesterday, no task was added.");
  });
});

describe("a question whether something was done", () => {
  it("is answered with later changes of the thing, and with requests that were not executed", async () => {
    await aWeek();
    expect(await say("did you create notes.md?")).toMatch(
      /Yes\. \S+ 09:10: Created .*After that: \S+ 18:30: Deleted/su,
    );
    await say("delete the plumber task");
    expect(await say("did you delete the plumber task?")).toBe(
      dated("No. It was asked for on {friday} 08:00, “delete the plumber task”, and not done."),
    );
  });

  it.each([
    ["read package.json", "have you changed package.json?"],
    ["run the tests of package.json", "did you edit package.json"],
    ["delete package.json", "have you updated package.json yet?"],
    ["show me the last line of package.json", "did you delete package.json?"],
  ])("does not count “%s” as what “%s” asks for", async (request, question) => {
    await say(request);
    expect(await say(question)).toMatch(/^No\. Nothing that fits “package\.json” was/u);
  });
});

describe("questions about one week, each in a conversation of its own", () => {
  it("are understood, and answered with what was done", async () => {
    await aWeek();
    for (const question of RECAPS) {
      harness.startConversation();
      const answer = await say(question);
      expect(answer, question).toContain(dated('{monday} 09:10: Created the task "go to the dentist".'));
      expect(answer, question).toContain(dated("{wednesday} 18:30: Created out/trip/boat.md."));
    }
  });

  it("are answered with yes and the change, or with no", async () => {
    await aWeek();
    for (const [question, answer] of WHETHER) {
      harness.startConversation();
      expect(await say(question), question).toContain(dated(answer));
    }
  });
});

describe("a question about what was just done", () => {
  it.each([
    "what did you just do?",
    "what have you just done?",
    "wait, what did you do just now?",
    "what did you just change?",
  ])("is about the last request only: %s", async (question) => {
    await say("add a task to go to the dentist");
    await say("create a file notes.md with the text hello");
    expect(await say(question)).toBe(
      "For “create a file notes.md with the text hello”: Created out/notes.md.",
    );
  });

  it("says that nothing was changed, and what was changed before", async () => {
    await say("add a task to go to the dentist");
    await say("list my tasks");
    expect(await say("what did you just do?")).toBe(
      '“list my tasks” was answered without a change. Before that, for “add a task to go to the dentist”: Created the task "go to the dentist".',
    );
    harness.startConversation();
  });

  it("names a request that was not done", async () => {
    await say("read nowhere.md");
    expect(await say("what did you just do?")).toBe("“read nowhere.md” was not done.");
  });
});
