import { describe, expect, it } from "vitest";
import { applyEvent, queuedRun } from "./apply-event.ts";
import type { RunEvent, RunEventBody } from "./event.ts";
import type { Run } from "./run.ts";

const ID = `run-${"0".repeat(26)}`;
const run = queuedRun({
  id: ID,
  conversationId: `conv-${"0".repeat(26)}`,
  agentId: "operator",
  goal: "make sandwich file",
  createdAt: "2026-11-20T09:30:00.000Z",
});

function replay(from: Run, ...bodies: RunEventBody[]): Run {
  return bodies.reduce((state, body, index) => {
    const seq = body.type === "answer-delta" ? state.lastSeq : state.lastSeq + 1;
    const at = `2026-11-20T09:30:${String(index).padStart(2, "0")}.000Z`;
    const event: RunEvent = { ...body, runId: ID, seq, at };
    return applyEvent(state, event);
  }, from);
}

const begun: RunEventBody = {
  type: "run-started",
  goal: run.goal,
  conversationId: run.conversationId,
  agentId: "operator",
  planner: "built-in",
};
const planned: RunEventBody = {
  type: "step-planned",
  step: 1,
  thought: "Ask.",
  action: { tool: "ask_user", args: { question: "Where?" } },
  planner: "built-in",
};
const asked: RunEventBody = {
  type: "question-asked",
  step: 1,
  question: "Where?",
  options: ["out", "notes"],
};
const answered: RunEventBody = {
  type: "observation-made",
  step: 1,
  observation: { mode: "narrative", content: "out", success: true, outputs: { answer: "out" } },
  durationMs: 0,
};

const stage = (name: string, state: "begun" | "done"): RunEventBody => ({
  type: "stage-reached",
  step: 1,
  stage: { name, state },
});

describe("applying events to a run", () => {
  it("keeps the stages of a call; an end or a restart replaces the beginning", () => {
    const broken = replay(run, begun, planned, stage("gather", "begun"), stage("gather", "done"));
    const resumed = replay(broken, stage("write", "begun"), stage("gather", "begun"));
    expect(broken.scratchpad[0]?.stages).toEqual([{ name: "gather", state: "done" }]);
    expect(resumed.scratchpad[0]?.stages).toEqual([
      { name: "gather", state: "done" },
      { name: "gather", state: "begun" },
    ]);
  });

  it("starts, takes steps, waits for a person, is queued and continues", () => {
    const waiting = replay(run, begun, planned, asked);
    expect(waiting).toMatchObject({ status: "waiting", pending: { kind: "question", question: "Where?" } });
    const queued = replay(waiting, answered);
    expect(queued).toMatchObject({ status: "queued", scratchpad: [{ observation: { content: "out" } }] });
    expect(queued).not.toHaveProperty("pending");
    expect(replay(queued, { type: "run-resumed", reason: "room", status: "running" }).status).toBe("running");
  });

  it("runs since its start, and after a pause since it continued", () => {
    const waiting = replay(run, begun, planned, asked, answered);
    expect(waiting.runningSince).toBe("2026-11-20T09:30:00.000Z");
    const queued: RunEventBody = { type: "run-resumed", reason: "asked for", status: "queued" };
    const resumed: RunEventBody = { ...queued, status: "running" };
    expect(replay(waiting, queued).runningSince).toBe(waiting.runningSince);
    expect(replay(waiting, queued, resumed).runningSince).toBe("2026-11-20T09:30:01.000Z");
  });

  it("does not change the status for an observation", () => {
    expect(replay(run, begun, planned, answered).status).toBe("running");
  });

  it("ends with outcome and error and without a pending question", () => {
    const error = { code: "CANCELLED", message: "Stopped." } as const;
    const ended = replay(run, begun, planned, asked, { type: "run-ended", outcome: "cancelled", error });
    expect(ended).toMatchObject({
      status: "ended",
      outcome: "cancelled",
      error,
      endedAt: "2026-11-20T09:30:03.000Z",
    });
    expect(ended).not.toHaveProperty("pending");
  });

  it("is interrupted and resumed without losing observations", () => {
    const interrupted = replay(run, begun, planned, answered, { type: "run-interrupted", reason: "gone" });
    expect(interrupted).toMatchObject({ status: "interrupted", scratchpad: [{ step: 1 }] });
    expect(replay(interrupted, { type: "run-resumed", reason: "asked", status: "queued" }).status).toBe(
      "queued",
    );
  });

  it("marks the function that a step follows, also after another match", () => {
    const use = { id: "func-20261120-abc123", title: "Create a file", followed: false };
    const matched: RunEventBody = { type: "function-matched", function: use, score: 0.8, reason: "title" };
    const followed = replay(run, begun, matched, { ...planned, functionId: use.id }, matched);
    expect(followed.functionsUsed).toEqual([{ ...use, followed: true }]);
  });

  it("ignores a repeated event", () => {
    const state = replay(run, begun, planned);
    const again: RunEvent = { ...planned, runId: ID, seq: 2, at: "2026-11-20T10:00:00.000Z" };
    expect(applyEvent(state, again)).toBe(state);
  });

  it("does not change the run it is given", () => {
    const before = structuredClone(run);
    replay(run, begun, planned, asked, answered);
    expect(run).toEqual(before);
  });
});

describe("a streamed answer", () => {
  const delta = (text: string, offset: number): RunEventBody => ({ type: "answer-delta", text, offset });

  it("is assembled by offset, despite repetitions and restarts", () => {
    expect(replay(run, begun, delta("Made ", 0), delta("it.", 5), delta("it.", 5)).result).toBe("Made it.");
    expect(replay(run, begun, delta("Made it.", 0), delta("Sorry", 0)).result).toBe("Sorry");
  });

  it("is replaced by the complete answer", () => {
    const completed: RunEventBody = {
      type: "answer-completed",
      text: "Made it!",
      style: "default",
      verbatim: false,
    };
    const done = replay(run, begun, delta("Made it", 0), completed, delta("?", 8));
    expect(done).toMatchObject({ result: "Made it!", responseStyle: "default", lastSeq: 2 });
  });
});
