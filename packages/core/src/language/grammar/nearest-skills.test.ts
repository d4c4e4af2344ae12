import { describe, expect, it } from "vitest";
import { exampleOf } from "./example.ts";
import { compileGrammar } from "./grammar.ts";
import { nearestPhrases, nearestSkills } from "./nearest-skills.ts";
import { HOUSE } from "../testing-grammar.ts";
import { tokenise } from "../tokens/tokens.ts";

const grammar = compileGrammar(HOUSE);

describe("nearestSkills", () => {
  it.each<[string, string]>([
    ["painting the fence", "sign_paint"],
    ["which lamp", "lamp_state"],
    ["notes/today.md", "sign_paint"],
    ["remembr something", "chore_add"],
  ])("finds the skill nearest to %j", (request, skill) => {
    expect(nearestSkills(grammar, tokenise(request))[0]?.skill.id).toBe(skill);
  });
});

describe("nearestPhrases", () => {
  it("offers three sentences of different skills, also when nothing is near", () => {
    for (const request of ["", "xyzzy", "light a lamp", "列出"]) {
      const phrases = nearestPhrases(grammar, tokenise(request));
      expect(new Set(phrases).size).toBe(3);
    }
  });

  it("words them as near to the request as the phrase allows", () => {
    expect(nearestPhrases(grammar, tokenise("switch on something"))[0]).toMatch(/^switch on the .* lamp$/);
  });
});

describe("exampleOf", () => {
  it("shows a phrase in its plainest form, with articles", () => {
    const rules = grammar.byFirstStem.get("make") ?? [];
    expect(rules.map((rule) => exampleOf(rule))).toContain("make a sign notes/today.md");
  });
});
