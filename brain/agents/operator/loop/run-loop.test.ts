import { describe, expect, it } from "vitest";
import type { RunEvent } from "@metahuman/core/contract/event";
import { PlanInvalidError } from "@metahuman/core/errors/run-errors";
import { operatorHarness } from "../testing/operator-harness.ts";
import { call, lastObservation, say, scriptedPlanner } from "../testing/scripted-planner.ts";
import { executedCalls } from "../testing/test-skills.ts";

const harness = operatorHarness();

const codeOf = (run: {
  scratchpad: { observation?: { error?: { code: string } | undefined } | undefined }[];
}) => run.scratchpad.map((entry) => entry.observation?.error?.code);

describe("executing a request", () => {
  it("acts, observes, answers, and reports all of it as events", async () => {
    const { operator, ask, persistent } = await harness.home.open(
      scriptedPlanner([
        call("write_down", { text: "sandwich" }),
        (state) => say(lastObservation(state)?.content ?? ""),
      ]),
    );
    const run = await ask("make sandwich file");
    expect(run).toMatchObject({
      status: "ended",
      outcome: "answered",
      result: "Did sandwich.",
      verbatim: false,
    });
    expect(run.scratchpad).toMatchObject([
      { step: 1, observation: { success: true, mode: "narrative", outputs: { done: "sandwich" } } },
    ]);
    expect(await executedCalls(harness.home.journal)).toEqual(["sandwich"]);
    const events: RunEvent[] = await Array.fromAsync(
      operator.events(run.id, { from: 0, signal: new AbortController().signal }),
    );
    expect(events.map((event) => event.type)).toEqual([
      "run-started",
      "context-built",
      "step-planned",
      "action-started",
      "observation-made",
      "answer-completed",
      "usage-recorded",
      "run-ended",
    ]);
    expect((await persistent.store.messages(run.conversationId)).map((message) => message.text)).toEqual([
      "make sandwich file",
      "Did sandwich.",
    ]);
  });

  it("runs nothing before its start is stored, and shows nothing before it is stored", async () => {
    const { operator, persistent } = await harness.home.open(
      scriptedPlanner([call("write_down"), say("Done.")]),
    );
    const started = await operator.start(
      { goal: "go" },
      {
        identity: { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" },
        surface: "api",
      },
    );
    for await (const event of operator.events(started.id, {
      from: 0,
      signal: new AbortController().signal,
    })) {
      if (event.type === "answer-delta") continue;
      const stored = await persistent.store.events(started.id, event.seq - 1, 1);
      expect(stored).toEqual([event]);
      if (event.type === "action-started")
        expect(await persistent.store.actionStarted(started.id, 1)).toBe(true);
    }
  });

  it("returns misspelled skills, wrong arguments and failures to the planner and continues", async () => {
    const { ask } = await harness.home.open(
      scriptedPlanner([
        call("lok"),
        call("look", { txt: 1 }),
        call("miss", { text: "a.md" }),
        call("crash"),
        say("Enough."),
      ]),
    );
    const run = await ask("try");
    expect(run.outcome).toBe("answered");
    expect(codeOf(run)).toEqual(["SKILL_NOT_FOUND", "INVALID_ARGS", "FILE_NOT_FOUND", "UNEXPECTED_ERROR"]);
    expect(run.scratchpad[0]?.observation?.error?.suggestions).toContain("look");
    expect(run.scratchpad[2]?.observation?.error?.suggestions).toContain("out/other.md");
    expect(JSON.stringify(run)).not.toContain("secret");
  });

  it("adds hints to the second path that does not exist", async () => {
    const { ask } = await harness.home.open(
      scriptedPlanner([
        call("miss", { text: "a" }),
        call("miss", { text: "b" }),
        call("miss", { text: "c" }),
        say("No."),
      ]),
    );
    const { scratchpad } = await ask("find it");
    const counts = scratchpad.map((entry) => entry.observation?.error?.suggestions?.length);
    expect(counts).toEqual([1, 5, 1]);
  });

  it("ends at the step limit with the findings so far", async () => {
    const { ask } = await harness.home.open(
      scriptedPlanner(Array.from({ length: 12 }, (_, index) => call("look", { text: `place ${index}` }))),
    );
    const run = await ask("look everywhere");
    expect(run).toMatchObject({ status: "ended", outcome: "stopped" });
    expect(run.scratchpad).toHaveLength(10);
    expect(run.result).toContain("10 steps");
    expect(run.result).toContain("- Did place 9.");
  });

  it("may still answer after its last step", async () => {
    const looks = Array.from({ length: 10 }, (_, index) => call("look", { text: `place ${index}` }));
    const { ask } = await harness.home.open(scriptedPlanner([...looks, say("Seen all.")]));
    expect(await ask("look everywhere")).toMatchObject({ outcome: "answered", result: "Seen all." });
  });

  it("refuses a call that failed twice once, and is stuck at the next one", async () => {
    const { ask } = await harness.home.open(
      scriptedPlanner([call("look"), ...Array.from({ length: 9 }, () => call("miss", { text: "a.md" }))]),
    );
    const run = await ask("insist");
    expect(run).toMatchObject({ status: "ended", outcome: "stuck" });
    expect(codeOf(run)).toEqual([undefined, "FILE_NOT_FOUND", "FILE_NOT_FOUND", "LOOP_DETECTED"]);
    expect(run.result).toContain("- Did it.");
  });

  it("fails with a plain message if the planner does, and keeps the observations", async () => {
    const { ask } = await harness.home.open(
      scriptedPlanner([
        call("look", { text: "the table" }),
        () => {
          throw new PlanInvalidError("The model's plan could not be read.", { suggestions: ["Try again."] });
        },
      ]),
    );
    const run = await ask("look");
    expect(run).toMatchObject({ status: "ended", outcome: "failed", error: { code: "PLAN_INVALID" } });
    expect(run.result).toContain("The model's plan could not be read. Try again.");
    expect(run.result).toContain("- Did the table.");
  });

  it("shows nobody the text of an unexpected error", async () => {
    const { ask } = await harness.home.open(
      scriptedPlanner([
        () => {
          throw new TypeError("secret /root/path");
        },
      ]),
    );
    const run = await ask("look");
    expect(run).toMatchObject({ outcome: "failed", error: { code: "UNEXPECTED_ERROR" } });
    expect(JSON.stringify(run)).not.toContain("secret");
  });

  it("writes an answer from the observations alone if the planner leaves it open", async () => {
    const answer = { kind: "answer", thought: "That is all.", style: "default" } as const;
    const { ask } = await harness.home.open(
      scriptedPlanner([call("look", { text: "a" }), call("miss", { text: "b" }), answer]),
    );
    const run = await ask("look");
    expect(run.result).toBe("Did a.\nCouldn’t find nothing: There is nothing at b.");
    const silent = await harness.home.open(scriptedPlanner([answer]));
    expect((await silent.ask("a poem")).result).toContain("needs a model");
  });
});

describe("the other output of a planner", () => {
  it("is added to the run: model costs, and warnings for the person", async () => {
    const { ask, audited } = await harness.home.open(
      scriptedPlanner([
        (state) => {
          const cost = {
            role: "planner",
            model: "ollama/small",
            messages: [],
            reply: "",
            promptTokens: 7,
            completionTokens: 2,
          } as const;
          state.onModelCall?.({ ...cost, purpose: "plan", durationMs: 5 });
          state.onModelCall?.({ ...cost, purpose: "answer", durationMs: 5 });
          state.onWarning?.("Went on with another model.");
          state.onWarning?.("Went on with another model.");
          return say("Done.");
        },
      ]),
    );
    const run = await ask("go");
    expect(run.usage).toMatchObject({
      planningCalls: 1,
      modelCalls: 2,
      promptTokens: 14,
      completionTokens: 4,
    });
    expect(run.warnings).toEqual(["Went on with another model."]);
    expect(await audited("llm_call")).toMatchObject([
      { purpose: "answer" },
      { purpose: "plan", model: "ollama/small" },
    ]);
  });
});

describe("the context of a run", () => {
  it("contains earlier turns of its conversation, without its own request", async () => {
    const received: string[][] = [];
    const { operator, ask } = await harness.home.open(
      scriptedPlanner([
        (state) => {
          const { taskContext, turns } = state.conversation;
          received.push([
            ...(taskContext === undefined ? [] : [taskContext]),
            ...turns.map(({ text }) => text),
          ]);
          return say(`Heard ${state.request}.`);
        },
      ]),
    );
    const first = await ask("one");
    const options = {
      identity: { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" },
      surface: "api",
    } as const;
    const second = await operator.start(
      { goal: "two", conversationId: first.conversationId, taskContext: "before all" },
      options,
    );
    await operator.settled(second.id);
    expect(received).toEqual([[], ["before all", "one", "Heard one."]]);
  });
});
