import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { type Call, call, task } from "./testing/observed-calls.ts";

const refutations = (
  answer: string,
  observations: readonly Call[],
  more: Parameters<typeof evidenceOf>[0] = {},
): string[] =>
  checkAnswer(answer, evidenceOf({ observations: [...observations], ...more })).flatMap(({ problems }) =>
    problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
  );

const status = (title: string, value: string): Call =>
  call("task_update_status", { id: "t1", status: value }, { id: "t1", task: task(title, value) });

describe("a verb of several meanings", () => {
  const meter = status("Write to the council about the water meter", "cancelled");
  const sunCream = status("Buy sun cream", "cancelled");
  const weber = call(
    "task_update",
    { id: "t1", due: "2026-12-05" },
    { id: "t1", task: task("Call Weber", "todo", "2026-12-05") },
  );
  const reminder = call(
    "schedule_delete",
    { id: "s1" },
    { id: "s1", removed: { title: "Water the plants" } },
  );

  it.each<[answer: string, made: Call, request: string]>([
    [
      'I cancelled the task "Write to the council about the water meter" [1].',
      meter,
      "cancel the council task",
    ],
    ["I also cancelled the task about the council [1].", meter, "cancel the task about the council"],
    ["The sun cream task is cancelled [1].", sunCream, "cancel the sun cream task"],
    ["I called off the sun cream task [1].", sunCream, "drop the sun cream task"],
    ["I called the sun cream task off [1].", sunCream, "drop the sun cream task"],
    ["I pushed the Weber call back to 5 December [1].", weber, "move the Weber call"],
    ["I pushed Weber to 5 December [1].", weber, "move the Weber call"],
    ["I cancelled the reminder to water the plants [1].", reminder, "stop reminding me of the plants"],
    ["Ich habe die Aufgabe „Buy sun cream“ storniert [1].", sunCream, "storniere Buy sun cream"],
  ])("stands where the call did what it says: %s", (answer, made, request) => {
    expect(refutations(answer, [made], { request })).toEqual([]);
  });

  it.each<[answer: string, made: Call[], request: string]>([
    ["I cancelled your gym membership [1].", [status("Cancel the gym membership", "done")], "gym"],
    ["I cancelled the task [1].", [status("Buy sun cream", "blocked")], "sun cream"],
    ["Your gym membership is cancelled.", [], "cancel my gym membership"],
    ["I called Weber [1].", [weber], "move the Weber call to 5 December"],
    ["I called off the sun cream task.", [], "drop the sun cream task"],
    ["I pushed the branch to the server [1].", [weber], "move the Weber call"],
    [
      "I cancelled the newsletter subscription [1].",
      [call("fs_delete", { path: "out/newsletter.md" }, { path: "out/newsletter.md" })],
      "stop the newsletter",
    ],
  ])("is refuted where no call did it: %s", (answer, made, request) => {
    expect(refutations(answer, made, { request })).not.toEqual([]);
  });
});

