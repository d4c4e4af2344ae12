import { describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { act, finish, lastMessage, play, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// A model that works through a checklist and reports what is done in its own format.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const todos = (...lines: unknown[]): ChatScript => act("write_todos", { todos: lines });
const file = (name: string): ChatScript => act("fs_write", { path: `out/${name}`, content: `${name}\n` });
const plans = (): SeenRequest[] => harness.models.chats().filter((request) => purposeOf(request) === "plan");
const fewSteps = { operator: { scratchpad: { maxSteps: 3 } } };

describe("a request with a checklist", () => {
  it("has all its steps for the work, however often an item is checked off", async () => {
    const plan = ["a", "b", "c"].flatMap((name, index) => [
      todos(
        ...["a", "b", "c"].map((text, position) => ({ text, status: position < index ? "done" : "todo" })),
      ),
      file(`${name}.md`),
    ]);
    const done = todos(...["a", "b", "c"].map((text) => ({ text, status: "done" })));
    await harness.set({
      etc: fewSteps,
      answer: play([...plan, done, { json: { thought: "All three exist.", respond: true, done: true } }]),
    });
    const { outcome, result } = await harness.ask("write a.md, b.md and c.md with their names in them");
    expect({ outcome, result }).toMatchObject({ outcome: "answered" });
    expect(result).not.toContain("not finished");
    expect(
      plans()
        .map(lastMessage)
        .filter((text) => text.includes("3 steps left")),
    ).toHaveLength(2);
  });

  it("counts consecutive updates, so that a run of updates ends", async () => {
    let updates = 0;
    await harness.set({
      etc: fewSteps,
      answer: (request) =>
        purposeOf(request) === "plan" ? todos(`line ${String((updates += 1))}`) : { say: "I made a list." },
    });
    const { runId, outcome } = await harness.ask("plan my move to bergen in a few lines");
    expect(outcome).toBe("stopped");
    expect((await harness.run(runId)).scratchpad).toHaveLength(4);
  });
});

describe("a checklist in a model's own form", () => {
  it.each([
    ["marks in Markdown", ["[x] Buy rope", "- [ ] Pack", "☑ Book", "* [~] Call"]],
    [
      "other keys",
      [
        { task: "Buy rope", done: true },
        { title: "Pack", completed: false },
        { item: "Book", status: "✅" },
        { description: "Call", state: "in progress" },
      ],
    ],
    [
      "more keys",
      [
        { id: 1, content: "Buy rope", status: "COMPLETED", priority: "high" },
        { id: 2, content: "Pack", status: "not started" },
        { id: 3, content: "Book", checked: true },
        { id: 4, content: "Call", status: "in_progress" },
      ],
    ],
  ])("keeps its state: %s", async (_, lines) => {
    await harness.set({ answer: play([todos(...lines)], "The list stands.") });
    const { runId } = await harness.ask("keep a checklist for the lofoten trip");
    const [entry] = (await harness.run(runId)).scratchpad;
    expect(entry?.observation).toMatchObject({
      success: true,
      outputs: {
        todos: [
          { text: "Buy rope", status: "done" },
          { text: "Pack", status: "todo" },
          { text: "Book", status: "done" },
          { text: "Call", status: "in_progress" },
        ],
      },
    });
  });

  it("is read from one text with an item per line", async () => {
    await harness.set({
      answer: play([act("write_todos", { todos: "- [x] Buy rope\n- [ ] Pack" })], "The list stands."),
    });
    const { runId } = await harness.ask("keep a checklist for the lofoten trip");
    expect((await harness.run(runId)).scratchpad[0]?.observation?.outputs).toEqual({
      todos: [
        { text: "Buy rope", status: "done" },
        { text: "Pack", status: "todo" },
      ],
    });
  });
});

describe("the last reply of a run without remaining steps", () => {
  const request = "write a.md, b.md and c.md with their names in them";
  const files = [file("a.md"), file("b.md"), file("c.md")];

  it.each([
    ["done", { done: "true" }],
    ["completed", { completed: true }],
    ["status", { status: "done" }],
    ["finished", { finished: "yes" }],
  ])("reports in its own form that all is done: %s", async (_, stated) => {
    await harness.set({
      etc: fewSteps,
      answer: play([...files, { json: { thought: "All exist.", respond: true, ...stated } }]),
    });
    expect(await harness.ask(request)).toMatchObject({ outcome: "answered" });
  });

  it("is requested again if it does not say whether all is done", async () => {
    await harness.set({
      etc: fewSteps,
      answer: play([...files, finish, { json: { thought: "All exist.", respond: true, done: true } }]),
    });
    expect(await harness.ask(request)).toMatchObject({ outcome: "answered" });
    expect(plans().slice(-1).map(lastMessage).join("")).toMatch(/done: .*true.*false/u);
  });

  it("leaves the request unfinished if it never says so", async () => {
    await harness.set({ etc: fewSteps, answer: play([...files, finish, finish]) });
    expect(await harness.ask(request)).toMatchObject({ outcome: "stopped" });
  });
});
