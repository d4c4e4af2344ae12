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

describe("a replay that deviates", () => {
  it("reports the first deviation, also after the fallback planner has made calls", async () => {
    const fallback: Planner = {
      name: "built-in",
      next: async () => ({ kind: "act", thought: "", action: { tool: "task_list", args: {} } }),
    };
    const warnings: string[] = [];
    const state: PlanState = {
      runId: "run-1",
      request: "lay out the tea shelf",
      requestedAt: new Date("2026-01-01T08:00:00Z"),
      timeZone: "UTC",
      locale: "en-GB",
      scratchpad: [],
      context: undefined,
      conversation: NO_CONVERSATION,
      skills: installedSkills,
      onWarning: (message) => warnings.push(message),
    };
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
