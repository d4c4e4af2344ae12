import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConflictError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { createLogger } from "@metahuman/core/log/logger";
import { operatorAnswer } from "./answers.ts";
import type { Brain, Profile } from "./brain.ts";
import { version } from "./version.ts";
import { createBrain } from "./create-brain.ts";

const ADA = { username: "ada", password: "correct horse battery" };
const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;
const asAda = { identity, surface: "cli" } as const;
const logger = createLogger({ level: "silent" });

let home: string;
let brain: Brain;
let profile: Profile;

const open = () => createBrain({ home, env: { OLLAMA_HOST: "http://127.0.0.1:9" }, logger });

async function ask(goal: string, of = profile) {
  const run = await of.operator.start({ goal }, asAda);
  return of.operator.settled(run.id);
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "brain-"));
  brain = await open();
});
afterAll(async () => {
  await brain.close({ graceMs: 0 });
  await rm(home, { recursive: true, force: true });
});

describe("an unused data root", () => {
  it("has no account and no profile, and reports its models", async () => {
    expect(await brain.accounts.isEmpty()).toBe(true);
    await expect(brain.profile("ada")).rejects.toThrow(NotFoundError);
    expect(brain).toMatchObject({ version: version(), home });
    expect(await brain.models()).toMatchObject({
      available: false,
      embedder: expect.stringMatching(/^built-in/) as unknown,
    });
  });

  it("gets its first owner, and opens their profile once", async () => {
    await brain.accounts.setup(ADA, { address: "test", fromLoopback: true });
    profile = await brain.profile("ada");
    expect(await brain.profile("ada")).toBe(profile);
  });
});

