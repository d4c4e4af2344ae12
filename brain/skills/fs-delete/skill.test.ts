import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsDelete } from "./skill.ts";

const harness = skillHarness();

describe("fs_delete", () => {
  it("shows no diff for an empty file", async () => {
    await writeFile(join(harness.folder("out"), "empty.md"), "");
    const { assessment } = await harness.call(fsDelete, { path: "empty.md" });
    expect(assessment.preview).not.toHaveProperty("diff");
  });

  it("previews the file, moves it into the archive, and can restore it", async () => {
    await writeFile(join(harness.folder("out"), "today.md"), "call the plumber");
    const { assessment, outputs, narrative, structured } = await harness.call(fsDelete, { path: "today.md" });
    expect(assessment).toMatchObject({
      risk: "high",
      paths: ["out/today.md"],
      grant: { pathPrefix: "out/today.md" },
      preview: {
        title: "Delete out/today.md?",
        diff: { before: "call the plumber", after: "", clipped: false },
        facts: [
          { label: "path", value: "out/today.md" },
          { label: "size", value: "16 bytes" },
          { label: "afterwards", value: "can be restored from the archive" },
        ],
      },
    });
    const id = expect.stringMatching(/^file-/u) as unknown;
    expect(outputs).toMatchObject({
      path: "out/today.md",
      removed: { id, runId: "run-01jd0000000000000000000000" },
    });
    expect(narrative).toBe("Deleted out/today.md; it can be restored from the archive.");
    expect(structured).toMatch(/^- path: out\/today\.md\n- archived as: file-/u);
    expect(await readdir(harness.folder("out"))).toEqual([]);

    const [entry] = await harness.ports.archive.list();
    await harness.ports.archive.restore(entry?.id ?? "");
    expect(await harness.read("out/today.md")).toBe("call the plumber");
  });

  it("deletes a folder only with the flag, and previews its content", async () => {
    await mkdir(join(harness.folder("out"), "trips/oslo"), { recursive: true });
    await writeFile(join(harness.folder("out"), "trips/oslo/plan.md"), "x");
    await expect(harness.call(fsDelete, { path: "trips" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      suggestions: [expect.stringContaining("recursive")],
    });
    const { assessment } = await harness.call(fsDelete, { path: "trips", recursive: true });
    expect(assessment).toMatchObject({
      preview: { title: "Delete the folder out/trips/?" },
      paths: ["out/trips/"],
      grant: { pathPrefix: "out/trips/" },
    });
    expect(assessment.preview.facts).toContainEqual({
      label: "contains",
      value: "2 entries: oslo/, oslo/plan.md",
    });
    expect(await readdir(harness.folder("out"))).toEqual([]);
  });

  it("fails before approval for missing or protected paths", async () => {
    await writeFile(join(harness.folder("out"), "today.md"), "x");
    await expect(harness.call(fsDelete, { path: "tody.md" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      suggestions: ["out/today.md"],
    });
    const args = fsDelete.parse({ path: "out", recursive: true });
    await expect(fsDelete.assess(args, harness.ports)).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
  });
});
