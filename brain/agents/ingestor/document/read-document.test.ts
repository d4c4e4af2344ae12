import { describe, expect, it } from "vitest";
import { CHUNK_LENGTH, readDocument } from "./read-document.ts";
import type { DocumentKind } from "./document.ts";

function chunksOf(kind: DocumentKind, text: string): string[] {
  const read = readDocument(kind, text);
  if ("refused" in read) throw new Error(read.refused);
  return read.chunks;
}

describe("a text", () => {
  it("keeps paragraphs together while they fit, and loses no word", () => {
    const paragraphs = Array.from(
      { length: 40 },
      (_, index) => `Paragraph ${index}. ${"word ".repeat(60)}end${index}.`,
    );
    const chunks = chunksOf("txt", paragraphs.join("\r\n\r\n"));
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.every((chunk) => chunk.length <= CHUNK_LENGTH)).toBe(true);
    for (let index = 0; index < 40; index += 1) expect(chunks.join("\n")).toContain(`end${index}.`);
  });

  it("splits a very long line only between characters", () => {
    const chunks = chunksOf("txt", "😀".repeat(5_000));
    expect(chunks.join("")).toBe("😀".repeat(5_000));
    expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(true);
  });
});

describe("Markdown", () => {
  it("adds the headings above each chunk, except those in code", () => {
    const text = "# Boat\nIntro.\n## Engine\nOil it.\n```\n# not a heading\n```\n# House\nPaint it.";
    expect(chunksOf("md", text)).toEqual([
      "Boat\nIntro.",
      "Boat › Engine\nOil it.\n```\n# not a heading\n```",
      "House\nPaint it.",
    ]);
  });
});

describe("the heading of a section", () => {
  it.each([
    ["# Rules ##", "Rules"],
    ["# C#", "C#"],
    ["# Rules # #", "Rules #"],
  ])("is read without its closing marks: %s", (line, heading) => {
    expect(chunksOf("md", `${line}\nText.`)).toEqual([`${heading}\nText.`]);
  });

  it("may have a long gap", () => {
    const [chunk = ""] = chunksOf("md", `# Rules${" ".repeat(300_000)}of the house\nText.`);
    expect(chunk).toMatch(/^Rules/);
  });
});

describe("data", () => {
  it("converts JSON to lines with their paths", () => {
    expect(chunksOf("json", '{"boat": {"name": "Vega", "berths": [3, 4]}, "sold": null}')).toEqual([
      "boat.name: Vega\nboat.berths.0: 3\nboat.berths.1: 4",
    ]);
  });

  it("converts rows to columns and values, including quoted cells", () => {
    expect(chunksOf("csv", 'name,city\n"Vega, the boat",Oslo\nMira,"He said ""no"""\n')).toEqual([
      'name: Vega, the boat; city: Oslo\nname: Mira; city: He said "no"',
    ]);
  });

  it("is rejected with a reason if it does not match its file type", () => {
    expect(readDocument("json", "{ no")).toMatchObject({
      refused: expect.stringContaining("not JSON") as unknown,
    });
    expect(readDocument("json", "[".repeat(5_000) + "1" + "]".repeat(5_000))).toEqual({
      refused: "it is nested too deeply",
    });
    expect(readDocument("csv", 'a,b\n"open')).toMatchObject({
      refused: expect.stringContaining("table") as unknown,
    });
    expect(readDocument("txt", "  \n ")).toEqual({ refused: "there is no text in it" });
  });
});

describe("a page", () => {
  it("is converted to its visible text", () => {
    const page = [
      "<html><head><title>Boat &amp; house</title><style>p{}</style></head>",
      "<body><h1>Vega</h1><p>Two\n  berths left.<script>alert(1)</script></p><ul><li>oil<li>paint</ul></body></html>",
    ].join("");
    expect(chunksOf("html", page)).toEqual(["Boat & house\n\nVega\n\nTwo berths left.\n\noil\n\npaint"]);
  });
});
