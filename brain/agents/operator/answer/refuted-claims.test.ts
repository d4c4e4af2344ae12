import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { type Call, call, costs, failed } from "./testing/observed-calls.ts";

const tasks = call(
  "task_list",
  {},
  {
    tasks: [
      { title: "Write the report", status: "todo", due: "2026-11-24", priority: "P2" },
      { title: "Buy milk", status: "done", priority: "P2" },
    ],
    total: 2,
  },
);
const trip = call(
  "fs_read",
  { path: "out/trip.md" },
  {
    path: "out/trip.md",
    content: "Rope: 60 m\nHotel: 4 nights, 120 EUR each\nFlight: 14 March 2027, 09:35\n",
  },
);
const ticket = call(
  "fs_read",
  { path: "out/ticket.txt" },
  { path: "out/ticket.txt", content: "Seat 45, coach 12\n" },
);
const party = call(
  "fs_read",
  { path: "out/party.md" },
  {
    path: "out/party.md",
    content:
      "# Party\n\n## Ada\n- lemon tart\n\n## Bram\n- green salad\n\nkitchen:\n  - new tap\ngarden:\n  - rose bed\n",
  },
);
const trash = { title: "Trash", status: "todo", due: "2026-11-25T08:00:00+02:00", priority: "P2" };
const dueTask = call("task_create", {}, { task: trash });
const noSchedules = call("schedule_list", {}, { schedules: [], total: 0 });
const deletedSchedule = call("schedule_delete", { id: "s1" }, { id: "s1" });
const allergy = call(
  "memory_remember",
  { text: "Anneli is allergic to hazelnuts." },
  { memory: { content: "Anneli is allergic to hazelnuts." } },
);
const gym = { text: "I pay 14.50 euros for the gym every month." };

const problemsOf = (
  answer: string,
  observations: readonly Call[],
  more: Parameters<typeof evidenceOf>[0] = {},
) =>
  checkAnswer(answer, evidenceOf({ observations: [...observations], ...more })).flatMap(
    ({ problems }) => problems,
  );

describe("a claim that code refutes", () => {
  it.each<[about: string, answer: string, observations: Call[]]>([
    ["a citation of a step that was not made", "It is there [7].", [trip]],
    ["a file that nothing named", "The list is in out/other.md.", [trip]],
    ["an address that nothing named", "The report is at https://example.org/report.", [trip]],
    ["an action of the operator without a call", "I emailed it to Ada.", [tasks]],
    ["an action at the start of the answer", "Emailed to Ada.", [tasks]],
    [
      "a second action, of which the person is the object",
      "I read out/trip.md [1] and sent you an email.",
      [trip],
    ],
    ["an action at the start whose object is the person", "Sent you a copy by e-mail.", [trip]],
    ["an action of the operator in Spanish", "He enviado el correo.", [tasks]],
    ["an action that no list names", "I have registered Tim for you.", [trip]],
    ["an action whose only call failed", "The file out/b.md has been removed.", [failed]],
    ["another status of a task", '"Write the report" is done.', [tasks]],
    ["a value of another row", "Tom paid for the dinner.", [costs]],
    ["the numbers of two labels exchanged", "You have seat 12 in coach 45.", [ticket]],
    ["a weekday that the calendar contradicts", "Your flight is on Tuesday, 14 March 2027.", [trip]],
    [
      "the weekday that an observed day has in another year",
      'I added the task "Book the hotel", due Thursday 27 November.',
      [call("task_create", {}, { task: { ...trash, title: "Book the hotel", due: "2026-11-27" } })],
    ],
    [
      "a reminder where a task has no more than a due day",
      "I'll remind you on Wednesday at 8:00.",
      [dueTask],
    ],
    ["the same in German", "Ich erinnere dich am Mittwoch um 8:00 Uhr daran.", [dueTask]],
    ["a notification for a day without a schedule", "I will notify you on Wednesday.", [dueTask]],
    ["a message at a time without a schedule", "I'll ping you at 8:00.", [dueTask]],
    ["a reminder that the person will get", "You'll get a reminder on Wednesday.", [dueTask]],
    ["a reminder in the passive", "You will be reminded tomorrow morning.", [dueTask]],
    ["a reminder after the schedules were only listed", "I'll remind you on Wednesday.", [noSchedules]],
    ["a reminder after one was only deleted", "I'll remind you on Wednesday.", [deletedSchedule]],
  ])("is %s", (_, answer, observations) => {
    expect(problemsOf(answer, observations).some(({ isRefuted }) => isRefuted)).toBe(true);
  });
});

