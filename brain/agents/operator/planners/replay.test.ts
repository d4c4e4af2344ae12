import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";
import { NO_CONVERSATION } from "@metahuman/core/context/build-context-package";
import type { Planner, PlanState } from "../planner.ts";
import { createReplayPlanner } from "./replay.ts";

const SPICES = learned(
  "shelf",
  ["lay out the spice shelf", "lay out the {name} shelf"],
  { name: ["string", "spice"] },
  [["fs_write", { path: "shelves/${name}.md", content: "${name}" }]],
);
const match = {
  function: SPICES,
  values: { name: "tea" },
  score: 1,
  explainsAsMuch: true,
  reason: "every word",
};

function entry(step: number, tool: string, args: Record<string, unknown>, error?: string): ScratchpadEntry {
  const observation = {
    mode: "narrative" as const,
    content: error ?? "Done.",
    success: error === undefined,
    ...(error !== undefined && { error: { code: "STORAGE_FULL" as const, message: error } }),
  };
  return {
    step,
    timestamp: "2026-01-01T08:00:00.000Z",
    thought: "",
    action: { tool, args },
    observation,
    ...(step === 1 && { functionId: SPICES.id }),
  };
}

const fallback: Planner = {
  name: "built-in",
  next: async () => ({ kind: "act", thought: "", action: { tool: "task_list", args: {} } }),
};

const stateOf = (request: string, warnings: string[] = []): PlanState => ({
  runId: "run-1",
  request,
  requestedAt: new Date("2026-01-01T08:00:00Z"),
  timeZone: "UTC",
  locale: "en-GB",
  scratchpad: [],
  context: undefined,
  conversation: NO_CONVERSATION,
  skills: installedSkills,
  onWarning: (message) => warnings.push(message),
});

describe("a replay that composes a text", () => {
  const request = "sum up inbox/board.md in sums/board.md";
  const DIGEST = learned(
    "digest",
    [request, "sum up {path} in {file}"],
    { path: ["path", "inbox/board.md"], file: ["path", "sums/board.md"] },
    [
      ["fs_read", { path: "${path}" }],
      ["fs_read", { path: "members.md" }],
      [
        "conversational_response",
        { goal: "Sum it up", context: "${steps.1.path}:\n${steps.1.content}\n\n${steps.2.content}" },
      ],
      ["fs_write", { path: "${file}", content: "${steps.3.response}" }],
    ],
  );
  const { promptTemplates = [], actions = [] } = DIGEST.recipe ?? {};
  const recipe = {
    promptTemplates,
    actions: actions.map((action, index) =>
      index === 0
        ? { ...action, expect: [{ field: "path", is: "equals" as const, value: "${path}" }] }
        : action,
    ),
  };
  const digest = {
    ...match,
    function: { ...DIGEST, recipe },
    values: { path: "inbox/board.md", file: "sums/board.md" },
  };
  const done = (step: number, tool: string, args: object, outputs: object): ScratchpadEntry => ({
    step,
    timestamp: "2026-01-01T08:00:00.000Z",
    thought: "",
    action: { tool, args: { ...args } },
    observation: { mode: "structured", content: `Observed ${tool}.`, success: true, outputs: { ...outputs } },
    functionId: DIGEST.id,
  });
  const content = "# Board\nDora writes to the bank.\n";
  const read = done(
    1,
    "fs_read",
    { path: "inbox/board.md" },
    { path: "inbox/processed/2026-01-01/board.md", content, bytes: content.length },
  );

  const members = done(2, "fs_read", { path: "members.md" }, { path: "out/members.md", content, bytes: 1 });

  it("reads a file of inbox/ also where its import has moved it", async () => {
    const planner = createReplayPlanner(digest, fallback);
    const state = { ...stateOf(request), scratchpad: [read] };
    expect(await planner.next(state, new AbortController().signal)).toMatchObject({
      action: { tool: "fs_read", args: { path: "members.md" } },
    });
    expect(planner.deviation).toBeUndefined();
  });

  it("reports what was written, not the sources", async () => {
    const text = "Dora writes to the bank.";
    const context = `inbox/board.md:\n${content}\n\n${content}`;
    const asked = { path: "inbox/board.md" };
    const written = { path: "out/sums/board.md", bytes: text.length, created: true };
    const scratchpad = [
      done(1, "fs_read", asked, { ...asked, content, bytes: 1 }),
      members,
      done(3, "conversational_response", { goal: "Sum it up", context }, { response: text }),
      done(4, "fs_write", { path: "sums/board.md", content: text }, written),
    ];
    const planner = createReplayPlanner(digest, fallback);
    const state = { ...stateOf(request), scratchpad };
    expect(await planner.next(state, new AbortController().signal)).toMatchObject({
      kind: "answer",
      text: "Created out/sums/board.md.",
    });
  });
});

describe("a replay that deviates", () => {
  it("reports the first deviation, also after the fallback planner has made calls", async () => {
    const warnings: string[] = [];
    const state = stateOf("lay out the tea shelf", warnings);
    const planner = createReplayPlanner(match, fallback);
    const { signal } = new AbortController();
    expect(await planner.next(state, signal)).toMatchObject({ action: { tool: "fs_write" } });
    const failed = entry(1, "fs_write", { path: "shelves/tea.md", content: "tea" }, "The disk is full.");
    await planner.next({ ...state, scratchpad: [failed] }, signal);
    await planner.next({ ...state, scratchpad: [failed, entry(2, "task_list", {})] }, signal);
    expect([planner.name, planner.deviation]).toEqual(["built-in", "The disk is full."]);
    expect(warnings).toHaveLength(1);
  });
});
