import { generalizeRun } from "@metahuman/core/functions/learning/generalize-run";
import type { MadeCall } from "@metahuman/core/functions/learning/learnable-run";
import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { factsAbout } from "./should-learn.ts";
import { reasonNotWorthLearning } from "./worth-learning.ts";

const factsOf = factsAbout(installedSkills);
const call = (skill: string, args: MadeCall["args"], outputs: MadeCall["outputs"] = {}): MadeCall => ({
  skill,
  args,
  outputs,
  success: true,
});
const note = (text: string): MadeCall => call("memory_remember", { text });
const task = (title: string, more = {}): MadeCall => call("task_create", { title, ...more });
const calculated = (expression: string, result: string): MadeCall =>
  call("calculate", { expression }, { expression, result });

/** Why a function of a run with these calls would be useless; undefined if it would not. */
function reasonFor(request: string, calls: MadeCall[]): string | undefined {
  const now = new Date("2026-11-28T09:00:00Z");
  const learned = generalizeRun({ request, calls, now, timeZone: "UTC", explores: true }, factsOf);
  if (!learned) throw new Error("Nothing was generalized.");
  return reasonNotWorthLearning(learned, factsOf);
}

describe("a function is not worth a draft", () => {
  it.each([
    [
      "a list of facts",
      "please note: the boiler is from 2019, Pia has the spare key and the meter is in the cellar",
      [note("the boiler is from 2019"), note("Pia has the spare key"), note("the meter is in the cellar")],
      "each thing",
    ],
    [
      "a list of tasks for one day",
      "add three tasks for 2026-12-01: fetch the parcel, water the ferns, ring Ida",
      [
        task("fetch the parcel", { due: "2026-12-01" }),
        task("water the ferns", { due: "2026-12-01" }),
        task("ring Ida", { due: "2026-12-01" }),
      ],
      "each thing",
    ],
    [
      "figures of one request, and what a model made of them",
      "invoice for Brandt: 12 hours at 85, what is it with 24 % VAT? put the total into brandt.md and remember it",
      [
        calculated("12 * 85 * 1.24", "1264.8"),
        call("fs_write", { path: "brandt.md", content: "1264.80" }),
        note("Brandt owes 1264.80"),
      ],
      "worked out its figures",
    ],
  ])("if it only repeats the values of one request: %s", (_, request, calls, reason) => {
    expect(reasonFor(request, calls)).toContain(reason);
  });
});

describe("a function is worth a draft", () => {
  it.each([
    [
      "its tasks have the same texts",
      "Brandt has signed, add the tasks",
      [task("Send the contract to Brandt"), task("Open an account for Brandt")],
    ],
    [
      "its calls are several",
      'write "eggs" to cake.md and add a task to bake',
      [call("fs_write", { path: "cake.md", content: "eggs" }), task("bake")],
    ],
    [
      "it knows the place",
      "note that Pia has the spare key and that the meter is in the cellar",
      [
        call("fs_append", { path: "house.md", text: "Pia has the spare key" }),
        call("fs_append", { path: "house.md", text: "the meter is in the cellar" }),
      ],
    ],
    [
      "a model composed a text without figures",
      "Write the sauna rules to sauna.md and make a task to heat the sauna",
      [call("fs_write", { path: "sauna.md", content: "ok" }), task("Heat the sauna")],
    ],
    [
      "it shows the form of a text",
      "write the invoice for Brandt to brandt.md and add a task to send it",
      [
        call("fs_write", { path: "brandt.md", content: "# Invoice\n\nHours: 12\nTotal: 1264.80\n" }),
        task("send it"),
      ],
    ],
    [
      "a model works with what it reads",
      "read plan.md and put a verse about it into verse.md",
      [
        call("fs_read", { path: "plan.md" }, { path: "out/plan.md", content: "Sail in June." }),
        call("fs_write", { path: "verse.md", content: "Waves sing softly." }),
      ],
    ],
  ])("if %s", (_, request, calls) => {
    expect(reasonFor(request, calls)).toBeUndefined();
  });
});
