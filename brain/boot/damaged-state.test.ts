import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { backUpIfDue } from "@metahuman/core/database/backup";
import { openDatabase } from "@metahuman/core/database/open-database";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { StorageCorruptError } from "@metahuman/core/errors/storage-errors";
import { createLogger } from "@metahuman/core/log/logger";
import { homePaths } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { restoreAccounts } from "./state-database.ts";
import type { Brain } from "./brain.ts";
import { createBrain } from "./create-brain.ts";

const ADA = { username: "ada", password: "correct horse battery" };
const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;
const asAda = { identity, surface: "cli" } as const;
const address = { address: "test", fromLoopback: true };

let home: string;
let brain: Brain;

const open = () =>
  createBrain({
    home,
    env: { OLLAMA_HOST: "http://127.0.0.1:9" },
    logger: createLogger({ level: "silent" }),
  });
const state = () => profilePaths(home, "ada").stateDatabase;

async function ask(goal: string): Promise<void> {
  const { operator } = await brain.profile("ada");
  const run = await operator.start({ goal }, asAda);
  await operator.settled(run.id);
}
const conversations = async () =>
  (await (await brain.profile("ada")).conversations.list({ limit: 9 })).items.map(({ title }) => title);

/** Overwrites all pages but the first. */
function corruptPages(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 4096);
  writeFileSync(path, bytes);
}

const faults: [string, (path: string) => void][] = [
  ["is truncated", (path) => truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)],
  ["starts with garbage", (path) => writeFileSync(path, Buffer.from("garbage ".repeat(4096)))],
  ["has corrupt pages", corruptPages],
  ["is missing", (path) => rmSync(path)],
  ["is empty", (path) => writeFileSync(path, "")],
];

/** A data root with one finished run and a backup of each database; every test works on a copy. */
let intact: string;

beforeAll(async () => {
  intact = await mkdtemp(join(tmpdir(), "intact-"));
  home = intact;
  brain = await open();
  await brain.accounts.setup(ADA, address);
  await ask("add a task: water the ferns");
  await backUpIfDue(state(), new Date());
  await backUpIfDue(homePaths(home).systemDatabase, new Date());
  await brain.close({ graceMs: 0 });
});
afterAll(() => rmSync(intact, { recursive: true, force: true }));

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "damaged-"));
  cpSync(intact, home, { recursive: true, preserveTimestamps: true });
});

afterEach(async () => {
  await brain.close({ graceMs: 0 });
  rmSync(home, { recursive: true, force: true });
});

describe("a profile with an unusable state database", () => {
  it.each(faults)(
    "works without runs if it %s, and has its conversations again after a restore",
    async (_what, damage) => {
      damage(state());
      brain = await open();
      expect(await brain.accounts.signIn(ADA, address)).toBeDefined();
      const profile = await brain.profile("ada");
      expect((await profile.tasks.list({})).total).toBe(1);
      const origin = { source: { kind: "user" }, trust: "trusted" } as const;
      const { id } = await profile.memory.add({ type: "observation", content: "ferns drink a lot" }, origin);
      expect(await profile.memory.get(id)).toMatchObject({ content: "ferns drink a lot" });

      const { problem, backups } = profile.state.status();
      expect(problem).toMatchObject({ code: "STORAGE_CORRUPT" });
      expect(problem?.suggestions?.join(" ")).toMatch(/restore .*start anew/iu);
      expect(JSON.stringify(problem)).not.toContain(home);
      expect(backups).toHaveLength(1);
      await expect(profile.operator.start({ goal: "add a task: x" }, asAda)).rejects.toThrow(
        StorageCorruptError,
      );

      expect(await conversations()).toEqual([]);
      const { restored } = await (await brain.profile("ada")).state.restore({});
      expect(restored).toMatch(/^state\.db\.backup-/u);
      expect(await conversations()).toHaveLength(1);
      await ask("add a task: feed the cat");
      const { state: control, audit } = await brain.profile("ada");
      expect(control.status().problem).toBeUndefined();
      expect((await audit.search({ event: "state_restored" })).items).toHaveLength(1);
    },
  );

  it("can start with a new database and keeps the file", async () => {
    writeFileSync(state(), "garbage ".repeat(4096));
    brain = await open();
    const { kept } = await (await brain.profile("ada")).state.startAnew();
    expect(await conversations()).toEqual([]);
    await ask("add a task: feed the cat");
    expect(await conversations()).toHaveLength(1);
    expect(readFileSync(join(home, "profiles", "ada", kept ?? ""), "utf8")).toContain("garbage");
    expect((await brain.profile("ada")).state.status().problem).toBeUndefined();
  });

  it("can start with a new database if the file is missing", async () => {
    rmSync(state());
    brain = await open();
    expect(await (await brain.profile("ada")).state.startAnew()).toEqual({});
    await ask("add a task: feed the cat");
    expect(await conversations()).toHaveLength(1);
  });
});