describe("with the address of a database", () => {
  const DATABASE = { METAHUMAN_DATABASE_URL: "postgres://ada:secret@127.0.0.1:9/mh" };
  const SECRET = { METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };

  it.each([
    [DATABASE, "METAHUMAN_SECRET_KEY is not set."],
    [{ ...DATABASE, METAHUMAN_SECRET_KEY: "short" }, "METAHUMAN_SECRET_KEY must hold 32 bytes in base64."],
    [
      { ...DATABASE, ...SECRET, METAHUMAN_DATABASE_URL: "mysql://db.example/mh" },
      "METAHUMAN_DATABASE_URL is not the address of a PostgreSQL database.",
    ],
    [
      { ...DATABASE, ...SECRET, METAHUMAN_WORKSPACE: "s3://bucket/../prefix" },
      "METAHUMAN_WORKSPACE is not the address of a bucket.",
    ],
    [
      { ...DATABASE, ...SECRET, METAHUMAN_WORKSPACE: "/mnt/shared" },
      "METAHUMAN_WORKSPACE is not the address of a folder or bucket.",
    ],
    [{ ...DATABASE, ...SECRET }, "The database server cannot be reached."],
  ])("says what is missing or wrong, and creates no files: %#", async (env, sentence) => {
    const unused = join(home, "unused");
    await expect(createBrain({ home: unused, env, logger })).rejects.toThrow(sentence);
    await expect(readFile(join(unused, "profiles", "system.db"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a data root that is not writable", () => {
  it("is rejected with advice", async () => {
    const file = join(home, "a-file");
    await writeFile(file, "");
    const refused = createBrain({
      home: join(file, "below"),
      env: { OLLAMA_HOST: "http://127.0.0.1:9" },
      logger,
    });
    await expect(refused).rejects.toThrow(PermissionDeniedError);
    await expect(refused).rejects.toMatchObject({
      message: expect.stringContaining("is not a writable folder") as unknown,
      suggestions: [expect.stringContaining("METAHUMAN_HOME") as unknown],
    });
  });

  it.skipIf(process.platform !== "linux")("is rejected on a file system without real folders", async () => {
    const refused = createBrain({
      home: "/proc/metahuman",
      env: { OLLAMA_HOST: "http://127.0.0.1:9" },
      logger,
    });
    await expect(refused).rejects.toThrow(PermissionDeniedError);
  });
});

describe("a complete profile", () => {
  it("executes a request on real files and reports it in the form for scripts", async () => {
    const run = await ask('create a file called report.md with the text "all is well"');
    expect(await readFile(join(home, "profiles/ada/out/report.md"), "utf8")).toBe("all is well");
    const answer = operatorAnswer(run, profile.operator.controlSkills());
    expect(answer).toMatchObject({
      outcome: "answered",
      actions: ["fs_write"],
      planner: "built-in",
      usage: { modelCalls: 0 },
    });
    expect(answer?.result).toContain("out/report.md");
    expect((await profile.runs.list({ limit: 5 })).items[0]).toMatchObject({ id: run.id, steps: 1 });
    expect(await profile.conversations.get(run.conversationId)).toMatchObject({
      messages: [{ role: "person" }, { role: "operator" }],
      runs: [{ id: run.id }],
    });
    expect((await profile.audit.search({ runId: run.id, event: "skill_called" })).total).toBe(1);
  });

  it("lists all deleted items, newest first, and restores each", async () => {
    await profile.tasks.create({ title: "buy milk" });
    const [task] = (await profile.tasks.list({})).tasks;
    const memory = await profile.memory.add(
      { type: "observation", content: "The key is under the mat." },
      { source: { kind: "user" }, trust: "trusted" },
    );
    await profile.tasks.remove(task?.id ?? "");
    await profile.memory.forget(memory.id);
    const asked = await ask("delete report.md");
    if (asked.pending?.kind !== "approval") throw new Error("was not asked");
    await profile.operator.decide(asked.pending.approvalId, "once");
    await profile.operator.settled(asked.id);

    const first = await profile.archive.list({ limit: 2 });
    const rest = await profile.archive.list({ limit: 2, cursor: first.nextCursor ?? "" });
    const entries = [...first.items, ...rest.items];
    expect(entries.map((entry) => entry.kind)).toEqual(["file", "memory", "task"]);
    expect([first.total, rest.nextCursor]).toEqual([3, null]);
    const named = await profile.archive.list({ ids: [entries[1]?.id ?? "", "nothing"], limit: 9 });
    expect(named.items).toEqual([entries[1]]);
    const items = await Promise.all(entries.map(async ({ id }) => (await profile.archive.get(id)).item));
    expect(items).toMatchObject([
      { kind: "file", text: "all is well" },
      { kind: "memory", memory: { id: memory.id } },
      { kind: "task", task: { title: "buy milk" } },
    ]);
    for (const entry of entries) await profile.archive.restore(entry.id);
    expect((await profile.archive.list({ limit: 9 })).total).toBe(0);
    expect(await readFile(join(home, "profiles/ada/out/report.md"), "utf8")).toBe("all is well");
    expect((await profile.tasks.get(task?.id ?? "")).title).toBe("buy milk");
    expect((await profile.memory.get(memory.id)).content).toContain("mat");
    await expect(profile.archive.restore("nothing")).rejects.toThrow(NotFoundError);
    await expect(profile.archive.list({ limit: 2, cursor: "nonsense" })).rejects.toThrow(InvalidArgsError);
  });

  it("applies a new workspace folder immediately", async () => {
    const shared = join(home, "shared");
    await mkdir(shared);
    await writeFile(join(shared, "hello.txt"), "from outside");
    const before = await ask("read shared/hello.txt");
    expect(before.scratchpad[0]?.observation?.success).toBe(false);
    await profile.store.changeSettings({ workspaceRoots: { shared } });
    const run = await ask("read shared/hello.txt");
    expect(run.result).toContain("from outside");
  });

  it("records who revokes a standing permission", async () => {
    const asked = await ask("delete report.md");
    if (asked.pending?.kind !== "approval") throw new Error("was not asked");
    await profile.operator.decide(asked.pending.approvalId, "always");
    await profile.operator.settled(asked.id);
    const [grant] = await profile.approvals.grants();
    await profile.approvals.revokeGrant(grant?.id ?? "");
    expect(await profile.approvals.grants()).toEqual([]);
    expect((await profile.audit.search({ event: "grant_revoked" })).items[0]?.details).toMatchObject({
      skill: "fs_delete",
    });
  });
});

describe("a second process", () => {
  it("works on the same data root at the same time", async () => {
    const other = await open();
    const theirs = await other.profile("ada");
    const run = await ask("add a task to water the plants", theirs);
    expect(await profile.runs.get(run.id)).toEqual(run);
    expect((await profile.tasks.find("water the plants", { limit: 1 }))[0]?.task.title).toMatch(
      /water the plants/i,
    );
    await other.close({ graceMs: 0 });
    expect((await ask("list my tasks")).result).toContain("water the plants");
  });

  it("finds everything after the first one closed", async () => {
    const asked = await ask("delete shared/hello.txt");
    await brain.close({ graceMs: 0 });
    await expect(brain.profile("ada")).rejects.toThrow(ConflictError);
    brain = await open();
    profile = await brain.profile("ada");
    expect(await profile.runs.get(asked.id)).toEqual(asked);
    expect((await profile.approvals.list({ status: "pending", limit: 5 })).total).toBe(1);
    expect(await profile.operator.cancel(asked.id)).toMatchObject({ outcome: "cancelled" });
  });
});

describe("an account that is removed", () => {
  it("closes its opened profile", async () => {
    await brain.accounts.add({ username: "bob", password: "another long password", role: "member" });
    const bobs = await brain.profile("bob");
    await brain.accounts.remove("bob");
    // Nobody opens this profile, so nothing of it may start by itself.
    const append = () => bobs.audit.append({ event: "late" }).catch((error: unknown) => error);
    await expect.poll(append).toBeInstanceOf(ConflictError);
    await expect(brain.profile("bob")).rejects.toThrow(NotFoundError);
  });
});
