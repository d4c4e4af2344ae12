import { describe, expect, it } from "vitest";
import { shellSafe } from "@metahuman/skills/shell-safe/skill";
import { writeTodos } from "@metahuman/skills/write-todos/skill";
import { operatorHarness } from "./testing/operator-harness.ts";
import { call, say, scriptedPlanner } from "./testing/scripted-planner.ts";

const harness = operatorHarness();

describe("a program", () => {
  it("is shown exactly, allowed once and never permanently, and its outcome observed", async () => {
    const planner = scriptedPlanner([call("shell_safe", { argv: ["echo", "$HOME; id"] }), say("Done.")]);
    const { operator, persistent, ask } = await harness.home.open(planner, { skills: [shellSafe] });
    const waiting = await ask("run it", { trustLevel: "bounded_auto" });
    if (waiting.pending?.kind !== "approval") throw new Error("it did not ask");
    const { approvalId } = waiting.pending;
    const approval = await persistent.store.approval(approvalId);
    expect(approval).toMatchObject({ risk: "critical", effect: "execute" });
    expect(approval.preview.facts).toContainEqual({ label: "argument 1", value: "$HOME; id" });
    expect(approval).not.toHaveProperty("grantOffer");
    await expect(operator.decide(approvalId, "always")).rejects.toMatchObject({ code: "CONFLICT" });
    await operator.decide(approvalId, "once");
    const run = await operator.settled(waiting.id);
    expect(run.scratchpad[0]?.observation).toMatchObject({
      success: true,
      outputs: { exitCode: 0, stdout: "$HOME; id\n" },
      content: expect.stringMatching(/^\$HOME; id$/mu) as unknown,
    });
  });

  it("is ended when the run is cancelled", async () => {
    const planner = scriptedPlanner([call("shell_safe", { argv: ["sleep", "600"] }), say("Done.")]);
    const { operator, persistent, ask } = await harness.home.open(planner, { skills: [shellSafe] });
    const waiting = await ask("sleep");
    if (waiting.pending?.kind !== "approval") throw new Error("it did not ask");
    await operator.decide(waiting.pending.approvalId, "once");
    await expect.poll(() => persistent.store.actionStarted(waiting.id, 1), { timeout: 20_000 }).toBe(true);
    expect(await operator.cancel(waiting.id)).toMatchObject({ status: "ended", outcome: "cancelled" });
    expect((await persistent.store.run(waiting.id)).scratchpad[0]?.observation).toMatchObject({
      success: false,
      error: { code: "CANCELLED" },
    });
  });
});

describe("a checklist", () => {
  it("is stored with its run, in its latest state", async () => {
    const planner = scriptedPlanner([
      call("write_todos", { todos: ["look", "answer"] }),
      call("write_todos", { todos: [{ text: "look", status: "done" }, "answer"] }),
      say("Done."),
    ]);
    const { ask } = await harness.home.open(planner, { skills: [writeTodos] });
    const { scratchpad } = await ask("do two things", { trustLevel: "observe" });
    expect(scratchpad.findLast(({ action }) => action)?.observation?.outputs).toEqual({
      todos: [
        { text: "look", status: "done" },
        { text: "answer", status: "todo" },
      ],
    });
  });
});
