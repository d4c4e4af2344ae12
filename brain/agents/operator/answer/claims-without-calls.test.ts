import { describe, expect, it } from "vitest";
import { checkAnswer, checkAnswerAsync } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { type Call, call } from "./testing/observed-calls.ts";

type Given = Parameters<typeof evidenceOf>[0];

const problemsOf = (answer: string, given: Given) =>
  checkAnswer(answer, evidenceOf(given)).flatMap(({ problems }) => problems);
const isRefuted = (answer: string, given: Given) =>
  problemsOf(answer, given).some((problem) => problem.isRefuted);
const refutations = (answer: string, observations: Call[], more: Given): string[] =>
  problemsOf(answer, { observations, ...more }).flatMap(({ isRefuted: isWrong, text }) =>
    isWrong ? [text] : [],
  );

const created = (path: string, content = "") => ({
  tool: "fs_write",
  args: { path, content },
  success: true,
  outputs: { path, bytes: content.length, created: true },
});
const deleted = (path: string) => ({
  tool: "fs_delete",
  args: { path, recursive: false },
  success: true,
  outputs: { path, removed: {} },
});
const madeTask = (title: string) => ({
  tool: "task_create",
  args: { title },
  success: true,
  outputs: { id: "task-1", task: { id: "task-1", title, status: "todo", priority: "P2" } },
});

describe("a state that is said to be reached without a call", () => {
  const practice = "practice on 22 December too, please get the task and the page ready";
  const undo = "Oh wait, undo that please";
  const same = "now the same for the tenants";

  it.each([
    [practice, "The task and the page for the practice on 22 December are ready."],
    [practice, "The task for the practice is set up."],
    [undo, "I have taken it back: the list and the reminder are gone."],
    [undo, "It is undone."],
    [same, "I have prepared everything for the tenants."],
    ["Bitte alles für die Probe vorbereiten", "Die Probe ist vorbereitet."],
  ])("is not confirmed: %s → %s", (request, answer) => {
    expect(problemsOf(answer, { request })).not.toEqual([]);
  });

  it.each([
    ["I am ready for the party", "Great, you are all set!"],
    ["is bread ready when it sounds hollow?", "Bread is done when it sounds hollow."],
    ["write a poem about a dinner", "The table is set, the candles glow."],
    ["what is a mirror plane?", "A mirror plane is a plane of symmetry."],
    ["please get the page ready", "I cannot get it ready without its name."],
    ["please get the page ready", "Shall I get the page ready?"],
    ["please get the page ready", "The page is not ready: which practice is it for?"],
    ["explain how a starter works", "It is ready when it doubles."],
    ["tell me a joke", "I have learned a good one: why did the page turn?"],
  ])("is not looked for elsewhere: %s → %s", (request, answer) => {
    expect(problemsOf(answer, { request })).toEqual([]);
  });
});

describe("a task that is said to be made", () => {
  const request = "make a file called shopping.md with milk, and then a task to go shopping on tuesday";
  const observations = [created("out/shopping.md", "- milk\n")];

  it.each([
    "The task to go shopping on Tuesday is created as well.",
    "I created the file and the task.",
    "I added the task to go shopping on Tuesday.",
  ])("needs a call that made one: %s", (answer) => {
    expect(isRefuted(answer, { request, observations })).toBe(true);
  });

  it.each<[answer: string, given: Given]>([
    [
      "I created the file and the task.",
      { request, observations: [...observations, madeTask("Go shopping")] },
    ],
    [
      "I added the two tasks to the file.",
      { request: "put my two tasks into plan.md", observations: [created("out/plan.md", "- [ ] task: mow")] },
    ],
    ["I could not add the task to go shopping.", { request, observations }],
  ])("stands: %s", (answer, given) => {
    expect(isRefuted(answer, given)).toBe(false);
  });
});

describe("something beside a memory that is said to be on a list", () => {
  const request = "remember that Sofie is allergic to latex, so we need gloves without it";
  const text = "Sofie is allergic to latex, so gloves without latex are needed.";
  const remembered = (fact: string) => ({
    tool: "memory_remember",
    args: { text: fact },
    success: true,
    outputs: { memory: { content: fact } },
  });
  const observations = [remembered(text)];

  it.each([
    "I also added gloves to your shopping list.",
    "I've put gloves on the shopping list, too.",
    "Gloves were added to the list in your notes.",
    "I will remember the allergy, and I added gloves to your tasks.",
  ])("needs a call that wrote one: %s", (answer) => {
    expect(isRefuted(answer, { request, observations })).toBe(true);
  });

  it.each<[answer: string, given: Given]>([
    ["I added the allergy to your memories.", { request, observations }],
    [
      "I added gloves to your shopping list.",
      { request, observations: [...observations, created("out/shopping.md", "- gloves\n")] },
    ],
    [
      "I added gloves to your shopping list.",
      { request, observations: [remembered("Shopping list: milk, gloves")] },
    ],
    ["I added nothing to your shopping list.", { request, observations }],
    [
      "I noted the allergy; gloves were added to your shopping list before.",
      {
        request,
        observations,
        conversation: [{ role: "operator", text: "I added gloves to your shopping list." }],
      },
    ],
  ])("stands: %s", (answer, given) => {
    expect(isRefuted(answer, given)).toBe(false);
  });
});

