import { describe, expect, it } from "vitest";
import { checkAnswerAsync } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";

const CLAUSES = [
  "Rent: 1,180 euro per month",
  "Deposit: 3,540 euro",
  "Garden: the garden may be used",
  "Notice: three months",
];
const numbered = (clauses: readonly string[]): string =>
  clauses
    .map((clause, index) => `## ${index + 1}. ${clause}\n\n${"The parties agree on it. ".repeat(60)}`)
    .join("\n\n");
const OLD = numbered(CLAUSES);
const NEW = numbered(["Rent: 1,240 euro per month", "Deposit: 3,540 euro", "Notice: two months"]);

const readFile = (path: string, content: string) => ({
  tool: "fs_read",
  args: { path },
  success: true,
  outputs: { path: `out/${path}`, content, bytes: content.length, truncated: false },
});

async function problemsOf(answer: string, files = [readFile("old.md", OLD), readFile("new.md", NEW)]) {
  const evidence = evidenceOf({ request: "what differs between old.md and new.md?", observations: files });
  const checked = await checkAnswerAsync(answer, evidence, new AbortController().signal);
  return checked.flatMap(({ problems }) =>
    problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
  );
}

describe("an answer that says that nothing else differs", () => {
  it.each([
    "The rent is 1,240 euro instead of 1,180. All other clauses are the same.",
    "The rent rises from 1,180 to 1,240 euro. Otherwise the two contracts are identical.",
    "Only the rent differs: 1,180 and 1,240 euro. There are no further changes.",
    "Die Miete steigt von 1.180 auf 1.240 Euro. Alle anderen Klauseln sind gleich.",
  ])("has what it leaves out as its problem: %s", async (answer) => {
    expect(await problemsOf(answer)).toEqual([
      expect.stringMatching(/“Garden: the garden may be used” is only in out\/old\.md.*“Notice/u),
    ]);
  });

  it.each([
    "The rent is 1,240 euro instead of 1,180, the notice two months instead of three, and the garden is gone. All other clauses are the same.",
    "The rent is 1,240 euro instead of 1,180.",
  ])("has none if it leaves nothing out, or does not say so: %s", async (answer) => {
    expect(await problemsOf(answer)).toEqual([]);
  });

  it("has none if the files were not read as a whole, or are others", async () => {
    const answer = "The rent is 1,240 euro instead of 1,180. All other clauses are the same.";
    const part = { ...readFile("new.md", NEW), args: { path: "new.md", from: 100 } };
    expect(await problemsOf(answer, [readFile("old.md", OLD), part])).toEqual([]);
    const same = [readFile("old.md", OLD), readFile("new.md", OLD.replace("1,180", "1,240"))];
    expect(await problemsOf(answer, same)).toEqual([]);
  });
});
