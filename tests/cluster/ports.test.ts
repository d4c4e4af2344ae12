import { afterAll, describe } from "vitest";
import { openPool } from "@metahuman/postgres/pg-driver";
import { type DatabaseHarness, openHarness } from "@metahuman/postgres/testing/harness";
import { describePorts } from "@metahuman/postgres/testing/port-suites";
import { findPrograms, startServer, type TestServer } from "./server.ts";

const programs = await findPrograms();

describe.runIf(programs)("with the programs of PostgreSQL", () => {
  let server: TestServer | undefined;
  let harness: DatabaseHarness | undefined;
  afterAll(async () => {
    await harness?.database.close();
    await server?.remove();
  });

  describePorts("in a PostgreSQL server", async () => {
    server ??= await startServer(programs ?? "");
    harness ??= await openHarness(openPool(server.url()));
    return harness;
  });
});
