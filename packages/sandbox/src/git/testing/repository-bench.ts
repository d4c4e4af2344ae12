import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openLocalWorkspace, type LocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import { afterEach, beforeEach } from "vitest";
import { createGit, type Git } from "../git.ts";

const execute = promisify(execFile);

export interface RepositoryBench {
  readonly home: string;
  readonly git: Git;
  out: (...path: string[]) => string;
  /** Runs git as a person in `out/site`, without restrictions. */
  person: (...args: string[]) => Promise<string>;
}

/**
 * Sets up, before each test of the calling file, a workspace whose `out/site` is a repository with one commit by Ada.
 */
export function repositoryBench(): RepositoryBench {
  let opened: { home: string; workspace: LocalWorkspace; git: Git } | undefined;
  const current = () => {
    if (!opened) throw new Error("the bench opens before each test");
    return opened;
  };
  const bench: RepositoryBench = {
    get home() {
      return current().home;
    },
    get git() {
      return current().git;
    },
    out: (...path) => join(current().home, "out", ...path),
    person: async (...args) => {
      const running = execute("git", args, {
        cwd: bench.out("site"),
        env: { PATH: process.env["PATH"], HOME: current().home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" },
      });
      running.child.stdin?.end();
      return (await running).stdout;
    },
  };
  beforeEach(async () => {
    const home = await mkdtemp(join(tmpdir(), "git-"));
    const workspace = await openLocalWorkspace({
      out: join(home, "out"),
      inbox: join(home, "inbox"),
      archive: join(home, "archive"),
    });
    opened = {
      home,
      workspace,
      git: createGit({ files: workspace.files, folders: workspace.folders, home }),
    };
    await writeFile(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
    await mkdir(bench.out("site"));
    await bench.person("init", "--quiet", "--initial-branch=main");
    await writeFile(bench.out("site", "a.md"), "one\n");
    await writeFile(bench.out("site", ".env"), "KEY=secret\n");
    await bench.person("add", "--all", "--force");
    await bench.person("commit", "--quiet", "--message=first");
  });
  afterEach(async () => {
    const { home, workspace } = current();
    workspace.close();
    await rm(home, { recursive: true, force: true });
  });
  return bench;
}