describe("a task that is said to be on the list", () => {
  const request = "write out/trips/prague/packing.md and add a task to buy an umbrella by 10 December";
  const wrote = call(
    "fs_write",
    { path: "out/trips/prague/packing.md", content: "- socks\n- passport\n" },
    { path: "out/trips/prague/packing.md", created: true },
  );
  const made = call(
    "task_create",
    { title: "Buy an umbrella", due: "2026-12-10" },
    { id: "t1", task: task("Buy an umbrella", "todo", "2026-12-10") },
  );

  it.each([
    "The task to buy an umbrella by 10 December is on your list.",
    "Buying an umbrella is on your task list now.",
    "The umbrella task is on the list.",
    "You now have a task to buy an umbrella.",
    "Der Regenschirm (umbrella) steht jetzt auf deiner Aufgabenliste.",
  ])("is refuted where only the request names it: %s", (answer) => {
    expect(refutations(answer, [wrote], { request })).not.toEqual([]);
    expect(refutations(answer, [wrote, made], { request })).toEqual([]);
  });

  it("stands where it is listed or was said before", () => {
    const answer = "The task to buy an umbrella is on your list.";
    const listed = call("task_list", {}, { tasks: [task("Buy an umbrella", "todo")], total: 1 });
    const conversation = [{ role: "operator" as const, text: 'Created the task "Buy an umbrella".' }];
    expect(refutations(answer, [listed], { request: "is it on my list?" })).toEqual([]);
    expect(refutations(answer, [], { request: "is it on my list?", conversation })).toEqual([]);
  });

  it.each(["The task to buy an umbrella is not on your list.", "Is the umbrella task on your list?"])(
    "is no claim if it is denied or asked: %s",
    (answer) => {
      expect(refutations(answer, [wrote], { request })).toEqual([]);
    },
  );

  it("leaves a line of another list alone", () => {
    const list = call(
      "fs_append",
      { path: "out/shopping.md", content: "- milk" },
      { path: "out/shopping.md" },
    );
    const answer = "Milk is on your shopping list [1].";
    expect(refutations(answer, [list], { request: "put milk on my shopping list" })).toEqual([]);
    const mixed = "add milk, and delete the task about the bus";
    expect(refutations("Milk is on the list now.", [list], { request: mixed })).toEqual([]);
    const german = "schreib noch Milch dazu und lösch die Aufgabe mit dem Bus";
    expect(refutations("Milch steht jetzt auf der Liste.", [list], { request: german })).toEqual([]);
    const task = "write it down and make a task of it";
    expect(refutations("Tea is on the list now.", [list], { request: task })).not.toEqual([]);
  });
});

describe("names that are said to be added", () => {
  const request = "Add Jonas Keller, he paid 45 yesterday, and Mei Lin, not paid, so 30";
  const row = (name: string) =>
    call(
      "table_edit",
      { path: "fees.csv", action: "add", values: { name } },
      { path: "out/fees.csv", action: "add", changed: true, row: name, cells: { name } },
    );

  it.each([
    "I have added Jonas Keller (45) and Mei Lin (30) to fees.csv [1].",
    "I have added Jonas Keller (paid 45 yesterday) and Mei Lin (30, not paid) to fees.csv.",
    "I added Jonas Keller and Mei Lin.",
  ])("are refuted where no call has one of them: %s", (answer) => {
    expect(refutations(answer, [row("Jonas Keller")], { request })).toEqual([
      '"Mei Lin" is said to be added, and no successful call has this name.',
    ]);
    expect(refutations(answer, [row("Jonas Keller"), row("Mei Lin")], { request })).toEqual([]);
  });
});

describe("what was done before", () => {
  it("is shown by the list of it", () => {
    const sentence = "Changed Date of Tom Wills from empty to “2026-11-29” in out/fees.md.";
    const listed = call(
      "activity_list",
      { period: "today", about: "files" },
      { about: "files", files: [{ path: "out/fees.md", at: "2026-11-29T22:54:00.000Z", sentence }] },
    );
    const request = "what have we changed today?";
    expect(refutations("Today we changed one file:", [listed], { request })).toEqual([]);
    expect(refutations("Today we deleted one file:", [listed], { request })).not.toEqual([]);
  });
});

