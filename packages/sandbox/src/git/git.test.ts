import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { repositoryHarness } from "./testing/repository-harness.ts";

const execute = promisify(execFile);
const { signal } = new AbortController();
const harness = repositoryHarness();
const { out, person } = harness;

describe("git", () => {
  it("reports changes from any folder of the repository", async () => {
    expect(await harness.git.status("site", signal)).toEqual({
      repository: "out/site",
      branch: "main",
      changes: [],
    });
    await writeFile(out("site", "a.md"), "two\n");
    await mkdir(out("site", "a folder"));
    await writeFile(out("site", "a folder", "b c.md"), "new\n");
    for (const path of ["site", "out/site/a.md", "site/a folder", "site/gone/too.md"]) {
      expect((await harness.git.status(path, signal)).changes).toEqual([
        { path: "out/site/a.md", change: "modified", staged: false },
        { path: "out/site/a folder/b c.md", change: "untracked", staged: false },
      ]);
    }
  });

  it("shows changed lines, of one file or all, staged or not", async () => {
    await writeFile(out("site", "a.md"), "two\n");
    const { diff, files } = await harness.git.diff("site", { staged: false, maxBytes: 10_000, signal });
    expect(files).toEqual(["out/site/a.md"]);
    expect(diff).toContain("-one\n+two\n");
    expect(await harness.git.diff("site", { staged: true, maxBytes: 10_000, signal })).toMatchObject({
      diff: "",
      files: [],
    });
    await person("add", "a.md");
    expect((await harness.git.diff("site/a.md", { staged: true, maxBytes: 10_000, signal })).diff).toContain(
      "+two",
    );
    expect(await harness.git.diff("site", { staged: true, maxBytes: 20, signal })).toMatchObject({
      truncated: true,
    });
  });

  it("commits only the given files, in the person's name", async () => {
    await writeFile(out("site", "a.md"), "two\n");
    await writeFile(out("site", "other.md"), "x\n");
    await writeFile(out("site", "[a].md"), "brackets\n");
    await person("add", "other.md");
    const { commit, branch, repository } = await harness.git.commit(["out/site/a.md", "out/site/[a].md"], {
      message: "--amend is no option here\n\n$(id)",
      signal,
    });
    expect({ branch, repository }).toEqual({ branch: "main", repository: "out/site" });
    expect(await person("log", "-1", "--format=%H|%an|%ae|%B")).toBe(
      `${commit}|Ada|ada@example.org|--amend is no option here\n\n$(id)\n\n`,
    );
    expect((await person("show", "--format=", "--name-only")).trim().split("\n").sort()).toEqual([
      "[a].md",
      "a.md",
    ]);
    expect((await harness.git.status("site", signal)).changes).toEqual([
      { path: "out/site/other.md", change: "added", staged: true },
    ]);
  });

  it("commits a deletion, and reports if nothing changed", async () => {
    await rm(out("site", "a.md"));
    await harness.git.commit(["out/site/a.md"], { message: "gone", signal });
    expect((await person("ls-files")).trim()).toBe(".env");
    await expect(harness.git.commit(["out/site/a.md"], { message: "again", signal })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
  });

  it("neither lists nor shows blocked files", async () => {
    await writeFile(out("site", ".env"), "KEY=changed\n");
    expect((await harness.git.status("site", signal)).changes).toEqual([]);
    expect(await harness.git.diff("site", { staged: false, maxBytes: 10_000, signal })).toMatchObject({
      diff: "",
      files: [],
    });
    for (const path of ["site/.env", "site/.git", "site/.git/config"]) {
      await expect(harness.git.diff(path, { staged: false, maxBytes: 10_000, signal })).rejects.toMatchObject(
        {
          code: "PATH_OUTSIDE_WORKSPACE",
        },
      );
    }
    await expect(harness.git.commit(["out/site/.env"], { message: "x", signal })).rejects.toMatchObject({
      code: "PATH_OUTSIDE_WORKSPACE",
    });
  });

  it("reports a missing repository, and does not search above the workspace", async () => {
    await execute("git", ["init", "--quiet", harness.home]);
    for (const path of ["out", "inbox"])
      await expect(harness.git.status(path, signal)).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });

  it("quotes git where a repository cannot be used", async () => {
    await execute("git", ["init", "--quiet", "--bare", out("bare")]);
    await expect(harness.git.status("out/bare", signal)).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining("must be run in a work tree") as unknown,
    });
  });

  it("finds files in a folder whose name is stored with separate accents", async () => {
    const folder = out("Bu\u0308ro");
    await execute("git", ["init", "--quiet", folder]);
    await writeFile(join(folder, "a.txt"), "one\n");
    await execute("git", ["-C", folder, "add", "a.txt"]);
    await writeFile(join(folder, "a.txt"), "two\n");
    const { files } = await harness.git.diff("out/B\u00fcro/a.txt", {
      staged: false,
      maxBytes: 10_000,
      signal,
    });
    expect(files).toEqual(["out/B\u00fcro/a.txt"]);
  });

  it("rejects a repository that refers to files outside the workspace", async () => {
    await mkdir(join(harness.home, "elsewhere"));
    await execute("git", ["init", "--quiet", join(harness.home, "elsewhere")]);
    const status = (name: string) => harness.git.status(`out/${name}`, signal);
    await mkdir(out("file"));
    await writeFile(out("file", ".git"), `gitdir: ${join(harness.home, "elsewhere/.git")}\n`);
    await mkdir(out("link"));
    await symlink(join(harness.home, "elsewhere/.git"), out("link", ".git"));
    await symlink(join(harness.home, "elsewhere"), out("whole"));
    await person("config", "core.worktree", join(harness.home, "elsewhere"));
    for (const name of ["file", "link", "whole", "site"])
      await expect(status(name), name).rejects.toMatchObject({ code: "PATH_OUTSIDE_WORKSPACE" });
  });
});

