import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createTestProfile,
  found,
  observe,
  type TestProfile,
} from "@metahuman/core/memory/testing/open-test-memory";
import { createTestChoice, createTestEmbedder } from "@metahuman/core/memory/testing/test-embedder";
import { openPostgres, type Postgres } from "../open-postgres.ts";
import { describeMemorySearch } from "../testing/memory-search-suite.ts";
import { openPGlite } from "../testing/pglite.ts";
import { meaningIndex, openMemorySearch } from "./memory-search.ts";
import { openPostgresRecords } from "./open-records.ts";

const CountRow = z.object({ count: z.number() });

describeMemorySearch("in PostgreSQL with pgvector", () => openPGlite({ vectors: "created" }));

const folders: TestProfile[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => folder.remove()));
});
async function newFolder(): Promise<TestProfile> {
  const folder = await createTestProfile();
  folders.push(folder);
  return folder;
}

describe("a database without the extension", () => {
  it("searches nothing, keeps no vectors of the built-in embedder, and has no tables for it", async () => {
    const plain = await openPostgres(await openPGlite());
    expect(plain.vectors).toBeUndefined();
    expect(openMemorySearch(plain, "ada", { isNeeded: () => true })).toBeUndefined();
    const records = openPostgresRecords(plain, "ada");
    const opened = await (await newFolder()).open({ storage: records.memories, vectors: records.vectors });
    await observe(opened, "walnut cake");
    await opened.embedded();
    expect(await found(opened, "walnut")).toEqual(["walnut cake"]);
    const counted = await plain.inSystem((session) =>
      session.get(
        CountRow,
        `SELECT ((SELECT count(*) FROM embeddings) + (SELECT count(*) FROM pg_class WHERE relname = 'memory_search')
           + (SELECT count(*) FROM pg_attribute WHERE attrelid = 'embeddings'::regclass AND attname = 'meaning'))::integer AS count`,
      ),
    );
    expect(counted).toEqual({ count: 0 });
    await plain.close();
  });

  it("searches its memories once the extension is created and a server opens the profile again", async () => {
    const driver = await openPGlite({ vectors: "available" });
    const before = await openPostgres(driver);
    const choice = createTestChoice(createTestEmbedder({ id: "ollama/near", dimensions: 64 }));
    const open = async (opened: Postgres) => {
      const records = openPostgresRecords(opened, "ada");
      const memories = await (
        await newFolder()
      ).open({ storage: records.memories, vectors: records.vectors, embedderChoice: choice });
      await memories.embedded();
      return memories;
    };
    await observe(await open(before), "walnut cake");
    await driver.withConnection((connection) => connection.query("CREATE EXTENSION vector"));
    const after = await openPostgres(driver);
    await open(after);
    const state = await openMemorySearch(after, "ada", { isNeeded: () => true })?.state();
    expect(state).toEqual({
      memories: 1,
      averageWords: 2,
      embedders: new Set(["test-1", "ollama/near"]),
    });
    await driver.close();
  });
});

it("creates no index for vectors that are too long for one", () => {
  expect(meaningIndex({ id: "long", dimensions: 4_001 }, "public")).toBeUndefined();
});

it("creates the index of an embedder by its exact id", () => {
  for (const [id, literal] of [
    ["it's", "'it''s'"],
    ["hub:huggingface.co/snowflake.2", "'hub:huggingface.co/snowflake.2'"],
  ] as const)
    expect(meaningIndex({ id, dimensions: 4_000 }, "public")?.sql).toContain(`embedder = ${literal} AND`);
});