describe("a set of tasks", () => {
  const shops = ["Rewe, 54.20", "Shell, 48.90", "Aldi, 12.10"];
  const titles = shops.map((shop) => `Check receipt: ${shop}`);
  const listed = call("task_list", {}, { tasks: titles.map((title) => task(title, "todo")), total: 3 });
  const deleted = (title: string) =>
    call("task_delete", { id: title }, { id: title, removed: { kind: "task", title } });
  const two = titles.slice(0, 2).map(deleted);

  it.each([
    "The receipt tasks are deleted [2][3].",
    "I deleted the receipt tasks [2][3].",
    "All of your receipt tasks have been removed.",
    "I cancelled the receipt tasks [2][3].",
  ])("is refuted where calls did a part of it: %s", (answer) => {
    expect(refutations(answer, [listed, ...two], { request: "undo that" })).not.toEqual([]);
    expect(refutations(answer, [listed, ...titles.map(deleted)], { request: "undo that" })).toEqual([]);
  });

  it("is known from the open tasks of the prompt", () => {
    const evidence = {
      ...evidenceOf({ request: "undo that", observations: two }),
      known: [`Open tasks:\n${titles.map((title) => `- <data>${title} (P2)</data>`).join("\n")}`],
    };
    const [sentence] = checkAnswer("The receipt tasks are deleted [1][2].", evidence);
    expect(sentence?.problems.some(({ isRefuted }) => isRefuted)).toBe(true);
  });

  it.each(["Two of the receipt tasks are deleted [2][3].", "The first receipt tasks are deleted [2][3]."])(
    "may be named in part: %s",
    (answer) => {
      expect(refutations(answer, [listed, ...two], { request: "undo that" })).toEqual([]);
    },
  );
});

describe("a promise of later action", () => {
  const paused = call(
    "schedule_update",
    { id: "s1", action: "pause" },
    { id: "s1", action: "pause", schedule: { title: "Water the plants", kind: "reminder", enabled: false } },
  );
  const scheduled = call(
    "schedule_create",
    { when: "every day at 08:00", goal: "list out/finance" },
    { schedule: { title: "List out/finance", enabled: true } },
  );

  it.each([
    "Sure, I'll keep an eye on out/finance and let you know as soon as something new appears there.",
    "I will let you know when something changes.",
    "I'll keep you posted.",
    "I will monitor the folder.",
    "I'll let you know if anything new arrives.",
    "Ich behalte den Ordner im Auge.",
  ])("is refuted where no call sets it: %s", (answer) => {
    expect(refutations(answer, [], { request: "keep an eye on the out/finance folder" })).not.toEqual([]);
    expect(refutations(answer, [scheduled], { request: "keep an eye on the out/finance folder" })).toEqual(
      [],
    );
  });

  it.each([
    "It starts again on 14 December.",
    "The reminder will resume on 14 December.",
    "It is back on from 14 December.",
    "Ab 14. Dezember läuft es wieder.",
  ])("is refuted where the schedule was only paused: %s", (answer) => {
    const request = "Pause the plants until I'm back on 14 December";
    const on = call("remind", { when: "2026-12-14 08:00" }, { when: "2026-12-14 08:00" });
    expect(refutations(answer, [paused], { request })).not.toEqual([]);
    expect(refutations(answer, [paused, on], { request })).toEqual([]);
  });

  it.each([
    "I'll let you know what I find in it.",
    "I'll let you know when you ask me.",
    "I'll keep an eye on it if you like.",
    "I cannot keep an eye on a folder.",
    "Shall I keep you posted?",
  ])("is only offered, or is no promise: %s", (answer) => {
    expect(refutations(answer, [], { request: "keep an eye on it" })).toEqual([]);
  });
});

describe("a message that is said to be sent in other words", () => {
  const draft = call(
    "fs_write",
    { path: "out/voss.md", content: "I will bring you the cellar key on Monday." },
    { path: "out/voss.md", created: true },
  );

  it.each([
    ["Email Mr Voss that I bring the key", "The message to Mr Voss is ready and has gone out [1]."],
    ["Email Mr Voss that I bring the key", "Mr Voss has the message."],
    ["Email Mr Voss that I bring the key", "The message was delivered to Mr Voss."],
    ["Email Mr Voss that I bring the key", "The message has reached Mr Voss."],
    ["Really sent?", "Yes, Mr Voss has the message."],
    ["Did it go out?", "Yes, Mr Voss received your mail."],
  ])("is refuted without a call that sends: %s → %s", (request, answer) => {
    expect(refutations(answer, [draft], { request })).not.toEqual([]);
    expect(refutations(answer, [], { request })).not.toEqual([]);
    const sent = call("mail_send", { to: "Mr Voss", text: "message" }, { status: "accepted" });
    expect(refutations(answer, [sent], { request })).toEqual([]);
  });

  it.each([
    ["Email Mr Voss that I bring the key", "The message has not gone out, because no skill sends mail."],
    ["Email Mr Voss that I bring the key", "I wrote the message to Mr Voss into out/voss.md [1]."],
    ["Why is it dark?", "The lights have gone out."],
  ])("is not refuted if nothing is said to be sent: %s → %s", (request, answer) => {
    expect(refutations(answer, [draft], { request })).toEqual([]);
  });
});

