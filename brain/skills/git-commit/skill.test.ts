import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { gitDiff } from "../git-diff/skill.ts";
import { gitStatus } from "../git-status/skill.ts";
import { gitCommit } from "./skill.ts";

const harness = skillHarness();
const execute = promisify(execFile);

beforeEach(async () => {
  await mkdir(join(harness.folder("out"), "site"));
  await execute("git", ["init", "--quiet", "--initial-branch=main", join(harness.folder("out"), "site")]);
  await writeFile(join(harness.folder("out"), "site/a.md"), "one\n");
});

describe("git_status, git_diff and git_commit", () => {
  it("go from a change to a commit", async () => {
    const before = await harness.call(gitStatus, { path: "site" });
    expect(before.outputs).toEqual({
      repository: "out/site",
      branch: "main",
      changes: [{ path: "out/site/a.md", change: "untracked", staged: false }],
    });
    expect(before.narrative).toBe("out/site/ is on main with 1 change: out/site/a.md.");

    const committed = await harness.call(gitCommit, { message: "Say one", files: ["site/a.md"] });
    expect(committed.assessment).toMatchObject({
      risk: "high",
      paths: ["out/site/a.md"],
      grant: { pathPrefix: "out/site/a.md" },
      preview: {
        title: "Commit out/site/a.md?",
        facts: [
          { label: "message", value: "Say one" },
          { label: "repository", value: "out/site" },
          { label: "file", value: "out/site/a.md" },
        ],
      },
    });
    expect(committed.outputs).toMatchObject({
      branch: "main",
      repository: "out/site",
      files: ["out/site/a.md"],
    });
    expect(committed.narrative).toMatch(/^Committed out\/site\/a\.md to main as [0-9a-f]{10}\.$/u);

    expect((await harness.call(gitStatus, { path: "site" })).structured).toContain("nothing changed");
    expect((await harness.call(gitDiff, { path: "site" })).narrative).toBe(
      "There are no changes in out/site/.",
    );
    await writeFile(join(harness.folder("out"), "site/a.md"), "```\n");
    const { narrative, structured } = await harness.call(gitDiff, { path: "site/a.md" });
    expect(narrative).toBe("1 file differs in out/site/: out/site/a.md.");
    expect(structured).toMatch(/^- out\/site\/a\.md\n\n````\n[\s\S]*\+```\n````$/u);
  });

  it("commit files and no folders, only in a repository", async () => {
    await writeFile(join(harness.folder("out"), "b.md"), "x");
    await mkdir(join(harness.folder("out"), "site/deep"));
    await writeFile(join(harness.folder("out"), "site/deep/.env"), "KEY=secret");
    for (const files of [["site"], ["site/deep"], [], ["b.md"], ["site/a.md", "b.md"], ["site/none.md"]])
      await expect(harness.call(gitCommit, { message: "x", files })).rejects.toMatchObject({
        code: "INVALID_ARGS",
      });
    await expect(harness.call(gitCommit, { message: " ", files: ["site/a.md"] })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
    expect((await harness.call(gitCommit, { message: "x", files: "site/a.md" })).outputs).toMatchObject({
      files: ["out/site/a.md"],
    });
  });
});
