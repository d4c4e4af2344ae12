import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { countWords, extractSummary, firstWords } from "./extract.ts";
import { summarizeFile } from "./skill.ts";

const harness = skillHarness();
const put = (text: string) => writeFile(join(harness.folder("out"), "notes.md"), text);
const HARBOUR = `# Harbour

The harbour council met on Monday. The council agreed to repair the harbour wall in spring.
Somebody had brought cake.

- Repairing the harbour wall costs 40,000 crowns.
- Parking was not discussed.
`;

describe("summarize_file", () => {
  it("without a model, uses the file's own sentences, in order, and reports it", async () => {
    await put(HARBOUR);
    const { outputs, narrative, structured } = await harness.call(summarizeFile, {
      path: "notes.md",
      maxWords: 16,
    });
    expect(outputs).toEqual({
      path: "out/notes.md",
      summary: "The harbour council met on Monday. The council agreed to repair the harbour wall in spring.",
      extractive: true,
      truncated: false,
    });
    expect(narrative).toMatch(/^Summary of out\/notes\.md: .*spring\.$/u);
    expect(structured).toContain("made of its own sentences");
  });

  it("with a model, returns its words within the requested length", async () => {
    await put(HARBOUR);
    const asked: unknown[] = [];
    const { outputs } = await harness.call(
      summarizeFile,
      { path: "notes.md", maxWords: 10 },
      {
        summarizer: {
          summarize: async (text, { maxWords }) => {
            asked.push([text, maxWords]);
            return { text: "one two three four five six seven eight nine ten eleven", covered: text.length };
          },
        },
      },
    );
    expect(asked).toEqual([[HARBOUR, 10]]);
    expect(outputs).toMatchObject({
      summary: "one two three four five six seven eight nine ten…",
      extractive: false,
    });
  });

  it("reports that a model covered only the beginning", async () => {
    await put(HARBOUR);
    const summarizer = { summarize: async () => ({ text: "The council met.", covered: 40 }) };
    const { outputs, narrative } = await harness.call(summarizeFile, { path: "notes.md" }, { summarizer });
    expect(outputs).toMatchObject({ truncated: true });
    expect(narrative).toMatch(/^Summary of the beginning of out\/notes\.md/u);
  });

  it("returns a given number of sentences, with a model and without", async () => {
    await put(HARBOUR);
    const extracted = await harness.call(summarizeFile, { path: "notes.md", maxSentences: 1 });
    expect(extracted.outputs["extractive"]).toBe(true);
    expect(String(extracted.outputs["summary"]).match(/[.!?](?=\s|$)/gu)).toHaveLength(1);
    const summarizer = { summarize: async () => ({ text: "One. Two. Three.", covered: 1_000_000 }) };
    const worded = await harness.call(summarizeFile, { path: "notes.md", maxSentences: 2 }, { summarizer });
    expect(worded.outputs["summary"]).toBe("One. Two.");
  });

  it("reports that it read only the beginning", async () => {
    await put(`${"The wall is higher. ".repeat(12_000)}The end.`);
    const { outputs } = await harness.call(summarizeFile, { path: "notes.md" });
    expect(outputs).toMatchObject({ truncated: true, summary: "The wall is higher." });
  });

  it("refuses what cannot be summarized", async () => {
    await put(" \n");
    for (const args of [{ path: "notes.md" }, { path: "out" }, { path: "notes.md", maxWords: 3 }])
      await expect(harness.call(summarizeFile, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
    await expect(harness.call(summarizeFile, { path: "note.md" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      suggestions: ["out/notes.md"],
    });
  });
});

describe("extractSummary", () => {
  const { signal } = new AbortController();

  it("returns the same summary for the same text, within its length, for any text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.lorem({ mode: "sentences", maxCount: 12 }),
        fc.integer({ min: 10, max: 60 }),
        async (text, most) => {
          const summary = await extractSummary(text, { maxWords: most }, signal);
          expect(countWords(summary)).toBeLessThanOrEqual(most);
          expect(await extractSummary(text, { maxWords: most }, signal)).toBe(summary);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("splits a single sentence that is too long, and stops when it is aborted", async () => {
    expect(await extractSummary("alpha beta gamma delta", { maxWords: 2 }, signal)).toBe("alpha beta…");
    await expect(
      extractSummary("a. b.", { maxWords: 10 }, AbortSignal.abort(new Error("stop"))),
    ).rejects.toThrow("stop");
  });

  it("counts words in scripts without spaces", () => {
    expect(countWords("東京は日本の首都です")).toBeGreaterThan(3);
    expect(firstWords("one two", 2)).toBe("one two");
  });
});
