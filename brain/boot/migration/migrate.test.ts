import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AlreadyExistsError, ConfigInvalidError, ConflictError } from "@metahuman/core/errors/request-errors";
import { SANDWICH } from "@metahuman/core/functions/testing/open-test-functions";
import { z } from "zod";
import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { machineName } from "@metahuman/core/database/local-process";
import { openDatabase } from "@metahuman/core/database/open-database";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { createLogger } from "@metahuman/core/log/logger";
import type { Driver } from "@metahuman/postgres/pg-driver";
import { openPGlite } from "@metahuman/postgres/testing/pglite";
import { createBrain } from "../create-brain.ts";
import type { Brain } from "../brain.ts";
import { migrate, type MigrationReport, previewMigration } from "./migrate-installation.ts";
import type { MigrationTarget } from "./migration-places.ts";
import { openFilePreview, openFileSource, openFileTarget } from "./open-file-place.ts";
import { openPostgresPreview, openPostgresSource, openPostgresTarget } from "./open-postgres-place.ts";

const ADA = { username: "ada", password: "correct horse battery" };
const BEN = { username: "ben", password: "another good password" };
const MODEL_SERVER = "https://models.example/v1";
const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");
const DATABASE_URL = "postgres://ada@db.example/mh";
const WithId = z.object({ id: z.string() });
const logger = createLogger({ level: "silent" });
const quiet = { signal: new AbortController().signal, onProgress: () => undefined };

let root: string;
let home: string;
let session: string;
let token: string;
let driver: Driver;
const env = () => ({
  METAHUMAN_SECRET_KEY: SECRET_KEY,
  METAHUMAN_WORKSPACE: pathToFileURL(join(root, "shared")).href,
});
/** The database stays open: it is in memory. */
const place = () => ({
  home: join(root, "node"),
  env: env(),
  open: (): Driver => ({
    withConnection: (work) => driver.withConnection(work),
    close: async () => undefined,
  }),
});

/** Opens it as a command does, because deliveries in the background would change the compared data. */
const open = (at: string): Promise<Brain> =>
  createBrain({ home: at, env: { OLLAMA_HOST: "http://127.0.0.1:9" }, logger, adoptsQueuedRuns: false });

async function fill(brain: Brain): Promise<void> {
  ({ token: session } = await brain.accounts.setup(ADA, { address: "test", fromLoopback: true }));
  await brain.accounts.add({ ...BEN, role: "member" });
  await brain.accounts.setPublic("ben", true);
  ({ token } = await brain.accounts.createToken("ada", "script", { scope: "read" }));
  await brain.modelControl.saveServer({
    id: "lab",
    baseUrl: MODEL_SERVER,
    key: { value: "sk-1" },
  });
  await brain.channelServers.save({
    smtp: { enabled: true, host: "mail.example", username: "ada", password: "p", from: "ada@mail.example" },
    webhook: { enabled: true },
  });
  for (const { username } of [ADA, BEN]) {
    const profile = await brain.profile(username);
    const identity = { role: "owner", username, mode: "dual", trustLevel: "supervised_auto" } as const;
    const ask = async (goal: string) => {
      const run = await profile.operator.start({ goal }, { identity, surface: "cli" });
      return profile.operator.settled(run.id);
    };
    await ask('create a file called plan.md with the text "all is well"');
    await ask("remember that the key is under the mat");
    await ask("remind me on 2031-05-06 at 9:00 to prune the roses");
    await ask("add a task to buy milk");
    const gone = await ask("delete plan.md");
    if (gone.pending?.kind !== "approval") throw new Error("was not asked");
    await profile.operator.decide(gone.pending.approvalId, "always");
    await profile.operator.settled(gone.id);
    await ask('create a file called kept.md with the text "kept"');
    // Waits for approval.
    await ask("delete kept.md and delete other.md");
    const { tasks } = await profile.tasks.list({});
    await profile.tasks.create({ title: "call Carl" });
    await profile.tasks.remove(tasks[0]?.id ?? "");
    const by = { by: username, isPerson: true, isOwner: true, surface: "cli" } as const;
    const functions = profile.functions.of(EVERY_AGENT);
    const { id } = await functions.saveFunction(SANDWICH, by);
    await functions.promoteFunction(id, by);
    await functions.updateFunction(id, { version: 1, title: "Kitchen", steps: ["Write it."] }, by);
    await functions.recordFunctionUse({ functionId: id, runId: gone.id, outcome: "succeeded" });
    const worked = await profile.agents.run("librarian", { trigger: "person" });
    await profile.agents.settled(worked.id);
    const [schedule] = (await profile.schedules.list({ limit: 1 })).items;
    const ran = await profile.schedules.runNow(schedule?.id ?? "");
    await profile.scheduler.execute(ran);
    await profile.channels.save({ channel: "webhook", url: "https://hook.example/x" }, { surface: "cli" });
    await profile.notices.send([{ title: "Hello", body: "A notice.", urgency: "normal" }]);
    const { items } = await profile.memory.list({ limit: 1 });
    await profile.memory.feedback(items[0]?.id ?? "", { verdict: "useful" });
    await mkdir(join(profile.store.folder, "out", "empty"), { recursive: true });
    await writeFile(join(profile.store.folder, "inbox", "photo.bin"), Buffer.from([0, 1, 2, 255]));
    await symlink("/etc/hosts", join(profile.store.folder, "out", "hosts"));
  }
}

