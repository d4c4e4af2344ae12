import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsSearch } from "./skill.ts";

const harness = skillHarness();

async function put(root: "out" | "inbox" | "docs", path: string, text: string | Uint8Array): Promise<void> {
  await mkdir(join(harness.folder(root), path, ".."), { recursive: true });
  await writeFile(join(harness.folder(root), path), text);
}

const search = (query: string, more: object = {}) => harness.call(fsSearch, { query, ...more });

describe("fs_search", () => {
  it("finds lines in every root, ignoring case", async () => {
    await put("out", "shopping.md", "bread\nBlue CHEESE and wine\n");
    await put("inbox", "recipe.txt", "Grate the cheese.");
    await put("docs", "deep/er/fondue.md", "a\r\nb\r\ncheese");
    const { outputs, narrative, structured } = await search("cheese");
    expect(outputs).toEqual({
      query: "cheese",
      matches: [
        { path: "out/shopping.md", line: 2, text: "Blue CHEESE and wine" },
        { path: "inbox/recipe.txt", line: 1, text: "Grate the cheese." },
        { path: "docs/deep/er/fondue.md", line: 3, text: "cheese" },
      ],
      names: [],
      total: 3,
      truncated: false,
    });
    expect(narrative).toBe(
      "Found 3 matches of “cheese” in out/shopping.md, inbox/recipe.txt, docs/deep/er/fondue.md.",
    );
    expect(structured).toContain("| out/shopping.md | 2 | Blue CHEESE and wine |");
  });

  it("finds names as well, with their words in any order", async () => {
    await put("out", "list-of-shopping.md", "x");
    expect((await search("shopping list")).outputs).toMatchObject({
      names: ["out/list-of-shopping.md"],
      matches: [],
      total: 1,
    });
  });

  it("searches below a folder or in a file if one is named", async () => {
    await put("out", "notes/a.md", "invoice 1");
    await put("out", "b.md", "invoice 2");
    expect((await search("invoice", { path: "notes/" })).outputs).toMatchObject({ total: 1 });
    expect((await search("invoice", { path: "b.md" })).outputs).toMatchObject({
      matches: [{ path: "out/b.md", line: 1, text: "invoice 2" }],
    });
    await expect(search("invoice", { path: "note" })).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("returns lines with all the words if none contains them in this order", async () => {
    await put("out", "a.md", "the policy of our insurance\npolicy\ninsurance");
    expect((await search("insurance policy")).outputs).toMatchObject({
      matches: [{ line: 1 }],
      total: 1,
    });
  });

  it("returns the lines that share the most words if nothing has all of them", async () => {
    await put("out", "a.md", "# Roof\n\nThe offer is valid until May.\n\n# Cellar\n\nAn offer for tiles.\n");
    await put("out", "b.csv", "room,offer\nattic,400\nroof,900\n");
    await put("out", "c.md", `${"one of many lines\n".repeat(40)}the offers of the shop\n`);
    const { outputs, narrative, structured } = await search("offers for the roof until June");
    expect(outputs).toMatchObject({ matches: [], total: 0 });
    expect(outputs["nearest"]).toEqual({
      words: ["offers", "roof", "until"],
      matches: [{ path: "out/a.md", line: 3, text: "The offer is valid until May." }],
    });
    expect(narrative).toContain("“offers”, “roof”, “until” are in out/a.md.");
    expect(structured).toContain("| out/a.md | 3 | The offer is valid until May. |");
    expect((await search("attic offers")).outputs["nearest"]).toMatchObject({
      matches: [{ path: "out/b.csv", line: 2, text: "attic,400" }],
    });
    expect((await search("shop window")).outputs).not.toHaveProperty("nearest");
  });

  it("skips binary files and blocked paths", async () => {
    await put("out", "a.bin", Buffer.from("cheese\0"));
    await put("out", "latin.txt", Buffer.from("caf\u00E9 cheese", "latin1"));
    await put("out", ".git/config", "cheese");
    await put("out", "b.md", "cheese");
    expect((await search("cheese")).outputs).toMatchObject({ total: 1, matches: [{ path: "out/b.md" }] });
  });

  it("reports the number of matches, and that it shows fewer", async () => {
    await put("out", "a.md", "cheese\n".repeat(20));
    const { outputs, structured } = await search("cheese", { limit: 3 });
    expect(outputs).toMatchObject({ total: 20, truncated: true });
    expect(outputs["matches"]).toHaveLength(3);
    expect(structured).toContain("There may be more");
  });

  it("shows the relevant part of a long line, and searches the first megabyte of a large file", async () => {
    await put("out", "a.md", `${"x ".repeat(5_000)}cheese${" y".repeat(5_000)}`);
    const { outputs } = await search("cheese");
    expect(outputs).toMatchObject({
      matches: [{ text: expect.stringMatching(/^….*cheese.*…$/u) as unknown }],
    });
    await put("out", "a.md", `${"x".repeat(1_000_000)}\ncheese`);
    expect((await search("cheese")).outputs).toMatchObject({ total: 0, truncated: true });
  });

  it("stops when it is aborted", async () => {
    await put("out", "a.md", "cheese");
    const stopped = AbortSignal.abort(new Error("stopped"));
    await expect(
      search("cheese").then(() => harness.call(fsSearch, { query: "cheese" }, { signal: stopped })),
    ).rejects.toThrow("stopped");
  });

  it("reports that nothing was found, and refuses a blank search", async () => {
    expect((await search("zebra")).narrative).toBe("No file contains “zebra”.");
    await expect(search("  ")).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });
});
