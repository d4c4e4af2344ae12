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

const refutedIn = (answer: string, observations: readonly Call[], request: string): string[] =>
  checkAnswer(answer, evidenceOf({ observations: [...observations], request })).flatMap(({ problems }) =>
    problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
  );

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
  const reported = (answer: string, observations: Call[]): string[] => {
    const scratchpad = evidenceOf({ observations }).scratchpad.map((entry) => {
      const { observation } = entry;
      if (observation === undefined || observation.success) return entry;
      const message = String(observation.outputs?.["error"]);
      return {
        ...entry,
        observation: { ...observation, error: { code: "FILE_NOT_FOUND" as const, message, suggestions: [] } },
      };
    });
    return unmentionedFailures(answer, { scratchpad, skills: installedSkills });
  };

  it("is reported where the answer reports no failure", () => {
    expect(reported("I made the folder.", [folder, oldPlan])).toEqual([
      "Couldn’t move or rename a file or folder: There is nothing at out/trip/oldplan.md.",
    ]);
  });

  it.each<[about: string, answer: string, observations: Call[]]>([
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
