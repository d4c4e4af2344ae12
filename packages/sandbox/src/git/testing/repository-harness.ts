import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openLocalWorkspace, type LocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createGit, type Git } from "../git.ts";

const execute = promisify(execFile);

export interface RepositoryHarness {
  readonly home: string;
  readonly git: Git;
  out: (...path: string[]) => string;
  /** Runs git as a person in `out/site`, without restrictions. */
  person: (...args: string[]) => Promise<string>;
}

/** Creates a home folder whose `out/site` is a repository with one commit by Ada. */
async function createOriginal(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "git-"));
  const site = join(home, "out", "site");
  await writeFile(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
  await mkdir(site, { recursive: true });
  await runAsPerson(home, ["init", "--quiet", "--initial-branch=main"]);
  await writeFile(join(site, "a.md"), "one\n");
  await writeFile(join(site, ".env"), "KEY=secret\n");
  await runAsPerson(home, ["add", "--all", "--force"]);
  await runAsPerson(home, ["commit", "--quiet", "--message=first"]);
  return home;
}

async function runAsPerson(home: string, args: readonly string[]): Promise<string> {
  const running = execute("git", args, {
    cwd: join(home, "out", "site"),
    env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" },
  });
  running.child.stdin?.end();
  return (await running).stdout;
}

/**
 * Sets up, before each test of the calling file, a workspace whose `out/site` is a repository with one commit by Ada. It is a copy,
 * because creating the repository starts three processes.
 */
export function repositoryHarness(): RepositoryHarness {
  let original = "";
  let opened: { home: string; workspace: LocalWorkspace; git: Git } | undefined;
  const current = () => {
    if (!opened) throw new Error("the harness opens before each test");
    return opened;
  };
  beforeAll(async () => {
    original = await createOriginal();
  });
  beforeEach(async () => {
    const home = await mkdtemp(join(tmpdir(), "git-"));
    await cp(original, home, { recursive: true });
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
  });
  afterEach(async () => {
    const { home, workspace } = current();
    workspace.close();
    await rm(home, { recursive: true, force: true });
  });
  afterAll(() => rm(original, { recursive: true, force: true }));
  return {
    get home() {
      return current().home;
    },
    get git() {
      return current().git;
    },
    out: (...path) => join(current().home, "out", ...path),
    person: (...args) => runAsPerson(current().home, args),
  };
}