/** A file as it is compared: functions by id, because their file names follow their titles, and JSON without its order of fields. */
function comparable(path: string, bytes: Buffer): [path: string, content: unknown] {
  if (!path.endsWith(".json")) return [path, bytes.toString("base64")];
  const content: unknown = JSON.parse(bytes.toString());
  const isFunction = /^memory\/functions\/\d{4}\//.test(path);
  return [isFunction ? `memory/functions/${WithId.parse(content).id}` : path, content];
}

/** Derived files, files of one machine, and files that are compared through their digest. */
const LEFT_OUT =
  /^(?:memory\/(?:index\/|functions\/manifest\.json|archive\/files\/write\.lock)|state\.db|\.|logs\/audit\/(?:lock|head)|memory\/[^/]*\.lock|memory\/functions\/\.)|\/\.[^/]*$/;

/** The files of a profile with their contents. */
async function tree(folder: string): Promise<Record<string, unknown>> {
  const files: Record<string, unknown> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    if (!entry.isFile() || LEFT_OUT.test(path)) continue;
    const [name, content] = comparable(path, await readFile(join(folder, path)));
    files[name] = content;
  }
  return files;
}

async function contents(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    const { size, mtimeMs } = await stat(path);
    found.push(`${path} ${size} ${mtimeMs} ${(await readFile(path)).toString("base64").slice(0, 200)}`);
  }
  return found.sort();
}

async function intoDatabase(): Promise<MigrationReport> {
  const source = await openFileSource(home, {});
  const target = await openPostgresTarget(DATABASE_URL, place());
  try {
    return await migrate(source, target, quiet);
  } finally {
    await source.close();
    await target.close();
  }
}

async function intoFiles(to: string, profile?: string): Promise<MigrationReport> {
  const source = await openPostgresSource(DATABASE_URL, place());
  const target = openFileTarget(to);
  try {
    return await migrate(source, target, { ...quiet, profile });
  } finally {
    await source.close();
    await target.close();
  }
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "migrate-"));
  home = join(root, "home");
  const brain = await open(home);
  await fill(brain);
  await brain.close({ graceMs: 0 });
  driver = await openPGlite();
}, 60_000);
afterAll(async () => {
  await driver.close();
  await rm(root, { recursive: true, force: true });
});

