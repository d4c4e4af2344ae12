import { describe, expect, it } from "vitest";
import { installedSkills } from "@metahuman/skills/installed";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { call, type Call } from "./testing/observed-calls.ts";
import { unmentionedFailures } from "./unmentioned-changes.ts";

// Answers after calls of which some failed.

const refused = (tool: string, args: Call["args"], error: string): Call => call(tool, args, { error }, false);
const config = call(
  "fs_read",
  { path: "config/mailer.ini" },
  { path: "out/config/mailer.ini", content: "port = 5870\nretry_minutes = 15\n" },
);
const port = refused(
  "fs_edit",
  { path: "config/mailer.ini", find: "port = 5870", text: "port = 587" },
  "The words do not occur.",
);
const web = call(
  "fs_edit",
  { path: "config/web.ini", find: "timeout = 60", text: "timeout = 30" },
  { path: "out/config/web.ini", replaced: 1 },
);
const page = refused("http_get", { url: "https://hall.example/prices" }, "The person denied this call.");
const remind = (text: string, success = true): Call =>
  call("remind", { text, when: "every monday at 9" }, { schedule: { title: text } }, success);
const photo = (from: string, success = true): Call =>
  call(
    "fs_move",
    { from: `out/photos/${from}`, to: "out/photos/holiday.jpg" },
    { from: `out/photos/${from.replace("\\", "")}`, to: "out/photos/holiday.jpg" },
    success,
  );

const row = (name: string, success = true): Call =>
  call(
    "fs_edit",
    { path: "members.csv", find: `${name},lead,no`, text: `${name},lead,yes` },
    success ? { path: "out/members.csv", replaced: 1 } : { error: "The words do not occur." },
    success,
  );

const refutedIn = (answer: string, observations: readonly Call[], request: string): string[] =>
  checkAnswer(answer, evidenceOf({ observations: [...observations], request })).flatMap(({ problems }) =>
    problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
  );

it("cites the failed attempt instead of the one that made it good, as a slip", () => {
  const code = (text: string, success: boolean): Call =>
    success
      ? call("execute_code", { code: text, files: ["a.csv"] }, { result: { Keller: 390.5 } })
      : refused("execute_code", { code: text, files: ["a.csv"] }, "TypeError: value is not iterable");
  const slip = "Keller bought for 390.50 [1].";
  const failed = code("let t = 0; for (const f of parameters.files) t += sum(f); return t;", false);
  const again = code(
    "let t = 0; for (const f of Object.values(parameters.files)) t += sum(f); return t;",
    true,
  );
  expect(refutedIn(slip, [failed, again], "add up what Keller bought")).toEqual([]);
  expect(refutedIn(slip, [failed], "add up what Keller bought")).not.toEqual([]);
});