describe("a state that the request asks the operator to change", () => {
  const isRefuted = (request: string, answer: string, observations: readonly Call[] = []) =>
    problemsOf(answer, observations, { request }).some((problem) => problem.isRefuted);

  it.each([
    [
      "Book me a table for two on Saturday at seven",
      "Your table for two is reserved for Saturday, 28 November at 19:00.",
    ],
    ["Please reserve a room for Monday.", "A room is booked for Monday."],
    ["Pay the electricity bill", "The electricity bill is paid."],
    ["Send Ada the report, please", "The report is on its way to Ada."],
    ["Book me a table for two", "Many thanks, your table for two is reserved."],
    ["Book me a table for two", "Your table for two is reserved at no cost."],
    ["Reserve a room, please", "The room is booked without a deposit."],
    ["Book me a table for two", "Your table for two is reserved, anything else?"],
    ["Pay the electricity bill", "The electricity bill is paid – shall I note the amount?"],
    ["Book me a table for two", "I got you a table for two."],
    ["Could you reserve a room for Monday?", "Good news: I've got you a room for Monday!"],
    ["Order a pizza", "I have got a pizza for you."],
  ])("is refuted without a call: %s → %s", (request, answer) => {
    expect(isRefuted(request, answer)).toBe(true);
    expect(isRefuted(request, answer, [tasks])).toBe(true);
  });

  it.each([
    ["Is my table for Saturday booked?", "Most tables are booked on Saturdays."],
    ["Book me a table for two on Saturday", "Your table is not booked: I cannot reach the restaurant."],
    ["Which book is reserved for me?", "A book is reserved for three days."],
    ["Book me a table for two", "Is your table reserved yet, or shall I look for the number?"],
    ["Book me a table for two", "Your table is reserved, right?"],
    ["Book me a table for two", "At the moment nothing is reserved at all."],
    ["Book me a table for two", "I got you the opening hours: they close at ten."],
    ["Book me a table for two", "If a table is reserved, anything else is easy."],
    ["Send Ada the report, please", "I've got you covered, but I cannot send mail."],
  ])("is not refuted if it does not claim that action: %s → %s", (request, answer) => {
    expect(isRefuted(request, answer)).toBe(false);
  });

  it("is not refuted if the call succeeded", () => {
    const booked = call("table_book", { guests: 2 }, { day: "2026-11-28", status: "reserved" });
    expect(isRefuted("Book me a table for two", "Your table for two is reserved.", [booked])).toBe(false);
  });
});

describe("noted content", () => {
  it("must be in the call, not only in the request", () => {
    const request =
      "Remember that Anneli is allergic to hazelnuts. And the wifi password hint is on the fridge.";
    const problems = (answer: string) => problemsOf(answer, [allergy], { request });
    expect(problems("I've remembered that Anneli is allergic to hazelnuts [1].")).toEqual([]);
    expect(problems("I've also noted that the wifi password hint is on the fridge.")).not.toEqual([]);
  });

  it("may be repeated, and may be stored at the second attempt", () => {
    const observations = [call("memory_remember", gym, {}, false), call("memory_remember", gym, {})];
    const answer = "I've remembered that you pay 14.50 euros for the gym every month [2].";
    expect(problemsOf(answer, observations)).toEqual([]);
  });
});