// Windows has neither these users nor these permissions.
describe.skipIf(process.platform === "win32")("a read-only state database", () => {
  it("leaves the profile usable, and a backup takes its place", async () => {
    const folder = await mkdtemp(join(tmpdir(), "read-only-"));
    openDatabase(join(folder, "state.db"), stateMigrations, { title: "the state" }).close();
    const backup = await backUpIfDue(join(folder, "state.db"), new Date());
    // The program can drop the rights of root.
    chmodSync(backup ?? "", 0o644);
    const program = join(import.meta.dirname, "testing", "read-only-state.ts");
    const result: unknown = JSON.parse(
      execFileSync(process.execPath, [program, folder], { encoding: "utf8" }),
    );
    expect(result).toMatchObject({
      before: {
        problem: { code: expect.stringMatching(/^(?:PERMISSION_DENIED|STORAGE_READ_ONLY)$/u) as unknown },
      },
      isOutdated: true,
    });
    expect(result).not.toHaveProperty("after.problem");
    rmSync(folder, { recursive: true });
  });
});

describe("a usable state database", () => {
  beforeEach(async () => {
    brain = await open();
  });

  it("is not replaced", async () => {
    const { state: control } = await brain.profile("ada");
    await expect(control.restore({})).rejects.toThrow(ConflictError);
    await expect(control.startAnew()).rejects.toThrow(ConflictError);
  });

  it("is closed when corrupt pages are read from a file that is too large to check completely", async () => {
    const [conversation] = (await (await brain.profile("ada")).conversations.list({ limit: 1 })).items;
    await brain.close({ graceMs: 0 });
    const file = openDatabase(state(), stateMigrations, { title: "the state" });
    file.exec("CREATE TABLE filler (content BLOB)");
    const fill = file.command("INSERT INTO filler VALUES (zeroblob(1000000))");
    for (let row = 0; row < 40; row += 1) fill.run();
    const { root } = z
      .strictObject({ root: z.int() })
      .parse(
        file.query("SELECT rootpage AS root FROM sqlite_schema WHERE name = 'messages'", z.unknown()).get(),
      );
    file.close();
    const bytes = readFileSync(state());
    bytes.fill(0xa5, (root - 1) * 4096, root * 4096);
    writeFileSync(state(), bytes);

    brain = await open();
    const before = await brain.profile("ada");
    expect(before.state.status().problem).toBeUndefined();
    await expect(before.conversations.get(conversation?.id ?? "")).rejects.toThrow(StorageCorruptError);
    const after = await brain.profile("ada");
    expect(after.state.status().problem).toMatchObject({ code: "STORAGE_CORRUPT" });
    expect((await after.tasks.list({})).total).toBe(1);
    await after.state.restore({});
    const restored = await brain.profile("ada");
    expect((await restored.conversations.get(conversation?.id ?? "")).messages).not.toEqual([]);
  });
});

describe("a data root with an unusable account database", () => {
  it.each(faults)(
    "is rejected with advice if it %s, and opens again after a restore",
    async (_what, damage) => {
      const { systemDatabase } = homePaths(home);
      damage(systemDatabase);
      const error = await open().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(StorageCorruptError);
      expect(error).toMatchObject({
        suggestions: [expect.stringContaining("mh database restore --accounts")],
      });
      expect(restoreAccounts(home, undefined).restored).toMatch(/^system\.db\.backup-/u);
      brain = await open();
      expect(await brain.accounts.signIn(ADA, address)).toBeDefined();
      expect(() => restoreAccounts(home, undefined)).toThrow(ConflictError);
      expect(readdirSync(homePaths(home).profiles)).toContain("ada");
    },
  );
});
