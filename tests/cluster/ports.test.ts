import { afterAll, describe } from "vitest";
import { openPool } from "@metahuman/postgres/pg-driver";
import { type DatabaseBench, openBench } from "@metahuman/postgres/testing/bench";
import { describePorts } from "@metahuman/postgres/testing/port-suites";
import { findPrograms, startServer, type TestServer } from "./server.ts";

const programs = await findPrograms();

describe.runIf(programs)("with the programs of PostgreSQL", () => {
  let server: TestServer | undefined;
  let bench: DatabaseBench | undefined;
  afterAll(async () => {
    await bench?.database.close();
    await server?.remove();
  });

  describePorts("in a PostgreSQL server", async () => {
    server ??= await startServer(programs ?? "");
    bench ??= await openBench(openPool(server.url()));
    return bench;
  });
});