describe("a change of several tasks", () => {
  const two = ["Trash", "Book the hotel"].map((title) => ({ ...trash, title }));
  const listed = call("task_list", {}, { tasks: two, total: 2 });
  const moved = (title: string) =>
    call("task_update", { due: "2026-11-30" }, { task: { ...trash, title, due: "2026-11-30" } });
  const answer = 'I moved everything to 30 November: "Trash" and "Book the hotel" [2].';
  const problems = (observations: Call[]) =>
    problemsOf(answer, observations, { request: "push everything to 30 November" });

  it("is refuted if one of the named tasks was not changed", () => {
    expect(problems([listed, moved("Trash")])).toContainEqual({
      text: '"Book the hotel" is said to be changed, and no successful call changed it.',
      isRefuted: true,
    });
  });
  it("is confirmed if each of them was changed", () => {
    expect(problems([listed, moved("Trash"), moved("Book the hotel")])).toEqual([]);
  });
});

it("reads an observed day at the end of a sentence as a day", () => {
  const list = call("task_list", {}, { tasks: [{ ...trash, due: "2026-11-27" }], total: 1 });
  const numbers = (answer: string) =>
    problemsOf(answer, [list]).filter(({ text }) => /is stated/u.test(text));
  expect(numbers("- Trash, perjantai 27.11.")).toEqual([]);
  expect(numbers("- Trash, perjantai 28.11.")).not.toEqual([]);
});

describe("a promised reminder", () => {
  it.each<[about: string, answer: string, observations: Call[]]>([
    [
      "was set",
      "I'll remind you on Wednesday at 8:00.",
      [call("remind", { at: trash.due }, { at: trash.due })],
    ],
    ["is only offered", "Shall I remind you on Wednesday?", [dueTask]],
    ["depends on the person", "I'll remind you on Wednesday if you like.", [dueTask]],
    ["is denied", "I will not remind you, because no reminder was set.", [dueTask]],
    ["has no time", "I'll let you know what I find in it.", [dueTask]],
    [
      "is listed",
      "I'll remind you of the dentist on Wednesday.",
      [call("schedule_list", {}, { schedules: [{ name: "Dentist", text: "dentist" }], total: 1 })],
    ],
    [
      "was scheduled",
      "I will notify you on Wednesday.",
      [call("schedule_create", { at: trash.due }, { schedule: { name: "Trash" } })],
    ],
  ])("is not refuted if it %s", (_, answer, observations) => {
    expect(problemsOf(answer, observations).filter(({ isRefuted }) => isRefuted)).toEqual([]);
  });
});

describe("a promise to remember", () => {
  const promised = (answer: string, observations: Call[] = [], more = {}) =>
    problemsOf(answer, observations, { request: "my locker number is 214 at the gym", ...more }).filter(
      ({ isRefuted }) => isRefuted,
    );

  it.each([
    "Got it, I will keep that in mind.",
    "I will keep in mind that he moves in January.",
    "I'll bear it in mind.",
    "I'll remember that.",
    "I won't forget it.",
    "Ich merke mir das.",
    "Je m'en souviendrai.",
  ])("is refuted if no call saved it: %s", (answer) => {
    expect(promised(answer)).toHaveLength(1);
    expect(promised(answer)[0]?.text).toContain("memory_remember");
  });

  it("is not refuted if it was saved or is known, or is only offered", () => {
    const answer = "I will keep that in mind.";
    const saved = call(
      "memory_remember",
      { text: "Locker number: 214" },
      { id: "evt-1", content: "Locker number: 214" },
    );
    expect(promised(answer, [saved])).toEqual([]);
    expect(promised(answer, [], { memories: ["The locker number at the gym is 214"] })).toEqual([]);
    expect(promised("Shall I remember that?")).toEqual([]);
    expect(promised("I will remember it if you like.")).toEqual([]);
  });
});

it("is not read as a set reminder: a memory with the word schedule, or a sentence about another reminder", () => {
  const answer = "I'll remind you of the parcel on Wednesday.";
  for (const memory of ["The train schedule hangs in the hall.", "I set a reminder for the dentist in May."])
    expect(problemsOf(answer, [], { memories: [memory] }).some(({ isRefuted }) => isRefuted)).toBe(true);
  const memories = ["A reminder for the parcel is set for Wednesday."];
  expect(problemsOf(answer, [], { memories })).toEqual([]);
});

