import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { WaitForPerson } from "../define-skill.ts";
import { askUser } from "./skill.ts";

const harness = skillHarness();

describe("ask_user", () => {
  it("pauses the run with its question and the answers to choose from", async () => {
    const error = await harness
      .call(askUser, { question: " Which folder? ", options: ["out", "inbox"] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WaitForPerson);
    expect(error).toMatchObject({ question: "Which folder?", options: ["out", "inbox"] });
  });

  it("renders the answer that the loop stores as its output", () => {
    const outputs = askUser.output.parse({ answer: "out, please" });
    expect(askUser.narrate(outputs)).toBe("The person answered: out, please.");
    expect(askUser.structure(outputs)).toBe("- answer: out, please");
  });

  it("rejects an empty question and too many options", () => {
    for (const args of [
      {},
      { question: " " },
      { question: "x", options: Array(13).fill("a") },
      { question: "x", options: [""] },
    ]) {
      expect(() => askUser.parse(args)).toThrow(expect.objectContaining({ code: "INVALID_ARGS" }));
    }
  });
});
