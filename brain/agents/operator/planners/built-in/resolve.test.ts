import { describe, expect, it } from "vitest";
import { answer, failure, matches, nextAction, scratchpad, task } from "./testing/steps.ts";

const [milk, rent] = [task("buy milk"), task("pay rent")];
const listed = ["task_list", {}, { tasks: [milk, rent], total: 2 }] as const;
const marked = (of: typeof milk) =>
  [
    "task_update_status",
    { id: of.id, status: "done" },
    { id: of.id, task: { ...of, status: "done" } },
  ] as const;

describe("requests about several tasks at once", () => {
  it("makes one call for every listed task", async () => {
    const request = "mark everything as done";
    expect(await nextAction(request)).toEqual({ tool: "task_list", args: {} });
    expect(await nextAction(request, scratchpad(listed))).toEqual({
      tool: "task_update_status",
      args: { id: milk.id, status: "done" },
    });
    expect(await nextAction(request, scratchpad(listed, marked(milk)))).toMatchObject({
      args: { id: rent.id },
    });
    const end = await answer(request, scratchpad(listed, marked(milk), marked(rent)));
    expect(end).toMatchObject({ outcome: "answered" });
    expect(end.text).toBe('Marked "buy milk" as done.\nMarked "pay rent" as done.');
  });

  it("asks before every open task is deleted, and deletes none without a yes", async () => {
    const request = "delete all my tasks";
    const question = "Delete every open task? “buy milk”, “pay rent”";
    const asked = await nextAction(request, scratchpad(listed));
    expect(asked).toEqual({ tool: "ask_user", args: { question, options: ["Yes", "No"] } });
    const answered = (reply: string) =>
      scratchpad(listed, ["ask_user", { question, options: ["Yes", "No"] }, { answer: reply }]);
    expect(await nextAction(request, answered("Yes"))).toEqual({
      tool: "task_delete",
      args: { id: milk.id },
    });
    expect(await nextAction(request, answered("yes, all of them"))).toMatchObject({ tool: "task_delete" });
    for (const reply of [
      "No",
      "not now",
      "yesterday's ones only",
      "what?",
      "this one",
      "it is a mistake",
      "correct the list first",
      "that's it, stop",
      "sure, buy milk",
    ])
      expect((await answer(request, answered(reply))).text).toBe("All right, nothing was changed.");
  });

  it("says so if no task is listed", async () => {
    const end = await answer(
      "mark everything as done",
      scratchpad(["task_list", {}, { tasks: [], total: 0 }]),
    );
    expect(end).toMatchObject({ outcome: "stuck" });
    expect(end.text).toContain("There is no task like that");
  });

  it("looks for each part of words that name no single task", async () => {
    const request = "mark buy milk and pay rent as done";
    const fullRequest = [
      "task_find",
      { query: "buy milk and pay rent" },
      failure("TASK_NOT_FOUND", "No task matches."),
    ] as const;
    expect(await nextAction(request)).toEqual({ tool: "task_find", args: fullRequest[1] });
    expect(await nextAction(request, scratchpad(fullRequest))).toEqual({
      tool: "task_find",
      args: { query: "buy milk" },
    });
    const found = [
      fullRequest,
      ["task_find", { query: "buy milk" }, matches("buy milk")],
      ["task_find", { query: "pay rent" }, matches("pay rent")],
    ] as const;
    const first = await nextAction(request, scratchpad(...found));
    expect(first).toEqual({ tool: "task_update_status", args: { id: milk.id, status: "done" } });
    const end = await answer(request, scratchpad(...found, marked(milk), marked(rent)));
    expect(end.text).toBe('Marked "buy milk" as done.\nMarked "pay rent" as done.');
  });

  it("leaves a title with “and” whole if a task has it", async () => {
    const request = "mark clean and dry the boat as done";
    const fullRequest = [
      "task_find",
      { query: "clean and dry the boat" },
      matches("clean and dry the boat"),
    ] as const;
    expect(await nextAction(request, scratchpad(fullRequest))).toMatchObject({ tool: "task_update_status" });
  });
});
