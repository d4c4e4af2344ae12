import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsRead } from "./skill.ts";

const harness = skillHarness();
const put = (name: string, text: string | Uint8Array) => writeFile(join(harness.folder("out"), name), text);

describe("fs_read", () => {
  it("reads the only file of that name in another folder, and names it", async () => {
    await writeFile(join(harness.folder("inbox"), "costs.csv"), "a,b\n");
    expect((await harness.call(fsRead, { path: "costs.csv" })).outputs).toMatchObject({
      path: "inbox/costs.csv",
    });
    await expect(harness.call(fsRead, { path: "out/costs.csv" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
    });
  });

  it("reads a text file and reports its size and a preview of its text", async () => {
    await put("today.md", "call the plumber");
    const { outputs, narrative, structured, assessment } = await harness.call(fsRead, { path: "today.md" });
    expect(outputs).toEqual({
      path: "out/today.md",
      content: "call the plumber",
      bytes: 16,
      truncated: false,
    });
    expect(narrative).toBe("Read out/today.md: call the plumber.");
    expect(structured).toBe("out/today.md:\n\n```\ncall the plumber\n```");
    expect(assessment.risk).toBe("low");
  });

  it("reads at most the requested bytes, and reports that there is more", async () => {
    await put("long.md", "é".repeat(1_000));
    const { outputs, narrative, structured } = await harness.call(fsRead, { path: "long.md", maxBytes: 5 });
    expect(outputs).toEqual({ path: "out/long.md", content: "éé", bytes: 2_000, truncated: true, next: 4 });
    expect(narrative).toBe("Read the beginning of out/long.md, which has 2.0 kB in all: éé.");
    expect(structured).toContain("out/long.md, the beginning of 2.0 kB:");
    expect(fsRead.observed(outputs)).toContain('; the file goes on: fs_read {"path":"out/long.md","from":4}');
  });

  it("reads on from where it stopped, until the end, without cutting a character", async () => {
    const text = "aé€👋\n".repeat(20);
    await put("long.md", text);
    let read = "";
    let from: unknown = 0;
    while (from !== undefined) {
      const { outputs } = await harness.call(fsRead, { path: "long.md", from, maxBytes: 7 });
      read += String(outputs["content"]);
      from = outputs["next"];
    }
    expect(read).toBe(text);
  });

  it("starts at the next character if the offset is inside of one, and reports where", async () => {
    await put("a.md", "€uro");
    const { outputs, narrative } = await harness.call(fsRead, { path: "a.md", from: 1 });
    expect(outputs).toEqual({ path: "out/a.md", content: "uro", bytes: 6, truncated: false, from: 1 });
    expect(narrative).toBe("Read a later part of out/a.md, which has 6 bytes in all: uro.");
    await expect(harness.call(fsRead, { path: "a.md", from: 6 })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: "from is beyond the end: out/a.md has 6 bytes.",
    });
  });

  it("reads at most 64 000 bytes by default", async () => {
    await put("long.md", "x".repeat(70_000));
    expect((await harness.call(fsRead, { path: "long.md" })).outputs).toMatchObject({
      bytes: 70_000,
      truncated: true,
    });
  });

  it("reports that a file is empty", async () => {
    await put("empty.md", "");
    const { narrative, structured } = await harness.call(fsRead, { path: "empty.md" });
    expect(narrative).toBe("out/empty.md is empty.");
    expect(structured).toBe("out/empty.md is empty.");
  });

  it("shows text that looks like markup unchanged", async () => {
    await put("tricky.md", "a\n```\n# Not a heading\n````\n");
    const { structured } = await harness.call(fsRead, { path: "tricky.md" });
    expect(structured.endsWith("\n\n`````\na\n```\n# Not a heading\n````\n`````")).toBe(true);
  });

  it("suggests the nearest paths if the file does not exist", async () => {
    await put("today.md", "x");
    await expect(harness.call(fsRead, { path: "tody.md" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      suggestions: ["out/today.md"],
    });
  });

  it("refuses a picture, a folder and an invalid size", async () => {
    await put("a.png", Buffer.from([0x89, 0x50, 0, 1]));
    for (const args of [
      { path: "a.png" },
      { path: "out" },
      { path: "a.png", maxBytes: 0 },
      { path: "a.png", maxBytes: "9" },
      { path: "" },
      {},
    ]) {
      await expect(harness.call(fsRead, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
    }
  });
});
