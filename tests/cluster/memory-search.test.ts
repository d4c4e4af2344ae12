import { afterAll, beforeAll, describe } from "vitest";
import { openPool } from "@metahuman/postgres/pg-driver";
import { describeMemorySearch } from "@metahuman/postgres/testing/memory-search-suite";
import { findPrograms, hasExtension, startServer, type TestServer } from "./server.ts";

const programs = await findPrograms();
const isThere = programs !== undefined && (await hasExtension(programs, "vector"));

describe.runIf(isThere)("with pgvector, where it is installed beside PostgreSQL", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(programs ?? "");
    await server.sql("CREATE EXTENSION vector");
  });
  afterAll(() => server.remove());

  describeMemorySearch("in a PostgreSQL server", async () => openPool(server.url()), 1_000);
});
