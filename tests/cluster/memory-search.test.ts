import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openPostgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openStoredVectors } from "@metahuman/postgres/records/stored-vectors";
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

  it("creates the index of an embedder once if two processes start with it at the same moment", async () => {
    const embedder = (round: number) => ({ id: `ollama/model-${round}:latest`, dimensions: 64 });
    const processes = [openPool(server.url()), openPool(server.url())];
    const databases = await Promise.all(processes.map((driver) => openPostgres(driver)));
    for (let round = 0; round < 20; round += 1)
      await Promise.all(
        databases.map((database) => openStoredVectors(database, "ada").save(embedder(round), [])),
      );
    const { count } = z
      .object({ count: z.number() })
      .parse(
        await databases[0]?.inSystem((session) =>
          session.get(
            z.object({ count: z.number() }),
            "SELECT count(*)::float8 AS count FROM pg_indexes WHERE indexdef LIKE '%ollama/model-%:latest%'",
          ),
        ),
      );
    expect(count).toBe(20);
    await Promise.all(databases.map((database) => database.close()));
  });
});