describe("after a call that failed, an answer may not", () => {
  it.each<[about: string, answer: string, observations: Call[]]>([
    ["cite it for a fact", "Students pay 145 kr for a day ticket [1].", [page]],
    [
      "cite it for a state",
      "The reminders are set: tomorrow at 8 for the plants [1] and every Monday at 9 for the time sheet [2].",
      [remind("Water the plants", false), remind("Send the time sheet")],
    ],
    ["say that its change is made", "In config/mailer.ini the port is now 587.", [config, port]],
    [
      "say so of one of two files",
      "Done: web.ini is back to 30, and retry_minutes in mailer.ini is now 60.",
      [web, port],
    ],
    ["say it in one word", "Fixed!", [config, port]],
    [
      "say that a file is deleted that was moved instead",
      "I deleted notes/old.md for you.",
      [
        refused("fs_delete", { path: "notes/old.md" }, "The person denied this call and gave no reason."),
        call(
          "fs_move",
          { from: "notes/old.md", to: "trash/old.md" },
          { from: "out/notes/old.md", to: "out/trash/old.md" },
        ),
      ],
    ],
    [
      "call another, new file an update",
      "Your sister has her own list. I have updated yours, too.",
      [
        refused("fs_write", { path: "packing.md", overwrite: true }, "The person denied this call."),
        call("fs_write", { path: "packing-sister.md" }, { path: "out/packing-sister.md", created: true }),
      ],
    ],
    [
      "say that a row is changed that no edit found",
      "Sofie is marked as paid: members.csv says yes.",
      [
        refused(
          "fs_edit",
          { path: "members.csv", find: "Sofie Dahl,lead,no,5", text: "Sofie Dahl,lead,yes,5" },
          "The words do not occur.",
        ),
      ],
    ],
    [
      "say that both lists are deleted, of which one was denied",
      "Both lists are deleted.",
      [
        refused("fs_delete", { path: "walls.csv" }, "The person denied this call."),
        call("fs_delete", { path: "fees.csv" }, { path: "out/fees.csv" }),
      ],
    ],
    [
      "say that all is done after an edit of another row of the file",
      "All rows are now updated.",
      [row("Sofie Dahl", false), row("Per Vik")],
    ],
  ])("%s", (_about, answer, observations) => {
    expect(refutedIn(answer, observations, "find what is wrong and fix it")).not.toEqual([]);
  });

  it.each<[about: string, answer: string, observations: Call[]]>([
    ["say that it failed", "I could not read the page [1].", [page]],
    ["say that it was denied", "You denied the page [1].", [page]],
    ["report another change", "The timeout in web.ini is now 30 [2].", [port, web]],
    [
      "say that a change is made that a later call made",
      "In config/mailer.ini the port is now 587 [2].",
      [port, call("fs_edit", { path: "config/mailer.ini", find: "port = 5870", text: "port = 587" }, {})],
    ],
    [
      "say that all is done after it was repeated with another spelling",
      "All photos are now renamed.",
      [photo("IMG\\_1.jpg", false), photo("IMG_1.jpg")],
    ],
    [
      "say that all is done after the edit was made with other words of the row",
      "All rows are now updated.",
      [
        refused(
          "fs_edit",
          { path: "members.csv", find: "Sofie,no", text: "Sofie,yes" },
          "The words do not occur.",
        ),
        row("Sofie Dahl"),
      ],
    ],
    [
      "say how often something happens",
      "The time sheet reminder is now every Monday at 9 [2].",
      [remind("Send the time sheet", false), remind("Send the time sheet")],
    ],
  ])("may %s", (_about, answer, observations) => {
    expect(refutedIn(answer, observations, "do it, please")).toEqual([]);
  });
});

it("a cited call shows what it did in other words", () => {
  const deleted = call("schedule_delete", { id: "s-2" }, { id: "s-2", title: "Send the time sheet" });
  const answer = "The second copy of it is deleted [1].";
  expect(
    checkAnswer(answer, evidenceOf({ observations: [deleted], request: "tidy up" }))[0]?.problems,
  ).toEqual([]);
  const made = call("task_create", { title: "Call Per" }, { title: "Call Per" });
  expect(refutedIn("I let Per know [1].", [made], "remind me to call Per")).not.toEqual([]);
});