describe("a reminder that is said to be set", () => {
  const request = "remember that the dentist is on 3 December at 9:40";
  const saved = call(
    "memory_remember",
    { text: "Dentist on 3 December at 9:40" },
    { id: "evt-1", content: "Dentist on 3 December at 9:40" },
  );
  const set = call("remind", { text: "Dentist" }, { schedule: { title: "Dentist", kind: "reminder" } });
  const refuted = (answer: string, calls: Call[], more = {}): boolean =>
    problemsOf(answer, calls, { request, ...more }).some(({ isRefuted }) => isRefuted);

  it.each([
    "I also set a reminder for the evening before.",
    "A reminder for the evening before is set.",
    "Ich habe dir auch eine Erinnerung für den Abend davor eingerichtet.",
    "Der Strom wird am 5. Dezember abgebucht, und ich habe dir eine Erinnerung gestellt.",
  ])("is refuted where no call set one: %s", (answer) => {
    expect(refuted(answer, [saved])).toBe(true);
    expect(refuted(answer, [saved, set])).toBe(false);
    expect(refuted(answer, [saved], { memories: ["A reminder for the dentist is set."] })).toBe(false);
  });

  it("is only doubted where a task or a line may be meant", () => {
    const problems = problemsOf("I added a reminder for Wednesday.", [dueTask], { request: "the trash" });
    expect(problems.some(({ isRefuted }) => isRefuted)).toBe(false);
  });

  it("stands as an offer, and where it is denied", () => {
    expect(refuted("Shall I set a reminder for the evening before?", [saved])).toBe(false);
    expect(refuted("I have not set a reminder.", [saved])).toBe(false);
  });
});

describe("an observed day", () => {
  const list = call("task_list", {}, { tasks: [{ ...trash, due: "2026-11-27" }], total: 1 });

  it.each(["The trash costs 27.11 euros.", "The trash costs €27.11.", "The trash weighs 27.11 kg."])(
    "is not a quantity: %s",
    (answer) => {
      expect(problemsOf(answer, [list])).not.toEqual([]);
    },
  );
});

describe("text that the operator itself wrote into a file", () => {
  const wrote = call(
    "fs_write",
    { path: "out/trip.md", content: "Rope: 70 m\nBring the blue tent\n" },
    { path: "out/trip.md", bytes: 31, created: true },
  );

  it.each(["Your rope is 70 m long.", "Your rope is 70 m long [1]."])(
    "proves nothing about the person: %s",
    (answer) => {
      expect(problemsOf(answer, [wrote], { request: "write a packing list" })).not.toEqual([]);
    },
  );

  it.each([
    "I wrote out/trip.md: a rope of 70 m and the blue tent [1].",
    "The list has a rope of 70 m and the blue tent.",
    "I saved this in out/trip.md:\n- Rope: 70 m\n- the blue tent",
  ])("proves what the file contains: %s", (answer) => {
    expect(problemsOf(answer, [wrote], { request: "write a packing list" })).toEqual([]);
  });

  it("is confirmed if the request or another observation says the same", () => {
    const answer = "Your rope is 70 m long.";
    expect(problemsOf(answer, [wrote], { request: "write a packing list, the rope has 70 m" })).toEqual([]);
    const read = call("fs_read", { path: "out/rope.md" }, { content: "The rope measures 70 m" });
    expect(problemsOf(answer, [read, wrote], { request: "write a packing list" })).toEqual([]);
  });
});

describe("a claim that code can only doubt", () => {
  it.each<[about: string, answer: string, observations: Call[]]>([
    ["a number that nothing shows", "Your rope is 70 m long.", [trip]],
    ["a day that nothing shows", "Your flight is on 16 March 2027.", [trip]],
    ["a time that nothing shows", "Your flight leaves at 10:45.", [trip]],
    ["a name that nothing shows", "Your friend Gustav booked it.", [trip]],
    ["words that nothing shows", "The rope was stolen from a rental car.", [trip]],
    ["an action of somebody else", "Tom has emailed the landlord.", [costs]],
    [
      "an action of somebody else, named by a pronoun",
      "Tom paid the snacks and he emailed the landlord.",
      [costs],
    ],
    ["something that is said to have been done", "The report was edited.", [tasks]],
  ])("is %s", (_, answer, observations) => {
    const problems = problemsOf(answer, observations);
    expect(problems).not.toEqual([]);
    expect(problems.filter(({ isRefuted }) => isRefuted)).toEqual([]);
  });
});

