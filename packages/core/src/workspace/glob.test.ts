import { matchesGlob } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { globMatcher } from "./glob.ts";

const matches = (pattern: string, path: string): boolean => globMatcher(pattern)(path.split("/"));

describe("globMatcher", () => {
  it.each([
    ["*.md", "a.md", true],
    ["*.md", "deep/in/a.md", true],
    ["*.md", "a.mdx", false],
    ["*.MD", "a.md", true],
    ["*", ".hidden", true],
    ["?.md", "👋.md", true],
    ["?.md", "ab.md", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[!a-c]x", "dx", true],
    ["*.{md,txt}", "a.txt", true],
    ["{a,b{1,2}}.md", "b2.md", true],
    ["notes/*.md", "notes/a.md", true],
    ["notes/*.md", "a.md", false],
    ["notes/*.md", "x/notes/a.md", false],
    ["**/notes/*.md", "x/notes/a.md", true],
    ["**/notes/*.md", "notes/a.md", true],
    ["notes/**", "notes", true],
    ["notes/**/x", "notes/x", true],
    ["notes/**/x", "notes/a/b/x", true],
    ["./notes/*", "notes/a", true],
    ["a*b*c", "abxbc", true],
    ["a*b*c", "abxb", false],
    ["(a|b)", "(a|b)", true],
    ["a.md", "axmd", false],
    ["[", "[", true],
    ["caf\u00E9", "cafe\u0301", true],
  ])("%s on %s: %s", (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it("agrees with Node's own matcher on plain wildcards", () => {
    const name = fc.stringMatching(/^[ab]{1,6}$/u);
    const part = fc.oneof(
      fc.stringMatching(/^[ab*?]{1,5}$/u).filter((text) => !text.includes("**")),
      fc.constant("**"),
    );
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 4 }),
        fc.array(name, { minLength: 1, maxLength: 4 }),
        (parts, names) => {
          // Whether a final ** also stands for the folder itself is a matter of taste.
          fc.pre(parts.at(-1) !== "**");
          expect(globMatcher(parts.join("/"))(names)).toBe(matchesGlob(names.join("/"), parts.join("/")));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("stays fast for patterns that take other matchers minutes", () => {
    const name = "a".repeat(255);
    expect(matches("*a*a*a*a*a*a*a*a*a*a*b", name)).toBe(false);
    expect(matches("{*a,*a*a}*{*a,*a*a}*{*a,*a*a}*b", name)).toBe(false);
    expect(matches("**/**/**/**/**/**/b", Array(30).fill("a").join("/"))).toBe(false);
  });

  it("rejects patterns that are too long or have too many alternatives", () => {
    expect(() => globMatcher("*".repeat(257))).toThrow(InvalidArgsError);
    expect(() => globMatcher("{a,b}".repeat(7))).toThrow(InvalidArgsError);
    expect(() => globMatcher("{".repeat(128) + "}".repeat(128))).not.toThrow();
  });
});