it("has the same sentences checked again after a refusal, also without a call", () => {
  const first = evidenceOf({ request: "Really done?" });
  const observation = { mode: "structured" as const, content: "The answer contains claims.", success: true };
  const review = { step: 1, thought: "", observation, timestamp: "2026-11-22T10:00:00.000Z" };
  const isUndecided = (evidence: typeof first) =>
    checkAnswer("Mr Voss knows about the key.", evidence).map((sentence) => sentence.isUndecided);
  expect(isUndecided(first)).toEqual([false]);
  expect(isUndecided({ ...first, scratchpad: [review] })).toEqual([true]);
});

describe("a stated difference", () => {
  const letter = call(
    "fs_read",
    { path: "inbox/landlord.txt" },
    {
      path: "inbox/landlord.txt",
      content: "Dear Ms Sol,\nThe new flat rate for water is 38 euro a month (until now 34.50).\n",
    },
  );
  const october = call("execute_code", { code: "sum" }, { result: { groceries: 195.85, total: 504.6 } });
  const conversation = [{ role: "operator" as const, text: "In November you spent 555.25 in total." }];

  it.each([
    ["The water rate goes up by 4 euro a month [1].", true],
    ["The water rate rises by 5.50 euro [1].", true],
    ["The water rate goes up by 3.50 euro a month [1].", false],
    ["The water rate goes up by about 3.5 euro a month [1].", false],
    ["The water rate is 38 euro a month [1].", false],
  ])("between the old and the new figure of a line is recomputed: %s", (answer, isWrong) => {
    expect(refutations(answer, [letter], { request: "what does the landlord want?" }).length > 0).toBe(
      isWrong,
    );
  });

  it.each([
    ["That is 504.60 in total, 50.56 less than in November [1].", true],
    ["That is 504.60 in total, 50.65 more than in November [1].", true],
    ["That is 504.60 in total, 50.65 less than in November [1].", false],
    ["That is 504.60 in total, about 50 less than in November [1].", false],
  ])("from the known amount of another month is recomputed: %s", (answer, isWrong) => {
    expect(refutations(answer, [october], { request: "and October?", conversation }).length > 0).toBe(
      isWrong,
    );
  });
});

describe("a total that only the text has which the operator wrote", () => {
  const read = call(
    "fs_read",
    { path: "out/notes/kitchen.md" },
    {
      path: "out/notes/kitchen.md",
      content: "- Sockets: 245 euro.\n- The drain came to 410 euro instead of 380.\n",
    },
  );
  const wrote = (total: string) =>
    call(
      "fs_write",
      { path: "out/notes/week.md", content: `Drain 410 euro, sockets 245 euro\n\nTotal ${total} euro\n` },
      { path: "out/notes/week.md", created: true },
    );
  const answer = (total: string) =>
    `It lists the extra costs: 410 euro for the drain and 245 euro for the sockets [1], in total ${total} euro [2].`;

  it.each([
    ["665", true],
    ["655", false],
  ])("is recomputed from its parts: %s", (total, isWrong) => {
    const request = "summarise my kitchen notes into out/notes/week.md";
    expect(refutations(answer(total), [read, wrote(total)], { request }).length > 0).toBe(isWrong);
  });
});

