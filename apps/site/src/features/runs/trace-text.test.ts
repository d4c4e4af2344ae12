import { queuedRun } from "@metahuman/core/contract/apply-event";
import type { Observation, Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import { describe, expect, it } from "vitest";
import {
  archivedItems,
  hasOutcomeToTell,
  currentActivity,
  traceSummary,
  latestTodos,
  repeatsAnswer,
} from "./trace-text.ts";

const at = "2026-11-20T09:30:12.123Z";

function runWith(change: Partial<Run>): Run {
  const id = "run-00000000000000000000000000";
  const conversationId = "conv-00000000000000000000000000";
  return {
    ...queuedRun({ id, conversationId, agentId: "operator", goal: "make sandwich file", createdAt: at }),
    ...change,
  };
}

function entry(
  step: number,
  observation?: Partial<Observation>,
  tool = "fs_write",
  args: Record<string, unknown> = {},
): ScratchpadEntry {
  return {
    step,
    thought: "",
    action: { tool, args },
    timestamp: at,
    ...(observation && { observation: { mode: "narrative", content: "", success: true, ...observation } }),
  };
}

const usage = { planningCalls: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, durationMs: 210 };

describe("foldedTrace", () => {
  it("names the last action and the total time", () => {
    const scratchpad = [
      entry(1, { content: "Listed out/." }),
      entry(2, { content: "Created out/sandwich.txt (empty)." }),
    ];
    expect(traceSummary(runWith({ scratchpad, usage }), 2)).toBe(
      "2 steps · created out/sandwich.txt (empty) · 0.2 s",
    );
  });

  it("describes a failure in words instead of repeating the error", () => {
    const scratchpad = [entry(1, { success: false, content: "Gone." }, "fs_read", { path: "x.md" })];
    expect(traceSummary(runWith({ scratchpad }), 1)).toBe("1 step · couldn’t read x.md");
  });

  it("describes a denied call, which is not a failure", () => {
    const error = {
      code: "APPROVAL_DENIED" as const,
      message: "The person denied this call: keep it",
      suggestions: [],
    };
    const scratchpad = [entry(1, { success: false, error }, "fs_delete", { path: "x.md" })];
    expect(traceSummary(runWith({ scratchpad }), 1)).toBe("1 step · you denied deleting x.md");
  });

  it("names the last action, not the answer after it", () => {
    const answer = entry(2, { content: "Written **well** [1]." }, "conversational_response", {
      message: "x",
    });
    const action = entry(1, { content: "Wrote out/a.md." }, "fs_write", { path: "out/a.md" });
    expect(traceSummary(runWith({ scratchpad: [action, answer] }), 2)).toBe("2 steps · wrote out/a.md");
    expect(traceSummary(runWith({ scratchpad: [answer] }), 1)).toBe("1 step · wrote an answer");
  });

  it("shows the number of steps until they are loaded", () => {
    expect(traceSummary(runWith({ usage }), 3)).toBe("3 steps · 0.2 s");
  });
});

describe("currentTrace", () => {
  it.each([
    [runWith({}), "Waiting to start"],
    [runWith({ status: "running" }), "Reading the request"],
    [
      runWith({
        status: "running",
        context: { memories: [], functions: [], patterns: [], warnings: [], timingsMs: {} },
      }),
      "Step 1 · thinking",
    ],
    [
      runWith({ status: "running", scratchpad: [entry(1, undefined, "fs_write", { path: "out/a.md" })] }),
      "Step 1 · writing out/a.md",
    ],
    [runWith({ status: "running", scratchpad: [entry(1, {})] }), "Step 2 · thinking"],
    [runWith({ status: "waiting", scratchpad: [entry(1)] }), "Waiting for you"],
    [runWith({ status: "queued", scratchpad: [entry(1)] }), "Continuing"],
  ])("describes the current activity (%#)", (run, words) => {
    expect(currentActivity(run)).toBe(words);
  });
});

it.each([
  ["calculate", { expression: "12 % of 340" }, "calculated 12 % of 340", "couldn’t calculate 12 % of 340"],
  ["calculate", { expression: "15 % of 80?" }, "calculated 15 % of 80", "couldn’t calculate 15 % of 80"],
  ["remind", { text: "water" }, "set a reminder", "couldn’t set a reminder"],
  ["schedule_list", {}, "listed schedules", "couldn’t list schedules"],
  ["fs_list", {}, "listed files", "couldn’t list files"],
  ["fs_copy", { from: "a.md", to: "b.md" }, "copied a.md", "couldn’t copy a.md"],
])("describes a call of %s in words", (tool, args, done, failed) => {
  const ok = entry(1, { mode: "structured", outputs: {} }, tool, args);
  expect(traceSummary(runWith({ scratchpad: [ok] }), 1)).toBe(`1 step · ${done}`);
  const bad = entry(1, { success: false, content: "" }, tool, args);
  expect(traceSummary(runWith({ scratchpad: [bad] }), 1)).toBe(`1 step · ${failed}`);
});

it("describes a read by its result", () => {
  const outputs = { path: "out/a.md", content: "x" };
  const read = entry(1, { mode: "structured", outputs }, "fs_read", { path: "out/a.md" });
  expect(traceSummary(runWith({ scratchpad: [read] }), 1)).toBe("1 step · read out/a.md");
  const list = entry(1, { mode: "structured", outputs: { tasks: [], total: 0 } }, "task_list");
  expect(traceSummary(runWith({ scratchpad: [list] }), 1)).toBe("1 step · listed tasks: 0 results");
  const found = {
    mode: "narrative",
    content: "| memory | when |\n| --- | --- |",
    outputs: { total: 3 },
  } as const;
  expect(traceSummary(runWith({ scratchpad: [entry(1, found, "memory_search")] }), 1)).toBe(
    "1 step · searched memory: 3 results",
  );
});

it("omits a final thought that only repeats the answer", () => {
  const { action: _, ...closing } = { ...entry(2), thought: "**Two** tasks are open." };
  expect(repeatsAnswer(closing, "Two tasks are open.")).toBe(true);
  expect(repeatsAnswer(closing, "One task is open.")).toBe(false);
  expect(repeatsAnswer({ ...entry(2), thought: "Two" }, "Two")).toBe(false);
});

describe("archived items", () => {
  const items = (...outputs: Record<string, unknown>[]) =>
    archivedItems({ scratchpad: outputs.map((one, index) => entry(index + 1, { outputs: one })) });

  it("are those of deletions and overwrites, and none of a failure", () => {
    const deleted = { path: "out/a.md", removed: { id: "arch-1", title: "out/a.md" } };
    const overwritten = { path: "out/a.md", archived: { id: "arch-2", title: "a.md" } };
    expect(items(deleted, { removed: 3 }, overwritten)).toEqual([
      { id: "arch-1", title: "out/a.md", isReplaced: false, calls: [deleted] },
      { id: "arch-2", title: "a.md", isReplaced: true, calls: [overwritten] },
    ]);
    expect(archivedItems({ scratchpad: [entry(1, { success: false, outputs: deleted })] })).toEqual([]);
  });

  it("are, of a file that was changed twice, the text before the first change", () => {
    const change = (id: string, path: string) => ({ path, archived: { id, title: path } });
    const [first, second, other] = [
      change("arch-1", "a.md"),
      change("arch-2", "a.md"),
      change("arch-3", "b.md"),
    ];
    expect(items(first, other, second)).toEqual([
      { id: "arch-1", title: "a.md", isReplaced: true, calls: [first, second] },
      { id: "arch-3", title: "b.md", isReplaced: true, calls: [other] },
    ]);
  });
});

describe("todosOf", () => {
  const written = (step: number, ...texts: string[]) =>
    entry(step, { outputs: { todos: texts.map((text) => ({ text, status: "todo" })) } }, "write_todos");

  it("is the latest list, whatever followed", () => {
    const scratchpad = [written(1, "a"), written(2, "a", "b"), entry(3, { outputs: { todos: [] } })];
    expect(latestTodos(runWith({ scratchpad })).map(({ text }) => text)).toEqual(["a", "b"]);
  });

  it("is empty without a list, and for an invalid one", () => {
    expect(latestTodos(runWith({}))).toEqual([]);
    const odd = entry(1, { outputs: { todos: [{ text: "a", status: "maybe" }] } }, "write_todos");
    expect(latestTodos(runWith({ scratchpad: [odd] }))).toEqual([]);
  });
});

describe("what a run has to say besides its answer", () => {
  it("is nothing for a run that answered", () => {
    expect(hasOutcomeToTell(runWith({ status: "ended", outcome: "answered" }))).toBe(false);
    expect(hasOutcomeToTell(runWith({ status: "running" }))).toBe(false);
  });

  it.each<[string, Partial<Run>]>([
    ["a warning", { status: "ended", outcome: "answered", warnings: ["No model is available."] }],
    ["an interruption", { status: "interrupted" }],
    ["an end without an answer", { status: "ended", outcome: "stopped" }],
    [
      "a call that the rules denied",
      {
        status: "ended",
        outcome: "answered",
        scratchpad: [
          entry(1, {
            success: false,
            error: { code: "POLICY_DENIED", message: "Denied." },
          }),
        ],
      },
    ],
  ])("includes %s", (_, change) => {
    expect(hasOutcomeToTell(runWith(change))).toBe(true);
  });
});
