import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { helpExamples, helpOnTopic } from "../../brain/agents/operator/planners/built-in/help-topics.ts";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

describe("help on a subject", () => {
  it.each([
    ["how do I make a reminder?", "remind me tomorrow at 9"],
    ["what can you do with tables?", "create a table"],
    ["help with lists", "make a shopping list"],
    ["what can I ask you about my tasks?", "what is due this week?"],
    ["can you help me with my notes", "read meeting.md"],
    ["how do automations work?", "list my open tasks every weekday"],
    ["examples for calculations", "12 % of 340"],
  ])("has examples: “%s”", async (question, example) => {
    const ended = await harness.ask(question);
    expect(ended.result).toContain(example);
    expect(ended.scratchpad.flatMap(({ action }) => action?.tool ?? [])).toEqual([]);
  });

  it.each(["how do I get to the harbour?", "help Ann with her list: soap", "what can I do about the rain?"])(
    "is not what this asks for: “%s”",
    (request) => {
      expect(helpOnTopic(request)).toBeUndefined();
    },
  );

  it.each(helpExamples.map((examples) => ({ examples })))(
    "works when tried: $examples.0, …",
    async ({ examples }) => {
      for (const example of examples) {
        const { result, outcome } = await harness.ask(example);
        expect({ example, outcome, result }).toMatchObject({ outcome: "answered" });
        expect(result).not.toMatch(/not understood|Not done|Nothing was done/u);
      }
    },
  );
});