describe("a further task", () => {
  const request = "ok put that in a note gear.md";
  const observations = [created("out/gear.md", "- Quickdraws: 18, 4 lent to Per\n")];
  const earlierCalls = (title: string) => [
    { skill: "task_create", args: { title }, outputs: { task: { title, status: "todo" } } },
  ];
  const refuted = (answer: string, title: string) =>
    checkAnswer(answer, {
      ...evidenceOf({ request, observations }),
      earlierCalls: earlierCalls(title),
    }).some(({ problems }) => problems.some((problem) => problem.isRefuted));

  it("is not shown by a task that an earlier request made", () => {
    expect(refuted("I also made a task to ask Per for them.", "Remind Per Vik to pay")).toBe(true);
  });

  it("may be the one that an earlier request made", () => {
    expect(refuted("I created a task to ask Per for them before.", "Ask Per for them")).toBe(false);
    expect(refuted("The note also names the task that was created for Per.", "Remind Per to pay")).toBe(
      false,
    );
  });
});

describe("an offer to save what the person is to say", () => {
  it("is no promise", () => {
    const request = "who can take over the key on thursday?";
    expect(
      problemsOf("I know of nobody yet. Tell me who has the key, and I will note it.", { request }),
    ).toEqual([]);
    expect(problemsOf("I know of nobody yet. I will note it.", { request })).not.toEqual([]);
  });
});

describe("a reminder beside something that was made", () => {
  const request = "make a task for the second one, by next Saturday";
  const observations = [madeTask("Patch the torn tarpaulin")];

  it("is set by a task that reminds", () => {
    const [made] = observations;
    const reminding = { ...made, outputs: { ...made?.outputs, remindedAt: "2026-11-28T08:00:00.000Z" } };
    expect(
      problemsOf("I have set up a reminder to patch the torn tarpaulin.", {
        request: "remind me to patch the torn tarpaulin on Saturday",
        observations: [{ ...madeTask("Patch the torn tarpaulin"), ...reminding }],
      }),
    ).toEqual([]);
  });

  it("may follow a word that says that all is done", () => {
    expect(
      problemsOf("All done: the task to patch the torn tarpaulin is on your list.", {
        request,
        observations,
      }),
    ).toEqual([]);
  });

  it.each([
    "I created the task “Patch the torn tarpaulin” with a reminder in the morning.",
    "I created the task “Patch the torn tarpaulin”, and a reminder is in place.",
  ])("needs a call that set it: %s", (answer) => {
    expect(problemsOf(answer, { request, observations })).not.toEqual([]);
  });

  it("may be a word of the title", () => {
    const titled = [madeTask("Letter with a reminder for Birgit")];
    expect(
      problemsOf("I created the task “Letter with a reminder for Birgit”.", {
        request: "make a task: letter with a reminder for Birgit",
        observations: titled,
      }),
    ).toEqual([]);
  });
});

describe("what several calls did", () => {
  it("is not counted over the topics of the conversation", () => {
    const evidence = {
      ...evidenceOf({
        request: "undo that, I'd rather ring them",
        conversation: [
          { role: "person", text: "write each of them a short reminder letter, one file each" },
          { role: "operator", text: "I wrote three letters: out/a.md, out/b.md and out/c.md." },
        ],
        observations: ["out/a.md", "out/b.md", "out/c.md"].map(deleted),
      }),
      known: ["Topics: <data>Pekka, letter, paid, missing</data>\n\nVoice: Plain, friendly, in short words."],
    };
    expect(checkAnswer("I deleted the three letters.", evidence).flatMap(({ problems }) => problems)).toEqual(
      [],
    );
  });
});

describe("a day of the month in the request", () => {
  const request = "the dinner list in dinner.md please, we buy the ham on the 20th";
  const observations = [created("out/dinner.md", "- ham")];

  it("is the next one", () => {
    expect(problemsOf("You buy the ham on 20 December.", { request, observations })).toEqual([]);
    expect(problemsOf("You buy the ham on 20 January.", { request, observations })).not.toEqual([]);
  });
});