describe("a migration", () => {
  let moved: MigrationReport;
  let before: string[];

  it("previews a move into an empty database, and creates nothing there", async () => {
    before = await contents(home);
    const source = await openFileSource(home, {});
    const target = await openPostgresPreview(DATABASE_URL, place());
    expect(target).toBeUndefined();
    const report = await previewMigration(source, target, quiet);
    await source.close();
    expect(report.profiles.map(({ username, state }) => [username, state])).toEqual([
      ["ada", "would-move"],
      ["ben", "would-move"],
    ]);
    expect(report.installation.toSorted()).toEqual([
      "the configuration channels",
      "the configuration models",
    ]);
    expect(await openPostgresPreview(DATABASE_URL, place())).toBeUndefined();
  });

  it("moves every kind of every profile into a database, and leaves the source unchanged", async () => {
    moved = await intoDatabase();
    expect(moved.notes).toEqual([]);
    expect(moved.installation).toContain("the key of the model server lab");
    for (const { state, kinds, notes } of moved.profiles) {
      expect(state).toBe("moved");
      expect(notes).toEqual(["out/hosts is a link. Links are not moved."]);
      expect(Object.keys(kinds).toSorted()).toEqual([
        "agent runs",
        "agents",
        "archived tasks",
        "audit lines",
        "channels",
        "conversations",
        "empty folders",
        "events",
        "evidence of functions",
        "files",
        "functions",
        "memories",
        "notice deliveries",
        "notices",
        "occurrences",
        "permissions",
        "persona",
        "proposals for functions",
        "runs",
        "schedule moments",
        "schedules",
        "settings",
        "tasks",
        "uses of memories",
        "versions of functions",
      ]);
    }
    expect(await contents(home)).toEqual(before);
  });

  it("is complete if it is repeated, and refuses a profile that was changed in the target", async () => {
    const again = await intoDatabase();
    expect(again.profiles.map(({ state }) => state)).toEqual(["already-there", "already-there"]);
    await driver.withConnection((connection) =>
      connection.query("UPDATE metahuman.notices SET title = 'Another' WHERE profile = 'ben'"),
    );
    await expect(intoDatabase()).rejects.toThrow(
      "There is already a profile named ben, with other content (notices); it was not changed.",
    );
    await driver.withConnection((connection) =>
      connection.query("UPDATE metahuman.notices SET title = 'Hello' WHERE profile = 'ben'"),
    );
  });

  it("moves everything back into files that are the same and work", async () => {
    const back = join(root, "back");
    const report = await intoFiles(back);
    expect(report.profiles).toEqual(moved.profiles.map((profile) => ({ ...profile, notes: [] })));
    for (const { username } of [ADA, BEN]) {
      const [was, is] = [join(home, "profiles", username), join(back, "profiles", username)];
      const secretless = ({ "channels.json": _sealed, ...files }: Record<string, unknown>) => files;
      expect(secretless(await tree(is))).toEqual(secretless(await tree(was)));
    }
    const brain = await open(back);
    try {
      expect(await brain.accounts.session(session)).toMatchObject({
        account: { username: "ada", role: "owner" },
      });
      expect(await brain.accounts.bearer(token)).toMatchObject({ scope: "read" });
      expect(await brain.accounts.publicProfiles()).toEqual(["ben"]);
      expect((await brain.modelControl.configuredServers()).servers).toMatchObject([
        { id: "lab", key: { from: "stored", readable: true } },
      ]);
      const ada = await brain.profile("ada");
      expect(await ada.audit.verify()).toMatchObject({ ok: true, signedFrom: 1 });
      expect((await ada.channels.list()).find(({ channel }) => channel === "webhook")).toMatchObject({
        available: true,
      });
      const [waiting] = (await ada.approvals.list({ status: "pending", limit: 9 })).items;
      const decided = await ada.operator.decide(waiting?.id ?? "", "once");
      expect(decided).toBeDefined();
    } finally {
      await brain.close({ graceMs: 0 });
    }
  }, 60_000);

  it("moves one profile alone", async () => {
    const to = join(root, "alone");
    const report = await intoFiles(to, "ben");
    expect(report.profiles.map(({ username }) => username)).toEqual(["ben"]);
    expect(report.installation).toEqual([]);
    await expect(intoFiles(to, "carl")).rejects.toThrow('There is no profile "carl".');
  });

  it("previews a move into a data root with profiles, and changes nothing there", async () => {
    const source = await openPostgresSource(DATABASE_URL, place());
    const statesIn = async (to: string) => {
      const files = await contents(to);
      const target = await openFilePreview(to);
      const report = await previewMigration(source, target, quiet);
      // While it is open, too: no lock, and no log of a database.
      expect(await contents(to)).toEqual(files);
      await target?.close();
      expect(await contents(to)).toEqual(files);
      return report.profiles.map(({ username, state }) => [username, state]);
    };
    expect(await statesIn(home)).toEqual([
      ["ada", "already-there"],
      ["ben", "already-there"],
    ]);
    expect(await statesIn(join(root, "alone"))).toEqual([
      ["ada", "would-move"],
      ["ben", "already-there"],
    ]);
    await source.close();
  });

  it("that was interrupted keeps the profile out of service, and completes when it is started again", async () => {
    const to = join(root, "cut-off");
    const source = await openPostgresSource(DATABASE_URL, place());
    const target = openFileTarget(to);
    const broken: MigrationTarget = {
      ...target,
      async begin(username) {
        const begun = await target.begin(username);
        const migrateRun = () => Promise.reject(new RangeError("killed"));
        return username === "ada"
          ? begun
          : { ...begun, copies: { ...begun.copies, runs: { ...begun.copies.runs, migrateRun } } };
      },
    };
    await expect(migrate(source, broken, quiet)).rejects.toThrow("killed");
    await target.close();
    await source.close();
    const brain = await open(to);
    expect((await brain.accounts.list()).map(({ username }) => username)).toEqual(["ada"]);
    await expect(brain.accounts.add({ ...BEN, role: "member" })).rejects.toThrow(AlreadyExistsError);
    await brain.close({ graceMs: 0 });
    const report = await intoFiles(to);
    expect(report.profiles.map(({ username, state }) => [username, state])).toEqual([
      ["ada", "already-there"],
      ["ben", "moved"],
    ]);
  });

  it("refuses a folder of a profile that no migration started", async () => {
    const to = join(root, "taken");
    await mkdir(join(to, "profiles", "ben", "out"), { recursive: true });
    await expect(intoFiles(to)).rejects.toThrow(
      "A profile folder named ben already exists; it was not changed.",
    );
    expect(await readdir(join(to, "profiles"))).not.toContain("ada");
  });

  it("refuses a profile that is in use, a data root without accounts, another key and a missing one", async () => {
    await expect(openFileSource(join(root, "nothing"), {})).rejects.toThrow(ConfigInvalidError);
    const { METAHUMAN_SECRET_KEY: _missing, ...without } = env();
    await expect(openPostgresSource(DATABASE_URL, { ...place(), env: without })).rejects.toThrow(
      "METAHUMAN_SECRET_KEY is not set.",
    );
    const other = { ...env(), METAHUMAN_SECRET_KEY: Buffer.alloc(32, 8).toString("base64") };
    await expect(openPostgresSource(DATABASE_URL, { ...place(), env: other })).rejects.toThrow(
      "METAHUMAN_SECRET_KEY is not the key",
    );
    const state = openDatabase(profilePaths(home, "ada").stateDatabase, stateMigrations, {
      title: "state.db",
    });
    state
      .command("INSERT INTO leases (holder, machine, pid, expires_at) VALUES ('proc-1', ?, ?, ?)")
      .run(machineName(), process.ppid, Date.now() + 60_000);
    state.close();
    await expect(intoDatabase()).rejects.toThrow(ConflictError);
  });
});
