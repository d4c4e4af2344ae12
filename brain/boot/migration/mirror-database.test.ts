import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { createLogger } from "@metahuman/core/log/logger";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { digestOf, openFileRecordCopies } from "@metahuman/core/transfer/record-copies";
import { openPostgres } from "@metahuman/postgres/open-postgres";
import type { Driver } from "@metahuman/postgres/pg-driver";
import { openPostgresRecordCopies } from "@metahuman/postgres/records/record-copies";
import { openPGlite } from "@metahuman/postgres/testing/pglite";
import type { Brain } from "../brain.ts";
import { createBrain } from "../create-brain.ts";
import { mirrorDatabase } from "./mirror-database.ts";

const URL = "postgres://ada@db.example/mh";
const actor = { by: "ada", isPerson: true, isOwner: true };
const byAda = { source: { kind: "user" }, trust: "trusted" } as const;

let home: string;
let database: Driver;
let brain: Brain;
const open = (): Driver => ({ ...database, close: async () => undefined });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "mirror-"));
  database = await openPGlite();
  brain = await createBrain({
    home: join(home, "server"),
    logger: createLogger({ level: "silent" }),
    env: {
      OLLAMA_HOST: "http://127.0.0.1:9",
      METAHUMAN_DATABASE_URL: URL,
      METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    },
    connect: open,
  });
  await brain.accounts.setup(
    { username: "ada", password: "correct horse battery" },
    { address: "test", fromLoopback: true },
  );
  await brain.accounts.add({ username: "ben", password: "battery staple horse", role: "member" });
}, 60_000);
afterAll(async () => {
  await brain.close({ graceMs: 0 });
  await database.close();
  await rm(home, { recursive: true, force: true });
});

const folder = () => join(home, "files");
const pass = (more: { profile?: string } = {}) => mirrorDatabase(URL, { folder: folder(), open, ...more });

async function digests() {
  const rows = openPostgresRecordCopies(await openPostgres(open()), "ada");
  const files = openFileRecordCopies(profilePaths(folder(), "ada").memory);
  return { rows: await digestOf(rows), files: await digestOf(files) };
}

describe("a mirror of a database", () => {
  it("has every record of every profile as a file, while a server goes on", async () => {
    const { memory, tasks, functions } = await brain.profile("ada");
    for (const content of ["The kettle is new.", "The oven is hot."])
      await memory.add({ type: "observation", content }, byAda);
    await tasks.create({ title: "Water the plants" });
    const { id } = await functions
      .of()
      .saveFunction({ title: "Make tea", summary: "", steps: ["Boil water."], skillsUsed: [] }, actor);
    await functions.of().updateFunction(id, { version: 1, title: "Make green tea" }, actor);
    await (await brain.profile("ben")).tasks.create({ title: "Call ada" });
    const [ada, ben] = await pass();
    expect(ada).toMatchObject({ username: "ada", removed: 0, unchanged: 0 });
    expect(ben).toEqual({ username: "ben", written: 1, removed: 0, unchanged: 0 });
    const { rows, files } = await digests();
    expect(rows.counts).toMatchObject({ "record memory": 2, "record task": 1, "record function": 1 });
    expect(files).toEqual(rows);
  });

  it("writes only what changed, and undoes what was changed in the folder", async () => {
    const { memory, tasks } = await brain.profile("ada");
    const [task] = (await tasks.list({ limit: 1 })).tasks;
    await tasks.edit(task?.id ?? "", { status: "done" });
    const [first] = (await memory.list({ limit: 2 })).items;
    await memory.forget(first?.id ?? "");
    const [last] = (await memory.list({ limit: 2 })).items;
    const file = await fileOf(last?.id ?? "");
    await writeFile(file, "{}");
    const [ada] = await pass({ profile: "ada" });
    // The task is in another folder, and the memory in the archive with a note.
    expect(ada).toMatchObject({ written: 4, removed: 2 });
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ id: last?.id });
    const { rows, files } = await digests();
    expect(files).toEqual(rows);
    expect((await pass()).map(({ written, removed }) => [written, removed])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it("loses the records of an account that is gone", async () => {
    await brain.accounts.remove("ben");
    expect(await pass()).toMatchObject([{ username: "ada" }, { username: "ben", written: 0, removed: 1 }]);
  });

  it("is not made in a folder with other files, nor for somebody unknown", async () => {
    await expect(mirrorDatabase(URL, { folder: home, open })).rejects.toBeInstanceOf(ConflictError);
    await expect(pass({ profile: "carl" })).rejects.toBeInstanceOf(NotFoundError);
  });
});

async function fileOf(id: string): Promise<string> {
  const { memory } = profilePaths(folder(), "ada");
  for await (const entries of openFileRecordCopies(memory).each())
    for (const entry of entries)
      if (entry.part === "record" && entry.id === id) return join(memory.root, entry.path);
  throw new Error("There is no such file.");
}
