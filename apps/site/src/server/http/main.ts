import { flushCompileCache } from "node:module";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { createLogger, type Logger, logLevel, logLevelProblem } from "@metahuman/core/log/logger";
import { isLoopback } from "./hosts.ts";
import { serve } from "./serve.ts";

// The process behind `npm start` and `mh start`.

const logger = createLogger({ level: logLevel(process.env) });
const levelProblem = logLevelProblem(process.env);
if (levelProblem !== undefined) process.stderr.write(`${levelProblem}\n`);

// Without this, the framework's listener would swallow errors of background work.
process.on("unhandledRejection", (reason) =>
  logger.error({ err: reason }, "Something failed in the background."),
);

try {
  const server = await serve({ env: process.env, logger });
  onShutdownSignal(server.close, logger);
  await server.announced;
  if (!isLoopback(server.host)) {
    process.stderr.write(
      `Other machines can reach this server: it listens on ${server.host}. Anybody who can sign in can use it, without encryption ` +
        "unless a proxy adds it. Add the names it is reached by to server.allowedHosts (etc/server.json).\n",
    );
  }
  process.stdout.write(`MetaHuman OS is ready at ${server.url}${setupHint(server.setupCode)}\n`);
  if (server.setupProblem) process.stderr.write(`${sentencesOf(server.setupProblem)}\n`);
  // Writes the compile cache now in case this process is killed. It halves the time of the next start.
  flushCompileCache();
} catch (error) {
  process.stderr.write(`${sentencesOf(error)}\n`);
  process.exit(1);
}

function setupHint(setupCode: string | undefined): string {
  return setupCode === undefined
    ? ""
    : ` – open it to create the owner account (setup code, from elsewhere: ${setupCode})`;
}

/** The problem and the advice, for the terminal. */
function sentencesOf(error: unknown): string {
  if (error instanceof MetahumanError) return [error.message, ...error.suggestions].join(" ");
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** One Ctrl-C can arrive twice, from the terminal and from npm. A second signal within this time is the same one. */
const SAME_SIGNAL_MS = 300;

/** Closes the server on SIGTERM, SIGINT and SIGHUP and exits with 0; exits at once on a second signal. */
function onShutdownSignal(close: () => Promise<void>, log: Pick<Logger, "error">): void {
  let askedAt: number | undefined;
  const end = () => {
    const now = performance.now();
    if (askedAt !== undefined) {
      if (now - askedAt > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    askedAt = now;
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "Closing failed.");
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, end);
}
