import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import type { AnswerPort } from "../ports.ts";
import { conversationalResponse } from "./skill.ts";

const harness = skillHarness();

describe("conversational_response", () => {
  it("passes goal, style and scratchpad to the answer port and returns its text", async () => {
    const received: unknown[] = [];
    const answerWriter: AnswerPort = {
      respond: (request) => {
        received.push(request);
        return Promise.resolve("Done.");
      },
    };
    const scratchpad: ScratchpadEntry[] = [
      { step: 1, thought: "look", timestamp: "2026-11-20T09:30:12.123Z" },
    ];
    const { outputs, narrative, structured } = await harness.call(
      conversationalResponse,
      { goal: "say what was done", style: "summary" },
      { answerWriter, scratchpad },
    );
    expect(received).toEqual([{ goal: "say what was done", context: "", style: "summary", scratchpad }]);
    expect(outputs).toEqual({ response: "Done." });
    expect([narrative, structured]).toEqual(["Done.", "Done."]);
  });

  it("controls the run and touches nothing else", () => {
    expect(conversationalResponse).toMatchObject({
      category: "agent",
      effects: "agent",
      risk: "low",
      idempotent: true,
    });
  });

  it("propagates an error of the answer port", async () => {
    const answerWriter: AnswerPort = { respond: () => Promise.reject(new Error("the model went away")) };
    await expect(harness.call(conversationalResponse, { goal: "x" }, { answerWriter })).rejects.toThrow(
      "the model went away",
    );
  });

  it("accepts three styles", async () => {
    await expect(harness.call(conversationalResponse, { goal: "x", style: "rude" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
  });
});
