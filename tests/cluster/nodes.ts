import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ServerProcess, startTestServer, tryToStart } from "../support/server.ts";
import { SECRET_KEY } from "./secret-key.ts";
import { startServer, type TestServer } from "./server.ts";

/** Several servers on one database, and the folder that they share. */
export interface Cluster {
  database: TestServer;
  /** The folder that the servers share. */
  shared: string;
  /** The environment of every server and command. */
  environment: Record<string, string>;
  /** Starts a server with this name, and a data root of its own unless it is given. */
  start(name: string, env?: Record<string, string>, home?: string): Promise<ServerProcess>;
  /** Starts a server and returns how it ended, or undefined if it serves. */
  failure(env: Record<string, string>): Promise<string | undefined>;
  remove(): Promise<void>;
}

export async function openCluster(programs: string, options: { isDurable?: boolean } = {}): Promise<Cluster> {
  const database = await startServer(programs, options);
  const shared = await mkdtemp(join(tmpdir(), "mh-shared-"));
  const started: ServerProcess[] = [];
  const environment = {
    METAHUMAN_DATABASE_URL: database.url(),
    METAHUMAN_SECRET_KEY: SECRET_KEY,
    METAHUMAN_WORKSPACE: pathToFileURL(shared).href,
  };
  return {
    database,
    shared,
    environment,
    async start(name, env = {}, home) {
      const server = await startTestServer({
        ...(home !== undefined && { home }),
        env: { ...environment, METAHUMAN_NODE: name, ...env },
      });
      started.push(server);
      return server;
    },
    async failure(env) {
      const server = await tryToStart({ env: { ...environment, ...env } });
      if (!("url" in server)) return server.output;
      started.push(server);
      return undefined;
    },
    async remove() {
      for (const server of started) await server.dispose();
      await database.remove();
      await rm(shared, { recursive: true, force: true });
    },
  };
}
