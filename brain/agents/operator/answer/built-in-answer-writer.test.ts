import { NO_CONVERSATION } from "@metahuman/core/context/build-context-package";
import { describe, expect, it } from "vitest";
import type { ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";
import { createBuiltInAnswerWriter } from "./built-in-answer-writer.ts";
import { testSkills } from "../testing/test-skills.ts";

const skills = testSkills("/nowhere");
const writer = createBuiltInAnswerWriter(skills);

function entries(...outputs: (string | Error)[]): ScratchpadEntry[] {
  return outputs.map((output, index) => ({
    step: index + 1,
    thought: "",
    action: { tool: "look", args: {} },
    observation:
      typeof output === "string"
        ? { mode: "structured", content: "as the planner saw it", success: true, outputs: { done: output } }
        : {
            mode: "narrative",
            content: output.message,
            success: false,
            error: { code: "TIMEOUT", message: output.message },
          },
    timestamp: "2026-11-20T09:30:00.000Z",
  }));
}

async function word(style: ResponseStyle, scratchpad: ScratchpadEntry[]): Promise<string> {
  let shown = "";
  const state = {
    runId: "",
    request: "",
    requestedAt: new Date(),
    timeZone: "Europe/Oslo",
    locale: "en-GB",
    scratchpad,
    context: undefined,
    conversation: NO_CONVERSATION,
    skills,
  };
  const request = { goal: "look", context: "", style, scratchpad, state };
  const text = await writer.write(request, {
    signal: new AbortController().signal,
    onText: (piece, offset) => (shown = shown.slice(0, offset) + piece),
  });
  expect(shown).toBe(text);
  return text;
}

describe("an answer written by code", () => {
  it("has a sentence for each finding, including failures", async () => {
    expect(await word("default", entries("a", new Error("It took too long.")))).toBe(
      "Did a.\nCouldn’t look: It took too long.",
    );
  });

  it("leaves out a call that was not repeated", async () => {
    const [made, repeated] = entries(
      "a",
      new Error("look was carried out in step 1, so it was not repeated."),
    );
    if (repeated?.observation?.error) repeated.observation.error.code = "LOOP_DETECTED";
    expect(
      await word(
        "default",
        [made, repeated].filter((one) => one !== undefined),
      ),
    ).toBe("Did a.");
  });

  it("is only the data if it must be strict", async () => {
    expect(await word("strict", entries("a", "b"))).toBe("- a\n\n- b");
  });

  it("is at most three sentences as a summary, with the rest counted", async () => {
    expect(await word("summary", entries("a", "b", "c"))).toBe("Did a. Did b. Did c.");
    expect(await word("summary", entries("a", "b", "c", "d"))).toBe("Did a. Did b. 2 more steps were taken.");
  });

  it("reports missing information instead of inventing it", async () => {
    expect(await word("default", [])).toContain("needs a model");
    const asked: ScratchpadEntry = {
      step: 1,
      thought: "",
      action: { tool: "ask_user", args: { question: "?" } },
      observation: { mode: "narrative", content: "yes", success: true, outputs: { answer: "yes" } },
      timestamp: "2026-11-20T09:30:00.000Z",
    };
    expect(await word("default", [asked])).toContain("needs a model");
  });

  it("shows observations of a skill that is gone or has changed", async () => {
    const [entry] = entries("a");
    if (!entry?.observation) throw new Error("unreachable");
    const changed = { ...entry, observation: { ...entry.observation, outputs: { other: 1 } } };
    const gone = { ...entry, action: { tool: "look_of_old", args: {} } };
    expect(await word("default", [changed, gone])).toBe("as the planner saw it\nas the planner saw it");
  });
});
