import { cpSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Profile } from "@metahuman/boot/brain";
import { createBrain } from "@metahuman/boot/create-brain";
import type { ApprovalDecision } from "@metahuman/core/contract/approval";
import type { Run } from "@metahuman/core/contract/run";
import { createLogger } from "@metahuman/core/log/logger";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { AGENTS_OFF } from "./server.ts";

const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;

/** A profile in one process, without a model: requests are read by the grammar alone. */
export interface PlainHarness {
  profile: Profile;
  /**
   * Asks in the current conversation and decides about what needs approval; allows it by default. Resolves to the run, which may
   * wait for an answer.
   */
  ask(goal: string, decision?: ApprovalDecision): Promise<Run>;
  /** Answers the question of a run. */
  answer(run: Run, text: string): Promise<Run>;
  /** The next request begins a conversation. */
  startConversation(): void;
  /** Writes a file of the workspace. */
  write(path: string, content: string): Promise<void>;
  /** Reads a file of the workspace. */
  read(path: string): Promise<string>;
  /** The titles of the open tasks, with the due date if there is one. */
  tasks(): Promise<string[]>;
  /** The stored memories, newest first. */
  facts(): Promise<string[]>;
  close(): Promise<void>;
}

const openBrain = (home: string) =>
  createBrain({
    home,
    env: { PATH: process.env["PATH"], OLLAMA_HOST: "http://127.0.0.1:9" },
    logger: createLogger({ level: "silent" }),
    adoptsQueuedRuns: false,
  });

let newHome: Promise<string> | undefined;

/** Creates a data root with the profile of ada. Each harness works on a copy: hashing a password takes longer than copying. */
async function createHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-plain-"));
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  await mkdir(join(home, "etc"));
  const models = { providers: { ollama: { kind: "ollama", enabled: false } } };
  await writeFile(join(home, "etc", "models.json"), JSON.stringify(models));
  await writeFile(join(home, "etc", "agents.json"), JSON.stringify(AGENTS_OFF));
  const brain = await openBrain(home);
  const account = { username: "ada", password: "correct horse battery" };
  await brain.accounts.setup(account, { address: "test", fromLoopback: true });
  const profile = await brain.profile("ada");
  await profile.store.changeSettings({ timeZone: "UTC", locale: "en-GB" });
  await brain.close({ graceMs: 0 });
  return home;
}

/** Opens a profile whose clock shows UTC. */
export async function openPlainHarness(): Promise<PlainHarness> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-plain-"));
  // Hundreds of tests copy and remove forty small entries: without promises, that takes 9 instead of 30 ms.
  cpSync(await (newHome ??= createHome()), home, { recursive: true });
  const brain = await openBrain(home);
  const profile = await brain.profile("ada");
  const { root } = profilePaths(home, "ada");
  let conversationId: string | undefined;

  async function settled(id: string, decision: ApprovalDecision = "once"): Promise<Run> {
    for (;;) {
      const run = await profile.operator.settled(id);
      ({ conversationId } = run);
      if (run.status !== "waiting" || run.pending?.kind !== "approval") return run;
      await profile.operator.decide(run.pending.approvalId, decision);
    }
  }

  return {
    profile,
    async ask(goal, decision) {
      const request = { goal, ...(conversationId !== undefined && { conversationId }) };
      const { id } = await profile.operator.start(request, { identity, surface: "api" });
      return await settled(id, decision);
    },
    async answer({ id }, text) {
      await profile.operator.answer(id, text);
      return await settled(id);
    },
    startConversation() {
      conversationId = undefined;
    },
    async write(path, content) {
      const place = join(root, path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content);
    },
    read: (path) => readFile(join(root, path), "utf8"),
    async tasks() {
      const { tasks } = await profile.tasks.list({ limit: 100 });
      return tasks.map(({ title, due }) => (due === undefined ? title : `${title} (${due})`));
    },
    async facts() {
      const { items } = await profile.memory.list({ types: ["observation", "curated"], limit: 100 });
      return items.map(({ content }) => content);
    },
    async close() {
      await brain.close({ graceMs: 0 });
      rmSync(home, { recursive: true, force: true });
    },
  };
}
