import type { RelevantFunction } from "@metahuman/core/contract/context";
import { readRequest } from "@metahuman/core/language/read-request";
import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { completeFromFunctions } from "./next-step.ts";
import { isGiven } from "./resolve.ts";
import { grammarsOf } from "./interpret-request.ts";

const kitchen = (guide: Partial<RelevantFunction["guide"]> = {}): RelevantFunction => ({
  id: "func-20261122-abc123",
  title: "Make a kitchen file",
  score: 0.9,
  rank: 1,
  matchReason: "keyword",
  reason: "By title.",
  guide: {
    title: "Make a kitchen file",
    summary: "Files about food go to the kitchen folder.",
    kind: "guide",
    skillsUsed: ["fs_write"],
    steps: ["Create the file"],
    parameters: [],
    examples: [],
    ...guide,
  },
});

const pathOf = (preset: unknown): RelevantFunction["guide"]["parameters"] => [
  { name: "path", type: "path", description: "", required: false, default: preset },
];

function completed(request: string, functions: readonly RelevantFunction[]) {
  const reading = readRequest(request, grammarsOf(installedSkills), { now: new Date() });
  if (reading.kind !== "plan") throw new Error(`not a plan: ${reading.kind}`);
  const { calls, followed } = completeFromFunctions(reading.calls, functions, installedSkills);
  const args = calls.map((call) =>
    Object.fromEntries(
      Object.entries(call.args).map(([name, value]) => [name, isGiven(value) ? value.value : value]),
    ),
  );
  return { args, followed: [...followed.values()].map(({ id }) => id) };
}

describe("an omitted argument", () => {
  it.each(["out/kitchen/<name>.md", "out/kitchen/${name}.md", "out/kitchen/{name|slug}.md"])(
    "is filled in from a verified function's default: %s",
    (preset) => {
      expect(completed("make pizza file", [kitchen({ parameters: pathOf(preset) })])).toEqual({
        args: [{ path: "out/kitchen/pizza.md", content: "" }],
        followed: ["func-20261122-abc123"],
      });
    },
  );

  it("is filled in from the location of an example's result", () => {
    const examples = [{ prompt: "make sandwich file", resultPath: "out/kitchen/sandwich.md" }];
    expect(completed("make pizza file", [kitchen({ examples })]).args).toEqual([
      { path: "out/kitchen/pizza.md", content: "" },
    ]);
  });

  it("is the skill's own default without a function, or if the function has none", () => {
    const own = { args: [{ path: "pizza.txt", content: "" }], followed: [] };
    expect(completed("make pizza file", [])).toEqual(own);
    expect(
      completed("make pizza file", [
        kitchen({ skillsUsed: ["task_create"], parameters: pathOf("x/<name>.md") }),
      ]),
    ).toEqual(own);
    expect(
      completed("make pizza file", [kitchen({ examples: [{ prompt: "do it", resultPath: "out/a.md" }] })]),
    ).toEqual(own);
  });

  it("may be one that the request does not mention, if the skill accepts it", () => {
    const parameters: RelevantFunction["guide"]["parameters"] = [
      { name: "priority", type: "string", description: "", required: false, default: "P1" },
      { name: "due", type: "date", description: "", required: false, default: "some day" },
      { name: "colour", type: "string", description: "", required: false, default: "red" },
    ];
    const guide = kitchen({ skillsUsed: ["task_create"], parameters });
    expect(completed("add a task to buy milk", [guide]).args).toEqual([
      { title: "buy milk", priority: "P1" },
    ]);
    expect(completed("add an urgent task to buy milk", [guide]).args[0]).toMatchObject({ priority: "P0" });
  });

  it("is told apart from what the person said", () => {
    const reading = readRequest("make pizza file", grammarsOf(installedSkills), { now: new Date() });
    const planned = reading.kind === "plan" ? reading.calls : [];
    const guides = [kitchen({ parameters: pathOf("out/kitchen/<name>.md") })];
    const [call] = completeFromFunctions(planned, guides, installedSkills).calls;
    expect(call?.args).toMatchObject({ path: { from: "function" }, content: { from: "request" } });
  });

  it("never replaces what the person said", () => {
    const guide = kitchen({ parameters: pathOf("out/kitchen/<name>.md") });
    expect(completed("create a file notes/pizza.txt", [guide])).toMatchObject({
      args: [{ path: "notes/pizza.txt" }],
      followed: [],
    });
  });
});
