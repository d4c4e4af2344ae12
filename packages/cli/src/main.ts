import { CommanderError } from "commander";
import type { Brain } from "@metahuman/boot/brain";
import { MetahumanError, toErrorDetail } from "@metahuman/boot/errors";
import { dataHome } from "@metahuman/boot/home";
import { createLogger } from "@metahuman/boot/log";
import { version } from "@metahuman/boot/version";
import { wake } from "@metahuman/boot/wake";
import type { Problem } from "@metahuman/core/contract/problem";
import { exitCodeFor, ExitCode } from "./exit-code.ts";
import { createOutput } from "./output.ts";
import { createProgram } from "./program.ts";
import type { GlobalOptions } from "./session.ts";

/** How long a skill that is still running gets when the command ends, in milliseconds. */
const GRACE_MS = 2_000;

const stop = new AbortController();
let brain: Promise<Brain> | undefined;
let debug = false;

process.once("SIGINT", () => {
  process.exitCode = ExitCode.interrupted;
  stop.abort();
});

const program = createProgram(version(), (options: GlobalOptions) => {
  debug = options.debug ?? false;
  return {
    options,
    output: createOutput(options.json ?? false, { out: process.stdout, err: process.stderr }),
    env: process.env,
    input: process.stdin,
    interactive: process.stdin.isTTY && process.stdout.isTTY,
    signal: stop.signal,
    openBrain: () =>
      (brain ??= wake({
        home: dataHome(process.env),
        env: process.env,
        logger: createLogger({ level: debug ? "debug" : "warn" }),
        // A command ends soon: what is left in the queue is for a process that stays.
        adoptsQueuedRuns: false,
      })),
    setExitCode: (code) => {
      process.exitCode = code;
    },
  };
});

try {
  await program.parseAsync(process.argv);
} catch (error) {
  report(error);
} finally {
  await (await brain?.catch(() => undefined))?.close({ graceMs: GRACE_MS });
}

function report(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong; asking for help or the version is not a mistake.
    process.exitCode = error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    return;
  }
  const { code, message, context, suggestions } = toErrorDetail(error);
  process.exitCode = exitCodeFor(code);
  if (program.opts<GlobalOptions>().json === true) {
    // The shape in which the HTTP API tells a problem.
    const problem: Problem = {
      error: { code, message, ...(context && { details: context }), ...(suggestions && { suggestions }) },
    };
    process.stdout.write(`${JSON.stringify(problem, null, 2)}\n`);
  }
  process.stderr.write(
    `mh: ${message}\n${(suggestions ?? []).map((suggestion) => `  ${suggestion}\n`).join("")}`,
  );
  if (debug && error instanceof Error && !(error instanceof MetahumanError))
    process.stderr.write(`${error.stack ?? ""}\n`);
}
