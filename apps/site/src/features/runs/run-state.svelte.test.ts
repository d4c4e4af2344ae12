import { flushSync } from "svelte";
import { describe, expect, it } from "vitest";
import { RunState } from "./run-state.svelte.ts";
import { ANSWERED, APPROVAL, AT, CONVERSATION, eventsOf, RUN, STARTED } from "../../lib/testing/fixtures.ts";

function begun(): RunState {
  return RunState.create({
    id: RUN,
    conversationId: CONVERSATION,
    agentId: "operator",
    goal: "make sandwich file",
    createdAt: AT,
  });
}

describe("RunState", () => {
  it("follows a run from the queue to its answer, and notifies its readers", () => {
    const state = begun();
    const seen: string[] = [];
    const stop = $effect.root(() => {
      $effect(() => {
        seen.push(`${state.run.status} ${state.run.result ?? "-"}${state.answering ? " …" : ""}`);
      });
    });
    flushSync();
    for (const event of eventsOf([
      STARTED,
      { type: "answer-delta", text: "Created", offset: 0 },
      ...ANSWERED,
    ])) {
      state.apply(event);
      flushSync();
    }
    stop();
    expect(seen).toEqual([
      "queued -",
      "running -",
      "running Created …",
      "running Created out/sandwich.txt.",
      "ended Created out/sandwich.txt.",
    ]);
    expect(state.live).toBe(false);
  });

  it("shows an approval only while the run waits for it", () => {
    const state = begun();
    const events = eventsOf([
      STARTED,
      {
        type: "step-planned",
        step: 1,
        thought: "",
        action: { tool: "fs_delete", args: {} },
        planner: "built-in",
      },
      { type: "approval-requested", step: 1, approval: APPROVAL },
      { type: "approval-resolved", step: 1, approvalId: APPROVAL.id, decision: "once" },
    ]);
    for (const event of events.slice(0, 3)) state.apply(event);
    expect(state.approval).toEqual(APPROVAL);
    for (const event of events.slice(3)) state.apply(event);
    expect(state.approval).toBeUndefined();
  });

  it("drops its loaded prompts when it continues, because they are no longer complete", () => {
    const state = new RunState({ ...begun().run, modelCalls: [] });
    const events = eventsOf([STARTED]);
    for (const event of events) state.apply(event);
    expect(state.run).not.toHaveProperty("modelCalls");
  });

  it("is correct if events arrive twice, as after a lost connection", () => {
    const state = begun();
    const events = eventsOf([STARTED, ...ANSWERED]);
    for (const event of [...events, ...events]) state.apply(event);
    expect(state.run.lastSeq).toBe(3);
    expect(state.run.result).toBe("Created out/sandwich.txt.");
  });

  it("replaces its summary with the complete run, but not with one older than its events", () => {
    const state = begun();
    const { scratchpad: _, ...rest } = state.run;
    const summarised = RunState.fromSummary({ ...rest, steps: 2 });
    expect(summarised.complete).toBe(false);
    summarised.merge({ ...state.run, result: "whole" });
    expect(summarised.run.result).toBe("whole");
    for (const event of eventsOf([STARTED, ...ANSWERED])) summarised.apply(event);
    summarised.merge({ ...state.run, result: "old" });
    expect(summarised.run.result).toBe("Created out/sandwich.txt.");
  });
});