describe("a program that is said to have run", () => {
  const edit = call("fs_edit", { path: "out/tally/split.js" }, { path: "out/tally/split.js", replaced: 1 });
  const request = "the test in my tally project fails, can you fix it";

  it.each([
    "I rounded the last share in split.js. The test passes now.",
    "I rounded the last share in split.js [1], and all tests pass.",
    "Ich habe split.js geändert [1], die Tests laufen jetzt durch.",
  ])("is refuted where nothing was run: %s", (answer) => {
    expect(refutations(answer, [edit], { request })).toEqual([expect.stringContaining("no program was run")]);
  });

  it.each<[answer: string, more: Call[]]>([
    ["I rounded the last share in split.js [1]. The test should pass now; I could not run it.", []],
    ["I rounded the last share in split.js [1]. The tests were not run.", []],
    [
      "I rounded the last share in split.js [1]. The test passes now [2].",
      [call("shell_safe", { argv: ["node", "--test"] }, { stdout: "# pass 1", exitCode: 0 })],
    ],
  ])("stands where it was run, or is not said to be: %s", (answer, more) => {
    expect(refutations(answer, [edit, ...more], { request })).toEqual([]);
  });
});

describe("a correction of a file", () => {
  const request = "no, the second column, you took the third";
  const added = (created: boolean): Call =>
    call(
      "fs_append",
      { path: "out/renovation.md", text: "Total: 1355" },
      { path: "out/renovation.md", bytes: 11, created, added: "Total: 1355\n" },
    );

  it("is refuted where text was only added", () => {
    const answer = "The second column adds up to 1355, and I corrected it in renovation.md [1].";
    expect(refutations(answer, [added(false)], { request })).toEqual([
      expect.stringContaining("text was only added to it"),
    ]);
  });

  it.each<[answer: string, made: Call]>([
    ["I added the corrected total 1355 to renovation.md [1].", added(false)],
    ["I corrected it in renovation.md: the total is 1355 [1].", added(true)],
    [
      "I corrected the total in renovation.md to 1355 [1].",
      call(
        "fs_edit",
        { path: "out/renovation.md", find: "1466", text: "1355" },
        { path: "out/renovation.md", replaced: 1 },
      ),
    ],
  ])("stands where text was changed, or is said to be added: %s", (answer, made) => {
    expect(refutations(answer, [made], { request })).toEqual([]);
  });
});

describe("a promise for every later time", () => {
  const request = "no, those call tasks should always be due on a friday";
  const update = call(
    "task_update",
    { id: "t1", due: "2026-12-04" },
    { id: "t1", task: { title: "Call Otto" } },
  );
  const rule = call("memory_remember", { text: "Call tasks are due on a Friday" }, { id: "evt-1" });
  it.each([
    "I will do that for all call tasks from now on.",
    "Ich werde das künftig immer so machen.",
    "I'll set them to Friday every time.",
  ])("is refuted if only this time was changed: %s", (answer) => {
    expect(refutations(answer, [update], { request })).toHaveLength(1);
    expect(refutations(answer, [update, rule], { request })).toEqual([]);
  });
});

describe("an answer that only says that everything is done", () => {
  const listed = call("task_list", {}, { tasks: [{ title: "Call Otto", status: "todo" }], total: 1 });
  const written = call(
    "fs_write",
    { path: "out/tasks.md" },
    { path: "out/tasks.md", bytes: 9, created: true },
  );

  const problemsWith = async (
    answer: string,
    request: string,
    ...observations: Call[]
  ): Promise<string[]> => {
    const checked = await checkAnswerAsync(
      answer,
      evidenceOf({ request, observations }),
      new AbortController().signal,
    );
    return checked.flatMap(({ problems }) => problems.map(({ text }) => text));
  };

  it.each([
    ["write a short list of my open tasks into tasks.md", "Everything is done."],
    ["write a short list of my open tasks into tasks.md", "All done!"],
    ["schreib mir bitte eine kurze Liste der offenen Aufgaben in die Datei aufgaben.md", "Alles erledigt."],
  ])("is refuted where the calls only read: %s → %s", async (request, answer) => {
    expect(await problemsWith(answer, request, listed)).toEqual([
      expect.stringContaining("no call changed anything"),
    ]);
    expect(await problemsWith(answer, request, listed, written)).toEqual([]);
  });

  it("stands where the request orders nothing outside the answer", async () => {
    expect(await problemsWith("Everything is done.", "is anything left of my tasks?", listed)).toEqual([]);
  });
});