describe("a repository with malicious settings", () => {
  /** Every known way to make git run a program; each would create a file. */
  async function arm(): Promise<void> {
    const program = out("site", "program.sh");
    await writeFile(program, `#!/bin/sh\ntouch "${harness.home}/ran-$1"\ncat\n`, { mode: 0o755 });
    const settings: Record<string, string> = {
      "core.fsmonitor": `${program} fsmonitor`,
      "core.pager": `${program} pager`,
      "core.editor": `${program} editor`,
      "core.askPass": `${program} askpass`,
      "core.sshCommand": `${program} ssh`,
      "core.gitProxy": `${program} proxy`,
      "core.alternateRefsCommand": `${program} refs`,
      "diff.external": `${program} external`,
      "diff.evil.command": `${program} command`,
      "diff.evil.textconv": `${program} textconv`,
      "filter.evil.clean": `${program} clean`,
      "filter.evil.smudge": `${program} smudge`,
      "filter.evil.required": "true",
      "filter.a=b.process": `${program} process`,
      "filter.a=b.clean": `${program} odd`,
      "merge.evil.driver": `${program} merge`,
      "gpg.program": `${program} gpg`,
      "commit.gpgSign": "true",
      "gpg.format": "ssh",
      "gpg.ssh.program": `${program} sshgpg`,
      "gpg.ssh.defaultKeyCommand": `${program} key`,
      "credential.helper": `!${program} credential`,
      "sequence.editor": `${program} sequence`,
      "alias.status": `!${program} alias`,
      "alias.diff": `!${program} alias`,
      "status.submoduleSummary": "true",
      "core.hooksPath": out("site", "hooks"),
    };
    for (const [name, value] of Object.entries(settings)) await person("config", name, value);
    await mkdir(out("site", "hooks"));
    const hooks = [
      "pre-commit",
      "prepare-commit-msg",
      "commit-msg",
      "post-commit",
      "post-index-change",
      "reference-transaction",
    ];
    for (const folder of [out("site", "hooks"), out("site", ".git", "hooks")]) {
      await mkdir(folder, { recursive: true });
      for (const hook of hooks)
        await writeFile(join(folder, hook), `#!/bin/sh\ntouch "${harness.home}/ran-${hook}"\n`, {
          mode: 0o755,
        });
    }
    await writeFile(
      out("site", ".gitattributes"),
      "a.md diff=evil filter=evil merge=evil\n*.txt filter=a=b diff=evil\n",
    );
    await mkdir(out("site", ".git", "info"), { recursive: true });
    await writeFile(out("site", ".git", "info", "attributes"), "a.md diff=evil filter=evil\n");
  }
  const ran = async () => (await readdir(harness.home)).filter((name) => name.startsWith("ran-"));

  it("is rejected if its settings are too long to read completely", async () => {
    await arm();
    await writeFile(out("site", "a.md"), "two\n");
    const config = out("site", ".git", "config");
    const padding = Array.from(
      { length: 1_100 },
      (_, index) => `[pad "${String(index).padEnd(1_000, "x")}"]\n\tkey = 1\n`,
    );
    await writeFile(config, [...padding, await readFile(config, "utf8")].join(""));
    await expect(harness.git.diff("site", { staged: false, maxBytes: 10_000, signal })).rejects.toMatchObject(
      {
        code: "INVALID_ARGS",
      },
    );
    expect(await ran()).toEqual([]);
  });

  it("runs none of its programs, also for files that git has to read again", async () => {
    await arm();
    await writeFile(out("site", "a.md"), "two\n");
    await writeFile(out("site", "b.txt"), "new\n");
    // Whenever git writes its index, it reads files again that changed after the index, by their time.
    const later = new Date(Date.now() + 3_600_000);
    for (const name of ["a.md", "b.txt"]) await utimes(out("site", name), later, later);
    expect((await harness.git.status("site", signal)).changes).toContainEqual({
      path: "out/site/a.md",
      change: "modified",
      staged: false,
    });
    expect((await harness.git.diff("site", { staged: false, maxBytes: 10_000, signal })).diff).toContain(
      "+two",
    );
    const { commit } = await harness.git.commit(["out/site/a.md", "out/site/b.txt"], {
      message: "both",
      signal,
    });
    expect((await harness.git.diff("site", { staged: true, maxBytes: 10_000, signal })).files).toEqual([]);
    expect(commit).toMatch(/^[0-9a-f]{40}$/u);
    expect(await ran()).toEqual([]);
    // The traps work: git without restrictions would run them.
    await writeFile(out("site", "a.md"), "three\n");
    await person("config", "--unset", "filter.a=b.process");
    await person("diff");
    expect((await ran()).length).toBeGreaterThan(0);
  });
});
