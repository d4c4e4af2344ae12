import { generalizeRun } from "@metahuman/core/functions/learning/generalize-run";
import { installedSkills } from "@metahuman/skills/installed";
import { expect, it } from "vitest";
import { describe as describeLearned } from "./describe.ts";
import { factsAbout } from "./should-learn.ts";

const factsOf = factsAbout(installedSkills);
type Learned = Parameters<typeof describeLearned>[0];
const described = (change: (learned: Learned) => Partial<Learned>) => {
  const learned = generalizeRun(
    {
      request: "add a task to oil the gate",
      calls: [
        { skill: "task_create", args: { title: "oil the gate" }, success: true, outputs: { id: "t1" } },
      ],
      now: new Date("2026-11-22T09:00:00Z"),
      timeZone: "UTC",
      explores: false,
    },
    factsOf,
  );
  if (!learned) throw new Error("The run teaches nothing.");
  return describeLearned({ ...learned, ...change(learned) }, factsOf);
};
const titleOf = (promptTemplate: string): string => described(() => ({ promptTemplate })).title;

it.each([
  ["create a folder {path}, then add a task {title}", "Create a folder, then add a task"],
  ["make a note called {name} in {folder}", "Make a note in …"],
  ["put {item} on the shopping list", "Put … on the shopping list"],
  ['save the quote "{quote}" by {author}', "Save the quote by …"],
  ["pantry list: {item}", "Pantry list"],
  ["add tasks: {title} {due} and {title2} {due2}", "Add tasks"],
  ["put **{item}** on the `shopping list`", "Put … on the shopping list"],
  ["walk {dog}, {minutes} and {place} in the log", "Walk … in the log"],
  ["{source} {target}", "Create a task"],
  ["{name}: {item} from the {place}, {item2} from the {place2}", "Add a task to oil the gate"],
])("names a function without the values from which it was learned (%s)", (template, title) => {
  expect(titleOf(template)).toBe(title);
});

it("keeps the line breaks of a value in its step", () => {
  const args = { path: "${path}", content: "# List\n- ${item}\n  - ${item2}" };
  const { steps } = described(({ actions }) => ({
    actions: actions.map((action) => ({ ...action, skill: "fs_write", args })),
  }));
  expect(steps[0]).toContain("content = # List\\n- ${item}\\n  - ${item2}");
});

it("names the place that a request may leave out", () => {
  const place = {
    name: "path",
    type: "path",
    description: "",
    required: false,
    default: "members.csv",
  } as const;
  const change = { promptTemplate: "{name} joined, add her to {path}", parameters: [place] };
  expect(described(() => change).title).toBe("… joined, add her to members.csv");
});

it("names a guide without the names, days and amounts of its request", () => {
  const learned = generalizeRun(
    {
      request: "Nina Falk joined on 2026-12-01, put her into members.csv and plan 3 visits",
      calls: [
        {
          skill: "fs_append",
          args: { path: "members.csv", text: "Nina Falk,2026-12-01,active" },
          success: true,
          outputs: {},
        },
        {
          skill: "task_create",
          args: { title: "Nina Falk: 3 tours", due: "2026-12-01" },
          success: true,
          outputs: {},
        },
      ],
      now: new Date("2026-11-22T09:00:00Z"),
      timeZone: "UTC",
      explores: true,
    },
    factsOf,
  );
  expect(learned?.isReplayable).toBe(false);
  expect(learned && describeLearned(learned, factsOf).title).toBe(
    "… joined on …, put her into members.csv and plan … visits",
  );
});
