import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { repositoryHarness } from "./testing/repository-harness.ts";

const execute = promisify(execFile);
const { signal } = new AbortController();
const harness = repositoryHarness();
const { out, person } = harness;

describe("git", () => {
  it("previews a commit without storing anything, and makes exactly that commit", async () => {
    const files: [string, string] = ["out/site/a.md", "out/site/ñ b.md"];
    await writeFile(out("site", "a.md"), "two\n");
    await writeFile(out("site", "ñ b.md"), "new\n");
    await writeFile(out("site", "other.md"), "x\n");
    await person("add", "other.md");
    const objects = await person("count-objects");
    const preview = await harness.git.previewCommit(files, { maxBytes: 10_000, signal });
    expect(preview).toMatchObject({
      repository: "out/site",
      truncated: false,
      files: [
        { path: "out/site/a.md", hash: (await person("hash-object", "a.md")).trim() },
        { path: "out/site/ñ b.md", hash: (await person("hash-object", "ñ b.md")).trim() },
      ],
    });
    expect(preview.diff).toMatch(
      /^diff --git a\/a\.md b\/a\.md\n[^]*-one\n\+two\n[^]*b\/ñ b\.md[^]*\+new\n$/u,
    );
    expect((await harness.git.previewCommit(files, { maxBytes: 20, signal })).truncated).toBe(true);
    expect(await person("count-objects")).toBe(objects);
    expect((await person("diff", "--cached", "--name-only")).trim()).toBe("other.md");

    await writeFile(out("site", "a.md"), "six\n");
    await expect(
      harness.git.commit(files, { message: "x", tree: preview.tree, signal }),
    ).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect((await person("log", "--format=%s")).trim()).toBe("first");
    await writeFile(out("site", "a.md"), "two\n");
    await harness.git.commit(files, { message: "both", tree: preview.tree, signal });
    expect((await person("rev-parse", "HEAD^{tree}")).trim()).toBe(preview.tree);
    expect(await person("status", "--porcelain")).toBe("A  other.md\n");
    expect((await person("reflog", "-1", "--format=%gs")).trim()).toBe("commit: both");
  });

  it("makes the first commit of a repository, and a commit on a detached HEAD", async () => {
    await mkdir(out("new"));
    await execute("git", ["init", "--quiet", "--initial-branch=main", out("new")]);
    await writeFile(out("new", "a.md"), "one\n");
    const { tree } = await harness.git.previewCommit(["out/new/a.md"], { maxBytes: 1_000, signal });
    expect(await harness.git.commit(["out/new/a.md"], { message: "first", tree, signal })).toMatchObject({
      branch: "main",
    });
    await person("checkout", "--quiet", "--detach");
    await writeFile(out("site", "a.md"), "two\n");
    await harness.git.commit(["out/site/a.md"], { message: "apart", signal });
    expect((await person("log", "--format=%s", "main")).trim()).toBe("first");
    expect((await person("log", "--format=%s")).trim()).toBe("apart\nfirst");
  });

  it("commits nothing during a merge, or while another git process holds the index", async () => {
    await person("checkout", "--quiet", "-b", "side");
    await writeFile(out("site", "a.md"), "side\n");
    await person("commit", "--quiet", "--all", "--message=side");
    await person("checkout", "--quiet", "main");
    await writeFile(out("site", "a.md"), "main\n");
    await person("commit", "--quiet", "--all", "--message=main");
    await expect(person("merge", "side")).rejects.toThrow();
    await expect(harness.git.commit(["out/site/a.md"], { message: "x", signal })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining("merge is under way") as unknown,
    });
    await person("merge", "--abort");
    await writeFile(out("site", "a.md"), "locked\n");
    await writeFile(out("site", ".git", "index.lock"), "");
    await expect(harness.git.commit(["out/site/a.md"], { message: "x", signal })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
    await rm(out("site", ".git", "index.lock"));
    expect((await person("log", "-1", "--format=%s")).trim()).toBe("main");
  });
});
