import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "@metahuman/core/contract/run";
import { createLogger } from "@metahuman/core/log/logger";
import type { Brain, Profile } from "./brain.ts";
import { createBrain } from "./create-brain.ts";

const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;
const PATTERN = "create a task to water the {words}";

let home: string;
let brain: Brain;
let profile: Profile;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "mh-function-skills-"));
  await mkdir(join(home, "etc"));
  const models = { providers: { ollama: { kind: "ollama", enabled: false } } };
  await writeFile(join(home, "etc", "models.json"), JSON.stringify(models));
  brain = await createBrain({
    home,
    env: { PATH: process.env["PATH"], OLLAMA_HOST: "http://127.0.0.1:9" },
    logger: createLogger({ level: "silent" }),
    adoptsQueuedRuns: false,
  });
  const account = { username: "ada", password: "correct horse battery" };
  await brain.accounts.setup(account, { address: "test", fromLoopback: true });
  profile = await brain.profile("ada");
});
afterAll(async () => {
  await brain.close({ graceMs: 0 });
  await rm(home, { recursive: true, force: true });
});

async function ask(goal: string): Promise<Run> {
  const { id } = await profile.operator.start({ goal }, { identity, surface: "api" });
  return profile.operator.settled(id);
}

/** What the only call of one of these skills returned. */
const outputsOf = ({ scratchpad }: Run, skill: string) =>
  scratchpad.find(({ action }) => action?.tool === skill)?.observation;

describe("the skills for functions, with no model", () => {
  it("are empty at first, and report it", async () => {
    const run = await ask("list my functions");
    expect(run.result).toBe("There are no functions yet.");
    expect(outputsOf(run, "function_list")?.outputs).toEqual({ functions: [], total: 0 });
  });

  it("refuse to create a function from a pattern that does not exist", async () => {
    const run = await ask(`turn the pattern “${PATTERN}” into a function`);
    expect(outputsOf(run, "function_from_pattern")).toMatchObject({ success: false });
    expect(run.outcome).toBe("stuck");
  });

  it("create a draft of a repeated request, once, and list it", async () => {
    for (const plant of ["rose", "fern", "palm"]) await ask(`create a task to water the ${plant}`);
    const { id } = await profile.agents.run("pattern-miner", { trigger: "person" });
    await profile.agents.settled(id);
    const made = await ask(`turn the pattern “${PATTERN}” into a function`);
    expect(outputsOf(made, "function_from_pattern")).toMatchObject({
      success: true,
      outputs: { kind: "recipe", title: expect.stringMatching(/task/u) as unknown },
    });
    expect(made.result).toContain("a draft recipe");
    const again = await ask(`turn the pattern “${PATTERN}” into a function`);
    expect(outputsOf(again, "function_from_pattern")).toMatchObject({ success: false });
    const listed = outputsOf(await ask("list my functions"), "function_list");
    expect(listed?.outputs).toMatchObject({
      total: 1,
      functions: [{ kind: "recipe", trust: "draft", status: "active" }],
    });
    expect((await ask("how many functions are there")).result).toBe("There is 1 function.");
  });
});
