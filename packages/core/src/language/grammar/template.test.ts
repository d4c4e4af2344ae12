import { describe, expect, it } from "vitest";
import { compileTemplate, firstWords, TemplateError, wordsOf } from "./template.ts";

describe("a template", () => {
  it("knows its words with all that mean the same, and what it can begin with", () => {
    const pattern = compileTemplate("[please] (create|build) a file {path}");
    expect(wordsOf(pattern)).toEqual(
      expect.arrayContaining(["please", "create", "make", "build", "file", "document"]),
    );
    const first = firstWords(pattern);
    expect(first).toMatchObject({ skippable: false, slots: [] });
    expect(first.words).toEqual(expect.arrayContaining(["please", "create", "make", "build"]));
    expect(first.words).not.toContain("file");
  });

  it("takes a word marked with = as that very word", () => {
    expect(wordsOf(compileTemplate("=make it"))).toEqual(["make", "it"]);
  });

  it("needs no article, and is not begun by one", () => {
    expect(firstWords(compileTemplate("the list")).words).toEqual(["list", "ls"]);
  });

  it.each(["(a|", "[open", "{no-slot}", "a || b", "()", "say ; this", "x)"])(
    "refuses %j with the template in the error",
    (template) => {
      expect(() => compileTemplate(template)).toThrow(TemplateError);
      expect(() => compileTemplate(template)).toThrow(template);
    },
  );
});