describe("a pair of a name and its value", () => {
  it.each([
    ["the heading above", "They bring [1]:\n- Ada: lemon tart\n- Bram: green salad"],
    ["the less indented line above", "The plan [1]:\n- Kitchen: new tap\n- Garden: rose bed"],
  ])("is confirmed by %s", (_, answer) => {
    expect(problemsOf(answer, [party])).toEqual([]);
  });

  it("is refuted if it appears under another heading", () => {
    const problems = problemsOf("They bring [1]:\n- Ada: green salad", [party]);
    expect(problems.some(({ isRefuted }) => isRefuted)).toBe(true);
  });
});

it("does not read the verb need as a past tense, and its subject as a name", () => {
  expect(
    problemsOf("Children need two spoons [1].", [call("fs_read", {}, { content: "spoons: two per kid" })]),
  ).toEqual([]);
});

describe("an action outside this machine that the person wants written down", () => {
  const bath = call("task_create", {}, { task: { ...trash, title: "Bath for Luna", due: "2026-12-03" } });
  const isRefuted = (request: string, answer: string): boolean =>
    checkAnswer(answer, evidenceOf({ request, observations: [bath] })).some(({ problems }) =>
      problems.some((problem) => problem.isRefuted),
    );

  it.each([
    [
      "book Luna in for a bath on 2026-12-03: a task for it and a line in grooming.md",
      "Luna is booked in for a bath on 2026-12-03 [1].",
    ],
    ["book Luna in for a bath on 2026-12-03", "I booked it as a task [1]."],
  ])("is not refuted: %s", (request, answer) => {
    expect(isRefuted(request, answer)).toBe(false);
  });

  it.each([
    ["book me a table for two: a task for it", "Your table for two is booked [1]."],
    ["book me a table for two", "I booked your table [1]."],
  ])("is refuted when the call was about something else, or nothing says so: %s", (request, answer) => {
    expect(isRefuted(request, answer)).toBe(true);
  });
});

describe("an action at the end of its sentence", () => {
  const refutations = (answer: string, observations: Call[] = []): string[] =>
    checkAnswer(answer, evidenceOf({ request: "kümmere dich um den Zahnarzt", observations })).flatMap(
      ({ problems }) => problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
    );

  it.each([
    "Ich habe die Aufgabe „Zahnarzt anrufen“ bis Dienstag, 1. Dezember 2026 angelegt.",
    "Dann habe ich die Aufgabe, wie gewünscht, erstellt.",
    "I looked it up, and let Lee know.",
    "I let the dentist know.",
  ])("is refuted without a call: %s", (answer) => {
    expect(refutations(answer)).not.toEqual([]);
  });

  it.each([
    "Ich habe, wie du weißt, keine Aufgabe angelegt.",
    "Ich habe gesehen, dass du die Aufgabe angelegt hast.",
    "Let me know when it is done.",
    "I will let Lee know.",
    "I have not let Lee know.",
  ])("is no claim: %s", (answer) => {
    expect(refutations(answer)).toEqual([]);
  });

  it("stands after the call", () => {
    expect(
      refutations("Ich habe die Aufgabe „Trash“ bis Mittwoch, 25. November, angelegt [1].", [dueTask]),
    ).toEqual([]);
  });
});

describe("a piece of code in a sentence", () => {
  it("does not end the sentence", () => {
    const answer = "Guard it: `(items ?? []).map(a. B)`, or wait for the data. Then try again.";
    expect(checkAnswer(answer, evidenceOf({})).map(({ text }) => text)).toEqual([
      "Guard it: `(items ?? []).map(a. B)`, or wait for the data.",
      "Then try again.",
    ]);
  });
});
