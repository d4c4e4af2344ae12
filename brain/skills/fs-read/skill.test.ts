import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { fsRead } from "./skill.ts";

const bench = skillBench();
const put = (name: string, text: string | Uint8Array) => writeFile(join(bench.folder("out"), name), text);

describe("fs_read", () => {
  it("reads a text file and tells its size and a glimpse of it", async () => {
    await put("today.md", "call the plumber");
    const { outputs, narrative, structured, assessment } = await bench.call(fsRead, { path: "today.md" });
    expect(outputs).toEqual({
      path: "out/today.md",
      content: "call the plumber",
      bytes: 16,
      truncated: false,
    });
    expect(narrative).toBe("Read out/today.md (16 bytes): call the plumber.");
    expect(structured).toBe("- path: out/today.md\n- bytes: 16\n\n```\ncall the plumber\n```");
    expect(assessment.risk).toBe("low");
  });

  it("reads no more than it is told to, and says so", async () => {
    await put("long.md", "é".repeat(1_000));
    const { outputs, narrative, structured } = await bench.call(fsRead, { path: "long.md", maxBytes: 5 });
    expect(outputs).toEqual({ path: "out/long.md", content: "éé", bytes: 2_000, truncated: true });
    expect(narrative).toBe("Read the beginning of out/long.md (2,000 bytes in all): éé.");
    expect(structured).toContain("only the beginning was read");
  });

  it("reads at most 64 000 bytes when nothing is said", async () => {
    await put("long.md", "x".repeat(70_000));
    expect((await bench.call(fsRead, { path: "long.md" })).outputs).toMatchObject({
      bytes: 70_000,
      truncated: true,
    });
  });

  it("says that a file is empty", async () => {
    await put("empty.md", "");
    const { narrative, structured } = await bench.call(fsRead, { path: "empty.md" });
    expect(narrative).toBe("out/empty.md is empty.");
    expect(structured).toBe("- path: out/empty.md\n- bytes: 0\n\nThe file is empty.");
  });

  it("shows text that looks like markup as the text it is", async () => {
    await put("tricky.md", "a\n```\n# Not a heading\n````\n");
    const { structured } = await bench.call(fsRead, { path: "tricky.md" });
    expect(structured.endsWith("\n\n`````\na\n```\n# Not a heading\n````\n`````")).toBe(true);
  });

  it("names the nearest paths when there is no such file", async () => {
    await put("today.md", "x");
    await expect(bench.call(fsRead, { path: "tody.md" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      suggestions: ["out/today.md"],
    });
  });

  it("refuses a picture, a folder and a silly size", async () => {
    await put("a.png", Buffer.from([0x89, 0x50, 0, 1]));
    for (const args of [
      { path: "a.png" },
      { path: "out" },
      { path: "a.png", maxBytes: 0 },
      { path: "a.png", maxBytes: "9" },
      { path: "" },
      {},
    ]) {
      await expect(bench.call(fsRead, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
    }
  });
});
