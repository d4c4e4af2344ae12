import { dataRoot } from "@metahuman/core/paths/data-root";
import type { Logger } from "@metahuman/core/log/logger";
import { announceServer } from "@metahuman/boot/server-notice";
import { createBrain } from "@metahuman/boot/create-brain";
import { startServer, type RunningServer } from "./start-server.ts";
import { z } from "zod";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { plainIssue } from "@metahuman/core/contract/plain-issue";

export interface ServingOptions {
  /** Where to serve, where the data is, and what the brain reads. */
  env: Readonly<Record<string, string | undefined>>;
  logger: Logger;
}

export interface Serving extends RunningServer {
  /** The address it was bound to. */
  host: string;
  /** Resolves when `mh` commands on the same data can find this server. */
  announced: Promise<unknown>;
}

/**
 * Starts the server that the environment describes, and announces its address to `mh` commands on the same data until it is
 * closed. Throws what `readEnvironment` and `startServer` throw.
 */
export async function serve({ env, logger }: ServingOptions): Promise<Serving> {
  const { host, port } = readEnvironment(env);
  const home = dataRoot(env);
  const server = await startServer({
    host,
    port,
    log: logger,
    openBrain: () => createBrain({ home, env, logger }),
  });
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

/** The environment variables of the server. The brain reads the others. */
const Environment = z.object({
  HOST: z
    .string()
    .trim()
    .default("")
    .transform((host) => host || "127.0.0.1"),
  /** 0 lets the system choose a port. */
  PORT: z
    .string()
    .trim()
    .default("")
    .transform((port) => port || "4321")
    .pipe(z.string().regex(/^\d{1,5}$/, "write a number from 0 to 65535"))
    .transform(Number)
    .pipe(z.number().max(65_535, "write a number from 0 to 65535")),
});

interface ServerEnvironment {
  host: string;
  port: number;
}

/** Throws `InvalidArgsError`, which names the variable. */
function readEnvironment(env: Readonly<Record<string, string | undefined>>): ServerEnvironment {
  const read = Environment.safeParse(env, { error: plainIssue });
  if (read.success) return { host: read.data.HOST, port: read.data.PORT };
  const [issue] = read.error.issues;
  throw new InvalidArgsError(
    `The environment variable ${issue?.path.join(".") ?? ""} is not valid: ${issue?.message ?? ""}.`,
  );
}
