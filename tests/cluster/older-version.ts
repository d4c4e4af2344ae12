import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { migrations } from "@metahuman/postgres/migrations/all";
import { REPOSITORY } from "../support/server.ts";

const run = promisify(execFile);
const STEPS = "packages/postgres/src/migrations/all.ts";

/** A process that runs the sources of an earlier version, without HTTP (`version-worker.ts`). */
export interface OlderVersion {
  /** Creates the owner of an empty installation. */
  setUp(owner: { username: string; password: string }): Promise<void>;
  /** Runs a request of a person to its end, and returns its outcome. */
  ask(username: string, goal: string): Promise<string>;
  /** The requests of a person, oldest first, with their outcomes. */
  requests(username: string): Promise<string[]>;
  end(): Promise<void>;
}

/**
 * The newest commit of this repository whose schema has one step fewer than the present one; undefined where its history is missing, as
 * in a copy without `.git`.
 */
export async function commitBeforeLastStep(): Promise<string | undefined> {
  const git = async (...args: string[]) => (await run("git", args, { cwd: REPOSITORY })).stdout;
  try {
    for (const commit of (await git("log", "--format=%H", "--", STEPS)).trim().split("\n")) {
      const parent = (await git("rev-parse", `${commit}^`)).trim();
      if (countSteps(await git("show", `${parent}:${STEPS}`)) === migrations.length - 1) return parent;
    }
  } catch {
    // No repository, or one without its history.
    return undefined;
  }
  return undefined;
}

/** The number of entries of the list in the source of the migrations. */
function countSteps(source: string): number {
  const list = /migrations: readonly Migration\[\] = \[([^\]]*)\]/.exec(source)?.[1] ?? "";
  return list.split(",").filter((entry) => entry.trim() !== "").length;
}

/** Writes the sources of a commit into a new folder, which uses the installed packages of this one. */
export async function checkOut(commit: string): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "mh-older-"));
  const archive = join(folder, "sources.tar");
  const parts = ["packages", "brain", "etc", "package.json"];
  await run("git", ["archive", "--output", archive, commit, ...parts], { cwd: REPOSITORY });
  await run("tar", ["--extract", "--file", archive, "--directory", folder]);
  const workspaces = [
    ".",
    ...(await readdir(join(folder, "packages"))).map((name) => join("packages", name)),
    ...(await readdir(join(folder, "brain"))).map((name) => join("brain", name)),
  ];
  for (const workspace of workspaces) await linkPackages(workspace, folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Links what is installed for a workspace of this repository: its own packages in the folder, all others here. */
async function linkPackages(workspace: string, folder: string): Promise<void> {
  const installed = join(REPOSITORY, workspace, "node_modules");
  if (!(await lstat(installed).catch(() => undefined))) return;
  for (const entry of await readdir(installed)) {
    if (entry.startsWith(".")) continue;
    const scoped = entry.startsWith("@") ? await readdir(join(installed, entry)) : undefined;
    for (const name of scoped?.map((part) => join(entry, part)) ?? [entry]) {
      const target = await realpath(join(installed, name));
      const place = relative(await realpath(REPOSITORY), target);
      const isOwn = !place.startsWith("..") && !place.split("/").includes("node_modules");
      const link = join(folder, workspace, "node_modules", name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(isOwn ? join(folder, place) : target, link);
    }
  }
}

/** Starts a process with the sources in this folder. */
export async function startOlderVersion(folder: string, env: Record<string, string>): Promise<OlderVersion> {
  const program = join(folder, "worker.ts");
  await writeFile(program, WORKER);
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { PATH: process.env["PATH"], OLLAMA_HOST: "http://127.0.0.1:9", ...env },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  let last = 0;
  const call = async (method: string, ...args: unknown[]): Promise<unknown> => {
    const id = (last += 1);
    const answer = new Promise<unknown>((resolve, reject) => {
      const listen = (message: { id: number; result?: unknown; error?: string }): void => {
        if (message.id !== id) return;
        child.off("message", listen);
        if (message.error === undefined) resolve(message.result);
        else reject(new Error(message.error));
      };
      child.on("message", listen);
      void ended.then(() => reject(new Error("The older version has ended.")));
    });
    child.send({ id, method, args });
    return answer;
  };
  await call("open");
  return {
    setUp: async (owner) => void (await call("setUp", owner)),
    ask: async (username, goal) => String(await call("ask", username, goal)),
    async requests(username) {
      const found = await call("requests", username);
      return Array.isArray(found) ? found.map(String) : [];
    },
    async end() {
      child.send({ id: 0, method: "end", args: [] });
      await ended;
    },
  };
}

/** The program of the older version. It stands in a text because it is executed among the older sources. */
const WORKER = `
import { createBrain } from "@metahuman/boot/create-brain";
import { createLogger } from "@metahuman/core/log/logger";

const brain = await createBrain({
  home: process.env.METAHUMAN_HOME,
  env: process.env,
  logger: createLogger({ level: "silent" }),
});
const methods = {
  open: () => undefined,
  setUp: async (owner) => void (await brain.accounts.setup(owner, { address: "test", fromLoopback: true })),
  async ask(username, goal) {
    const { operator } = await brain.profile(username);
    const identity = { role: "owner", username, mode: "dual", trustLevel: "supervised_auto" };
    const { id } = await operator.start({ goal }, { identity, surface: "page" });
    return (await operator.settled(id)).outcome;
  },
  async requests(username) {
    const { items } = await (await brain.profile(username)).runs.list({ limit: 50 });
    return items.map(({ goal, outcome }) => goal + ": " + outcome).toReversed();
  },
  async end() {
    await brain.close({ graceMs: 1_000 });
    process.exit();
  },
};
process.on("message", ({ id, method, args }) => {
  Promise.resolve(methods[method](...args)).then(
    (result) => process.send({ id, result }),
    (error) => process.send({ id, error: String(error) }),
  );
});
`;
