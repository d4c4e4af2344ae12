import { describe, expect, it } from "vitest";
import { compileTemplate, firstWords, TemplateError, literalWords } from "./template.ts";

describe("a template", () => {
  it("contains its words with their synonyms, and the words it can begin with", () => {
    const pattern = compileTemplate("[please] (create|build) a file {path}");
    expect(literalWords(pattern)).toEqual(
      expect.arrayContaining(["please", "create", "make", "build", "file", "document"]),
    );
    const first = firstWords(pattern);
    expect(first).toMatchObject({ skippable: false, slots: [] });
    expect(first.words).toEqual(expect.arrayContaining(["please", "create", "make", "build"]));
    expect(first.words).not.toContain("file");
  });

  it("matches a word marked with = only in that form", () => {
    expect(literalWords(compileTemplate("=make it"))).toEqual(["make", "it"]);
  });

  it("matches without an article, and does not begin with one", () => {
    expect(firstWords(compileTemplate("the list")).words).toEqual(["list", "ls"]);
  });

  it("shares one compiled form among all places of a word", () => {
    const [first, second] = ["show it", "hide it"]
      .map(compileTemplate)
      .map((pattern) => (pattern.kind === "sequence" ? pattern.parts[1] : undefined));
    expect(first).toMatchObject({ kind: "word", word: "it" });
    expect(second).toBe(first);
  });

  it.each(["(a|", "[open", "{no-slot}", "a || b", "()", "say ; this", "x)"])(
    "refuses %j with the template in the error",
    (template) => {
      expect(() => compileTemplate(template)).toThrow(TemplateError);
      expect(() => compileTemplate(template)).toThrow(template);
    },
  );
});
