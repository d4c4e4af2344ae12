import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Client } from "./client.ts";
import { openModelStage, type ModelStage } from "./model-stage.ts";
import { startServerHere, type TestServer } from "./server.ts";

/** Starts a server before all tests of a file, passes it with its owner to `take`, and closes it afterwards. */
export function serveBeforeAll(take: (served: { server: TestServer; owner: Client }) => void): void {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServerHere();
    take({ server, owner: await server.owner() });
  });
  afterAll(() => server.dispose());
}

/** Opens a fixture before all tests, resets it before each, and closes it after all. */
export function stageBeforeAll(take: (stage: ModelStage) => void): void {
  let stage: ModelStage;
  beforeAll(async () => {
    stage = await openModelStage();
    take(stage);
  });
  beforeEach(() => stage.set());
  afterAll(() => stage.close());
}

/** Registers servers that are disposed of after all tests, the last one first. `home` is the data root of the first. */
export function disposeAfterAll(): {
  kept: <Server extends TestServer>(server: Server) => Server;
  home: () => string;
} {
  const servers: TestServer[] = [];
  afterAll(async () => {
    // The first server owns the folder that the others share.
    for (const server of servers.toReversed()) await server.dispose();
  });
  return {
    kept(server) {
      servers.push(server);
      return server;
    },
    home: () => servers[0]?.home ?? "",
  };
}