describe("a line that an edit removed", () => {
  const edit = (tool: string, action: string, sentence: string): Call =>
    call(tool, { path: "absences.md", action, row: "Okafor" }, { path: "out/absences.md", sentence });

  it("may be said to be removed, where the observation says so", () => {
    const answer = "I removed her line from out/absences.md [1].";
    const evidence = (tool: string, sentence: string) => {
      const given = evidenceOf({ request: "undo that", observations: [edit(tool, "remove", "")] });
      const [entry] = given.scratchpad;
      const observation = entry?.observation && {
        ...entry.observation,
        mode: "narrative" as const,
        content: sentence,
      };
      return { ...given, scratchpad: entry ? [{ ...entry, observation }] : [] };
    };
    const refuted = (tool: string, sentence: string) =>
      checkAnswer(answer, evidence(tool, sentence)).flatMap(({ problems }) =>
        problems.filter(({ isRefuted }) => isRefuted),
      );
    for (const tool of ["fs_edit", "table_edit"]) {
      expect(refuted(tool, "Removed the line “- 2026-12-08 Okafor” from out/absences.md.")).toEqual([]);
      expect(refuted(tool, "Added “- 2026-12-08 Okafor” to the end of out/absences.md.")).not.toEqual([]);
    }
  });
});

describe("the day of a task that a sentence cites", () => {
  const calendar = call(
    "fs_read",
    { path: "calendar.csv" },
    { content: "date,what\n2026-12-03,dentist for Noa\n2026-12-04,boots for Theo (football)" },
  );
  const boots = (due: string): Call =>
    call(
      "task_create",
      { title: "Botas para Theo (fútbol)", due },
      { task: task("Botas para Theo (fútbol)", "todo", due) },
    );

  it("is refuted where the task has another one, though a file has the stated day", () => {
    const answer = "- viernes 4 de diciembre: botas para Theo (fútbol) [2]";
    expect(refutations(answer, [calendar, boots("2026-12-03")])).toEqual([
      '"Botas para Theo (fútbol)" has the day 2026-12-03.',
    ]);
    expect(refutations(answer, [calendar, boots("2026-12-04")])).toEqual([]);
    expect(refutations("- Friday, 4 December: boots [2]", [calendar, boots("2026-12-03")])).toHaveLength(1);
  });

  it("stands beside other days of the sentence, and for a reminder before the day", () => {
    const answer = "The match is on 4 December, so the boots are due on 3 December [2].";
    expect(refutations(answer, [calendar, boots("2026-12-03")])).toEqual([]);
    expect(
      refutations("The boots for 4 December are on your list [2].", [calendar, boots("2026-12-03")]),
    ).toEqual([]);
  });
});

describe("checks of a registered function", () => {
  const registered = (ok: boolean) => ({
    tool: "function_register",
    args: { name: "sum-euros" },
    success: true,
    outputs: {
      title: "Sum of the euros column",
      verification: { ok, checks: [{ name: "types", ok }] },
    },
  });
  const isRefuted = (answer: string, ok: boolean) =>
    checkAnswer(answer, evidenceOf({ request: "write a function", observations: [registered(ok)] }))
      .flatMap(({ problems }) => problems)
      .some((problem) => problem.isRefuted);

  it.each(["All its checks passed, so you can use it now.", "It passed all checks.", "The tests are green."])(
    "do not pass where the call reports one that fails: %s",
    (answer) => {
      expect(isRefuted(answer, false)).toBe(true);
      expect(isRefuted(answer, true)).toBe(false);
    },
  );

  it.each([
    "Not all checks pass yet.",
    "The syntax check passes, the one of the types fails.",
    "Once the checks pass, you can use it.",
  ])("stand: %s", (answer) => {
    expect(isRefuted(answer, false)).toBe(false);
  });
});
