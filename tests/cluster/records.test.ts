import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createTestProfile,
  found,
  observe,
  type TestProfile,
} from "@metahuman/core/memory/testing/open-test-memory";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openPostgresRecords } from "@metahuman/postgres/records/open-records";
import { openRecordRows } from "@metahuman/postgres/records/record-rows";
import { findPrograms, startServer, startWorker, type TestServer } from "./server.ts";

const programs = await findPrograms();

describe.runIf(programs)("records that several processes change", () => {
  let server: TestServer;
  let database: Postgres;
  const folders: TestProfile[] = [];
  beforeAll(async () => {
    server = await startServer(programs ?? "");
    database = await openPostgres(openPool(server.url()), { poll: { pollMs: 50 } });
  });
  afterAll(async () => {
    await Promise.all(folders.map((folder) => folder.remove()));
    await server.remove();
    await database.close();
  });

  async function openMemories(profile: string) {
    const folder = await createTestProfile();
    folders.push(folder);
    return await folder.open({ storage: openPostgresRecords(database, profile).memories });
  }

  it("are changed by one of those who name the same version", async () => {
    const [first, ...others] = await Promise.all(
      Array.from({ length: 6 }, () => openTasks({ storage: openPostgresRecords(database, "ada").tasks })),
    );
    if (!first) throw new Error("no tasks");
    const { id } = await first.create({ title: "Crack the walnuts" });
    const edits = await Promise.allSettled(
      others.map((tasks, n) => tasks.edit(id, { title: `edit ${n}`, version: 1 })),
    );
    expect(edits.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const edit of edits)
      if (edit.status === "rejected") expect(edit.reason).toMatchObject({ code: "STALE_VERSION" });
    expect(await first.get(id)).toMatchObject({ version: 2 });
  });

  it("show their changes in the order of the numbers, while four processes write", async () => {
    const workers = Array.from({ length: 4 }, () => startWorker("add", server.url(), "ben"));
    for (const worker of workers) expect(await worker.line()).toBe("ready");
    for (const worker of workers) worker.send("go on");
    const rows = openRecordRows(database, "ben", { kind: "task" });
    // A reader of later numbers misses nothing only if numbers become visible in order.
    const seen: number[] = [];
    await expect
      .poll(
        async () => {
          const { rows: changes } = await rows.changesAfter(seen.at(-1) ?? 0, 7);
          seen.push(...changes.map(({ seq }) => seq));
          return seen.at(-1);
        },
        { interval: 1 },
      )
      .toBe(160);
    expect(seen).toEqual(Array.from({ length: 160 }, (_, index) => index + 1));
  });

  it("are all there or not at all when a process is killed while it adds a list", async () => {
    const worker = startWorker("import", server.url(), "carl");
    expect(await worker.line()).toBe("list 0");
    expect(await worker.line()).toBe("list 1");
    worker.signal("SIGKILL");
    await worker.ended;
    const { memory } = await openMemories("carl");
    expect((await memory.list({ tag: "list-0", limit: 1 })).total).toBe(3_000);
    expect([0, 3_000]).toContain((await memory.list({ tag: "list-1", limit: 1 })).total);
  });

  it("are found by a process that was cut off from the database and missed every change", async () => {
    const here = await openMemories("dora");
    const elsewhere = await openMemories("dora");
    await observe(here, "walnut cake");
    expect(await found(elsewhere, "walnut")).toEqual(["walnut cake"]);
    await server.crash();
    await expect(elsewhere.memory.list({ limit: 1 })).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    await expect(observe(here, "poppy bread")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    await server.start();
    await observe(here, "almond tart");
    expect(await found(elsewhere, "almond")).toEqual(["almond tart"]);
    expect((await elsewhere.memory.list({ limit: 1 })).total).toBe(2);
  });
});
