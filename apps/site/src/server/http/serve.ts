import { dataHome } from "@metahuman/boot/home";
import type { Logger } from "@metahuman/boot/log";
import { announceServer } from "@metahuman/boot/server-notice";
import { wake } from "@metahuman/boot/wake";
import { readEnvironment } from "./environment.ts";
import { startServer } from "./start-server.ts";
import type { RunningServer } from "./start-server.ts";

export interface ServingOptions {
  /** Where to serve, where the data is, and what the brain reads. */
  env: Readonly<Record<string, string | undefined>>;
  logger: Logger;
}

export interface Serving extends RunningServer {
  /** The address it was bound to. */
  host: string;
  /** Resolves once commands find this server by its data. */
  announced: Promise<unknown>;
}

/**
 * Starts the server that an environment describes, and tells commands on the same data where it is until it is closed. Throws
 * what `readEnvironment` and `startServer` throw.
 */
export async function serve({ env, logger }: ServingOptions): Promise<Serving> {
  const { host, port } = readEnvironment(env);
  const home = dataHome(env);
  const server = await startServer({ host, port, log: logger, wake: () => wake({ home, env, logger }) });
  const announced = announceServer(home, server.url).catch((error: unknown) => {
    logger.warn({ err: error }, "Commands will not find this server by its data.");
  });
  return {
    ...server,
    host,
    announced,
    close: async () => {
      await server.close();
      await (
        await announced
      )?.();
    },
  };
}
