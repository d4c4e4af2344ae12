import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { planningMessages, tokensOf, type PromptParts } from "./messages.ts";

const entry = (step: number, content: string): ScratchpadEntry => ({
  step,
  thought: `step ${String(step)}`,
  action: { tool: "fs_read", args: { path: `${String(step)}.md` } },
  observation: { mode: "narrative", content, success: true },
  timestamp: "2026-01-01T00:00:00.000Z",
});
const parts = (entries: number, more: Partial<PromptParts> = {}): PromptParts => ({
  rules: "rules and tools ".repeat(50),
  context: "who the person is",
  goal: "read all my notes",
  scratchpad: Array.from({ length: entries }, (_, index) =>
    entry(index + 1, `note ${String(index + 1)}\n`.repeat(20)),
  ),
  budgetTokens: 100_000,
  keepVerbatim: 10,
  ...more,
});

describe("the planning prompt", () => {
  it("is only ever appended to from one step to the next", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), (steps) => {
        const before = planningMessages(parts(steps));
        const after = planningMessages(parts(steps + 1));
        expect(after.slice(0, before.length)).toEqual(before);
      }),
    );
  });

  it("folds the oldest steps when it would not fit, and keeps the newest word for word", () => {
    const whole = planningMessages(parts(12));
    const budgetTokens = Math.floor(tokensOf(whole) * 0.7);
    const folded = planningMessages(parts(12, { budgetTokens }));
    expect(tokensOf(folded)).toBeLessThanOrEqual(budgetTokens);
    expect(folded.at(-1)).toEqual(whole.at(-1));
    expect(folded[3]?.content).toContain("1. fs_read → note 1");
  });

  it("still holds the last step when even that overruns the budget", () => {
    const folded = planningMessages(parts(5, { budgetTokens: 10 }));
    expect(folded.at(-1)?.content).toContain("Observation 5");
  });

  it("hands a failed step's suggestions on", () => {
    const failed: ScratchpadEntry = {
      ...entry(1, "There is no file a.md."),
      observation: {
        mode: "narrative",
        content: "There is no file a.md.",
        success: false,
        error: { code: "FILE_NOT_FOUND", message: "", suggestions: ["out/b.md"] },
      },
    };
    const last = planningMessages(parts(0, { scratchpad: [failed] })).at(-1)?.content;
    expect(last).toContain("FILE_NOT_FOUND");
    expect(last).toContain("out/b.md");
  });
});
