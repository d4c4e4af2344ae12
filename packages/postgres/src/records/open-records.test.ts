import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { AlreadyExistsError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { type OpenedMemory, openMemory } from "@metahuman/core/memory/open-memory";
import {
  createTestChoice,
  createTestEmbedder,
  type TestEmbedder,
} from "@metahuman/core/memory/testing/test-embedder";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import {
  createTestProfile,
  found,
  observe,
  USER_ORIGIN,
  type TestProfile,
} from "@metahuman/core/memory/testing/open-test-memory";
import { newRecords } from "@metahuman/core/memory/testing/test-record";
import type { Postgres } from "../open-postgres.ts";
import { pgliteHarness } from "../testing/harness.ts";
import { openPostgresRecords, type PostgresRecords } from "./open-records.ts";
import { openRecordRows } from "./record-rows.ts";

let database: Postgres;
let profile: string;
let records: PostgresRecords;
let folder: TestProfile;
const others: TestProfile[] = [];
beforeEach(async () => {
  const harness = await pgliteHarness();
  database = harness.database;
  profile = harness.newProfile();
  records = openPostgresRecords(database, profile);
  folder = await createTestProfile();
});
afterEach(async () => {
  await folder.remove();
  await Promise.all(others.splice(0).map((other) => other.remove()));
});

const open = () => folder.open({ storage: records.memories });
async function openElsewhere(): Promise<OpenedMemory> {
  const other = await createTestProfile();
  others.push(other);
  return await other.open({ storage: records.memories });
}
const contents = async ({ memory }: OpenedMemory) =>
  (await memory.list({ limit: 100 })).items.map(({ content }) => content).toSorted();

it("refuses records of which two have one id, and stores none of them", async () => {
  const rows = openRecordRows(database, profile, { kind: "memory" });
  const [once, twice] = [newRecords.memory(), newRecords.memory()].map((record) => ({
    ...{ id: record.id, path: `${record.id}.json`, body: JSON.stringify(record) },
  }));
  if (!once || !twice) throw new Error("no records");
  await expect(rows.create([once, twice, twice])).rejects.toThrow(AlreadyExistsError);
  expect(await rows.readMany([once.id, twice.id])).toEqual([]);
});

describe("a process's copy of the memories", () => {
  it("continues from its last state, with what was changed and removed meanwhile", async () => {
    const first = await open();
    const [changed, removed] = await observe(first, "walnut cake", "poppy bread", "almond tart");
    await first.close();
    const elsewhere = await openElsewhere();
    await elsewhere.memory.edit(changed?.id ?? "", { content: "hazelnut cake" });
    await elsewhere.memory.forget(removed?.id ?? "");
    const again = await open();
    expect(await contents(again)).toEqual(["almond tart", "hazelnut cake"]);
    expect(await found(again, "walnut")).toEqual([]);
    expect(folder.warnings).toEqual([]);
  });

  it("is rebuilt if it was not closed, whatever its files contain", async () => {
    const first = await open();
    const [record] = await observe(first, "walnut cake");
    if (!record) throw new Error("no memory was added");
    await writeFile(folder.pathOf(record), "{ half a rec");
    const again = await open();
    expect(await contents(again)).toEqual(["walnut cake"]);
    expect(JSON.parse(await readFile(folder.pathOf(record), "utf8"))).toEqual(record);
  });

  it("is rebuilt for a profile that was deleted and created again under its name", async () => {
    const first = await open();
    await observe(first, "walnut cake", "poppy bread");
    await first.close();
    await database.inProfile(profile, async (session) => {
      await session.run("DELETE FROM records WHERE profile = :profile");
      await session.run("DELETE FROM record_heads WHERE profile = :profile");
    });
    await observe(await openElsewhere(), "almond tart", "hazelnut cake", "lemon pie");
    expect(await contents(await open())).toEqual(["almond tart", "hazelnut cake", "lemon pie"]);
    // The free pages of the index do not contain it either.
    expect(await readFile(folder.paths.memory.index, "latin1")).not.toContain("poppy");
  });
});

describe("a process that copies many memories for the first time", () => {
  it("finds what it adds and edits meanwhile, and everything in the end", async () => {
    const many = Array.from({ length: 2_000 }, (_, n) => ({
      type: "observation" as const,
      content: `hazelnut ${n}`,
    }));
    const [oldest, ...others] = await (await openElsewhere()).memory.addMany(many, USER_ORIGIN);
    const opened = await openMemory({
      paths: folder.paths,
      storage: records.memories,
      embedder: createTestEmbedder(),
    });
    await observe(opened, "walnut cake");
    await opened.memory.edit(oldest?.id ?? "", { content: "poppy bread" });
    await opened.memory.forget(others[0]?.id ?? "");
    expect(await found(opened, "walnut cake")).toEqual(["walnut cake"]);
    expect(await found(opened, "poppy bread")).toEqual(["poppy bread"]);
    await opened.ready;
    expect((await opened.memory.list({ limit: 1 })).total).toBe(2_000);
    expect(await found(opened, "poppy bread")).toEqual(["poppy bread"]);
    expect(await found(opened, "hazelnut 0")).not.toContain("hazelnut 0");
    expect((await opened.memory.list({ limit: 1, query: "hazelnut 1" })).total).toBe(1_110);
    await opened.close();
  });

  it("stops copying when it is closed, and starts over when it is opened again", async () => {
    await observe(await openElsewhere(), "walnut cake", "poppy bread");
    const options = { paths: folder.paths, storage: records.memories, embedder: createTestEmbedder() };
    await (await openMemory(options)).close();
    expect(await contents(await open())).toEqual(["poppy bread", "walnut cake"]);
  });
});

describe("the vectors of a model", () => {
  it("are computed once for all processes, anew for a new text, and removed with the memory", async () => {
    const openWith = async (embedder: TestEmbedder) => {
      const other = await createTestProfile();
      others.push(other);
      const { memories: storage, vectors } = records;
      return await other.open({ storage, vectors, embedderChoice: createTestChoice(embedder) });
    };
    const [one, two] = [createTestEmbedder({ id: "model" }), createTestEmbedder({ id: "model" })];
    const first = await openWith(one);
    const [cake, bread] = await observe(first, "walnut cake", "poppy bread");
    await first.embedded();
    expect(one.asked).toBe(2);
    const second = await openWith(two);
    await second.embedded();
    expect(await second.index.status()).toMatchObject({ embedded: 2, pending: 0 });
    expect(two.asked).toBe(0);
    await second.memory.edit(cake?.id ?? "", { content: "almond cake" });
    await second.embedded();
    // Either process may be the first to see the new text.
    expect(one.asked + two.asked).toBe(3);
    await second.memory.forget(bread?.id ?? "");
    const Row = z.object({ record_id: z.string() });
    const kept = await database.inProfile(profile, (session) =>
      session.all(Row, "SELECT record_id FROM embeddings"),
    );
    expect(kept).toEqual([{ record_id: cake?.id }]);
  });
});

describe("the character U+0000", () => {
  it("is refused in what a person writes", async () => {
    const { memory } = await open();
    const refused = memory.add({ type: "observation", content: "wal\u0000nut" }, USER_ORIGIN);
    await expect(refused).rejects.toBeInstanceOf(InvalidArgsError);
    const tasks = await openTasks({ storage: records.tasks });
    await expect(tasks.create({ title: "crack\u0000walnuts" })).rejects.toBeInstanceOf(InvalidArgsError);
    expect((await memory.list({ limit: 1 })).total).toBe(0);
  });

  it("is replaced in what an operator writes, and the text \\u0000 is kept", async () => {
    const { memory } = await open();
    const operator = { source: { kind: "operator", runId: "run-1" }, trust: "untrusted" } as const;
    const { id } = await memory.add(
      { type: "observation", content: "wal\u0000nut \\u0000 \ud800" },
      operator,
    );
    expect((await memory.get(id)).content).toBe("wal\ufffdnut \\u0000 \ufffd");
    const record = await memory.add({ type: "observation", content: "C:\\u0000" }, USER_ORIGIN);
    expect(record.content).toBe("C:\\u0000");
  });
});

describe("the rows of records", () => {
  it("are hidden from other profiles", async () => {
    await observe(await open(), "walnut cake");
    const { newProfile } = await pgliteHarness();
    const seen = await database.inProfile(newProfile(), (session) =>
      session.run("UPDATE records SET body = NULL"),
    );
    expect(seen).toBe(0);
  });
});
