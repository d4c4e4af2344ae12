import { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import { describe, expect, it } from "vitest";
import { failedSentence, stepBudget, stepsTaken } from "./end-run.ts";

const config = OperatorConfig.parse({});
const { operator: flags } = RuntimeConfig.parse({});

describe("the step limit of a run", () => {
  it.each([
    [false, undefined, 10],
    [false, 0, 10],
    [true, 0, 1],
    [true, 1, 5],
    [true, 2, 10],
    [true, 3, 15],
    [true, undefined, 10],
  ])("is, with the reasoning service %s and depth %s: %i", (useReasoningService, depth, steps) => {
    expect(stepBudget(config, { ...flags, useReasoningService }, depth)).toBe(steps);
  });

  it("follows the configuration without the reasoning service", () => {
    expect(stepBudget({ ...config, scratchpad: { ...config.scratchpad, maxSteps: 3 } }, flags, 3)).toBe(3);
  });

  it("counts calls, not thoughts", () => {
    expect(stepsTaken([{ action: { tool: "look", args: {} } }, {}])).toBe(1);
  });
});

it("reports why a run failed and what to do about it", () => {
  expect(failedSentence({ code: "PLAN_INVALID", message: "No plan.", suggestions: ["Try again."] })).toBe(
    "This request could not be finished. No plan. Try again.",
  );
});
