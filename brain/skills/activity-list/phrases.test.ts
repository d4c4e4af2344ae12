import { readRequest } from "@metahuman/core/language/read-request";
import { describe, expect, it } from "vitest";
import { installedSkills } from "../installed.ts";
import { skillGrammar } from "../skill-card.ts";

const grammars = installedSkills.map(skillGrammar);

function skillFor(request: string): string | undefined {
  const reading = readRequest(request, grammars, { now: new Date("2026-11-29T12:00:00.000Z") });
  return reading.kind === "plan" ? reading.calls[0]?.skill : undefined;
}

describe("a question about what was done", () => {
  it.each(["what are the versions of budget.csv", "what is the history of budget.csv"])(
    "asks for the changes of a file: “%s”",
    (request) => {
      expect(skillFor(request)).toBe("activity_list");
    },
  );

  it("is not one about a value in a file", () => {
    expect(skillFor("what is the version in package.json")).toBe("fs_read");
  });
});