describe("a change that failed", () => {
  const folder = call("fs_mkdir", { path: "trip" }, { path: "out/trip/", created: true });
  const oldPlan = refused(
    "fs_move",
    { from: "trip/oldplan.md", to: "trip/archive.md" },
    "There is nothing at out/trip/oldplan.md.",
  );
  const reported = (
    answer: string,
    observations: Call[],
    code: "FILE_NOT_FOUND" | "INVALID_ARGS" | "APPROVAL_DENIED" = "FILE_NOT_FOUND",
  ): string[] => {
    const scratchpad = evidenceOf({ observations }).scratchpad.map((entry) => {
      const { observation } = entry;
      if (observation === undefined || observation.success) return entry;
      const message = String(observation.outputs?.["error"]);
      return {
        ...entry,
        observation: {
          ...observation,
          error: {
            code,
            message,
            suggestions: [],
            context: { isDecided: true, title: "Delete out/walls.csv?", reason: "keep it" },
          },
        },
      };
    });
    return unmentionedFailures(answer, { scratchpad, skills: installedSkills });
  };

  it("is reported where the answer reports no failure", () => {
    expect(reported("I made the folder.", [folder, oldPlan])).toEqual([
      "Couldn’t move or rename a file or folder: There is nothing at out/trip/oldplan.md.",
    ]);
  });

  const run = (id: string, success: boolean): Call =>
    call(
      "function_run",
      { id, parameters: { name: "Ola" } },
      success ? { function: { id: "func-1", title: id } } : { error: "day must be a date." },
      success,
    );

  it("is reported after another function ran instead", () => {
    const observations = [run("Sign a member up for a course", false), run("Note a course fee", true)];
    expect(reported("Ola is signed up, and the fee is noted.", observations, "INVALID_ARGS")).toEqual([
      expect.stringContaining("day must be a date."),
    ]);
    const named = (id: string) =>
      call(
        "function_run",
        { function: id, name: "Ola", course: "technique", day: "the 8th of never" },
        {},
        false,
      );
    const otherWithItsWords = [
      named("Sign a member up for a course"),
      run("Note the fee of Ola for technique", true),
    ];
    expect(
      reported("Ola is signed up, and the fee is noted.", otherWithItsWords, "INVALID_ARGS"),
    ).toHaveLength(1);
    const byName = [named("sign-member-course"), run("Sign a member up for a course", true)];
    expect(reported("Ola is signed up.", byName, "INVALID_ARGS")).toEqual([]);
    const repeated = [...observations, run("Sign a member up for a course", true)];
    expect(reported("Ola is signed up, and the fee is noted.", repeated, "INVALID_ARGS")).toEqual([]);
  });

  it("is reported after another thing of the same words was changed", () => {
    const task = refused(
      "task_update_status",
      { id: "Remind Per to pay", status: "completed" },
      "There is no task with the id Remind Per to pay.",
    );
    const cell = call(
      "table_edit",
      { path: "members.csv", action: "set", row: "Per Vik", column: "paid", value: "yes" },
      { path: "out/members.csv", action: "set", row: "Per Vik", column: "paid", before: "no", after: "yes" },
    );
    expect(reported("Per is marked as paid: the task is done.", [task, cell])).toHaveLength(1);
  });

  it("is reported after the person denied it", () => {
    const denied = refused("fs_delete", { path: "out/walls.csv" }, "The person denied this call: keep it");
    const other = call("fs_delete", { path: "out/fees.csv" }, { path: "out/fees.csv", removed: {} });
    expect(reported("The old lists are gone.", [denied, other, folder], "APPROVAL_DENIED")).toEqual([
      "Not done: delete out/walls.csv. You denied this: keep it",
    ]);
  });

  it.each<[about: string, answer: string, observations: Call[]]>([
    [
      "a later call found the task by its id",
      "The task is done.",
      [
        refused(
          "task_update_status",
          { id: "Remind Sofie to pay", status: "done" },
          "There is no such task.",
        ),
        call("task_find", { query: "Sofie" }, { tasks: [], total: 0 }),
        call(
          "task_update_status",
          { id: "task-1", status: "done" },
          { task: { title: "Remind Sofie to pay", status: "done" } },
        ),
      ],
    ],
    ["the answer reports it", "I made the folder. The old plan does not exist.", [folder, oldPlan]],
    ["the answer asks about it", "I made the folder. Which plan do you mean?", [folder, oldPlan]],
    [
      "the next call of the skill succeeded",
      "The old plan is in the archive.",
      [
        oldPlan,
        call("fs_move", { from: "plans/old.md", to: "trip/archive.md" }, { to: "out/trip/archive.md" }),
      ],
    ],
    [
      "another skill changed the file",
      "The plan has a new line.",
      [
        refused("fs_edit", { path: "trip/plan.md", find: "Day 3" }, "The words do not occur."),
        folder,
        call("fs_append", { path: "out/trip/plan.md", text: "Day 3" }, { path: "out/trip/plan.md" }),
      ],
    ],
    [
      "it only read",
      "I made the folder.",
      [folder, refused("fs_read", { path: "a.md" }, "There is no a.md.")],
    ],
  ])("is not repeated where %s", (_about, answer, observations) => {
    expect(reported(answer, observations)).toEqual([]);
  });
});
