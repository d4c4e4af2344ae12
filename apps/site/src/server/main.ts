import { flushCompileCache } from "node:module";
import { MetahumanError } from "@metahuman/boot/errors";
import { dataHome } from "@metahuman/boot/home";
import { createLogger, logLevel, logLevelProblem } from "@metahuman/boot/log";
import { announceServer } from "@metahuman/boot/server-notice";
import { wake } from "@metahuman/boot/wake";
import { onEnding } from "./ending.ts";
import { readEnvironment } from "./environment.ts";
import { isLoopback } from "./hosts.ts";
import { startServer } from "./start-server.ts";

// The process behind `npm start` and `mh start`.

const logger = createLogger({ level: logLevel(process.env) });
const levelProblem = logLevelProblem(process.env);
if (levelProblem !== undefined) process.stderr.write(`${levelProblem}\n`);

// Work in the background that nobody waits for: without this, the framework's own listener would swallow what it throws.
process.on("unhandledRejection", (reason) =>
  logger.error({ err: reason }, "Something failed in the background."),
);

try {
  const { host, port } = readEnvironment(process.env);
  const home = dataHome(process.env);
  const server = await startServer({
    host,
    port,
    log: logger,
    wake: () => wake({ home, env: process.env, logger }),
  });
  const announced = announceServer(home, server.url).catch((error: unknown) => {
    logger.warn({ err: error }, "Commands will not find this server by its data.");
  });
  onEnding(async () => {
    await server.close();
    await (
      await announced
    )?.();
  }, logger);
  await announced;
  if (!isLoopback(host)) {
    process.stderr.write(
      `Other machines can reach this server: it listens on ${host}. Anybody who can sign in can use it, without encryption ` +
        "unless a proxy adds it. Names it is reached by must stand in server.allowedHosts (etc/server.json).\n",
    );
  }
  process.stdout.write(`MetaHuman OS is ready at ${server.url}${invitation(server.setupCode)}\n`);
  // Kept also when this process is killed: the next start is twice as fast with it.
  flushCompileCache();
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
}

function invitation(setupCode: string | undefined): string {
  return setupCode === undefined
    ? ""
    : ` – open it to create the owner account (setup code, from elsewhere: ${setupCode})`;
}

/** Why it cannot serve, for the person at the terminal. */
function reasonOf(error: unknown): string {
  if (error instanceof MetahumanError) return [error.message, ...error.suggestions].join(" ");
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
