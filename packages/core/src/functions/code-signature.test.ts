import { describe, expect, it } from "vitest";
import { codeSignature } from "./code-signature.ts";
import { formatFunctionsForPrompt } from "../context/relevant-functions.ts";

const WORDS = { name: "words", type: "list" as const, description: "The words", required: true };

describe("the signature of code", () => {
  it.each([
    [
      "export function main({ words }: { words: string[] }): { longest: string } {\n  return { longest: words[0] ?? '' };\n}",
      "{ longest: string }",
    ],
    [
      "export async function main({ words }: { words: string[] }): Promise<{ a: Array<{ b: number }> }> { return { a: [] }; }",
      "{ a: Array<{ b: number }> }",
    ],
    ["export function main(p: { words: string[] }): string | { a: 1 } { return 'x'; }", "string | { a: 1 }"],
    [
      "export async function main({ words }: { words: string[] }) {\n  const x = 1;\n  return { path: words[0], count: f({ a, b }), x };\n}",
      "{ path, count, x }",
    ],
    ["export const main = () => 1;", "JSON"],
  ])("is read from its text: %s", (source, returned) => {
    expect(codeSignature({ source }, [WORDS])).toBe(`main(words: list) → ${returned}`);
  });
});

describe("a code function in a prompt", () => {
  it("shows what it does, its parameters and its result, and how to run it", () => {
    const guide = {
      title: "Longest word",
      summary: "Finds the longest word.",
      kind: "code" as const,
      skillsUsed: [],
      steps: ["Run it."],
      parameters: [WORDS],
      examples: [{ prompt: "which word is the longest" }],
      signature: "main(words: list) → { longest: string }",
    };
    const text = formatFunctionsForPrompt([
      {
        id: "func-20261122-abc123",
        title: "x",
        score: 1,
        rank: 1,
        matchReason: "semantic",
        reason: "",
        guide,
      },
    ]);
    expect(text).toContain('run with function_run {id: "func-20261122-abc123", parameters: {words: <list>}}');
    expect(text).toContain("Signature: main(words: list) → { longest: string }");
    expect(text).toContain("- words* (list) The words");
    expect(text).not.toContain("Function guide");
    expect(text).not.toContain("1. Run it.");
  });
});
