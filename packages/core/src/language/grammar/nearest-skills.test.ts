import { describe, expect, it } from "vitest";
import { exampleOf } from "./example.ts";
import { compileGrammar } from "./grammar.ts";
import { nearestPhrases, nearestSkills } from "./nearest-skills.ts";
import { TEST_SKILLS } from "../testing-grammar.ts";
import { tokenize } from "../tokens/tokens.ts";

const grammar = compileGrammar(TEST_SKILLS);

describe("nearestSkills", () => {
  it.each<[string, string]>([
    ["painting the fence", "sign_paint"],
    ["which lamp", "lamp_state"],
    ["notes/today.md", "sign_paint"],
    ["remembr something", "chore_add"],
  ])("finds the skill nearest to %j", (request, skill) => {
    expect(nearestSkills(grammar, tokenize(request))[0]?.skill.id).toBe(skill);
  });
});

describe("nearestPhrases", () => {
  it("suggests three sentences of different skills, even if none is similar", () => {
    for (const request of ["", "xyzzy", "light a lamp", "列出"]) {
      const phrases = nearestPhrases(grammar, tokenize(request));
      expect(new Set(phrases).size).toBe(3);
    }
  });

  it("suggests what removes or replaces something only to a request that begins with its verb", () => {
    const risky = TEST_SKILLS.map((skill) =>
      skill.id === "chore_add" ? { ...skill, isRisky: true } : skill,
    );
    const suggestions = (request: string) => nearestPhrases(compileGrammar(risky), tokenize(request));
    const chore = "remember to buy milk";
    expect(suggestions("remember something")).toContain(chore);
    expect(suggestions("xyzzy")).not.toContain(chore);
    expect(suggestions("the lamps to remember")).not.toContain(chore);
  });
});

describe("exampleOf", () => {
  it("writes a phrase in its simplest form, with articles", () => {
    const rules = grammar.byFirstStem.get("make") ?? [];
    expect(rules.map((rule) => exampleOf(rule))).toContain("make a sign notes/today.md");
  });
});
