import { flushCompileCache } from "node:module";
import { MetahumanError } from "@metahuman/boot/errors";
import { createLogger, logLevel, logLevelProblem } from "@metahuman/boot/log";
import { onEnding } from "./shutdown.ts";
import { isLoopback } from "./hosts.ts";
import { serve } from "./serve.ts";

// The process behind `npm start` and `mh start`.

const logger = createLogger({ level: logLevel(process.env) });
const levelProblem = logLevelProblem(process.env);
if (levelProblem !== undefined) process.stderr.write(`${levelProblem}\n`);

// Work in the background that nobody waits for: without this, the framework's own listener would swallow what it throws.
process.on("unhandledRejection", (reason) =>
  logger.error({ err: reason }, "Something failed in the background."),
);

try {
  const server = await serve({ env: process.env, logger });
  onEnding(server.close, logger);
  await server.announced;
  if (!isLoopback(server.host)) {
    process.stderr.write(
      `Other machines can reach this server: it listens on ${server.host}. Anybody who can sign in can use it, without encryption ` +
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
