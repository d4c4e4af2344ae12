import { CommanderError } from "commander";
import type { Readable } from "node:stream";
import type { Brain } from "@metahuman/boot/brain";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { dataRoot } from "@metahuman/core/paths/data-root";
import { createLogger } from "@metahuman/core/log/logger";
import { version } from "@metahuman/boot/version";
import { wake } from "@metahuman/boot/create-brain";
import type { Problem } from "@metahuman/core/contract/problem";
import { exitCodeFor, ExitCode } from "./exit-code.ts";
import { createOutput, type Streams } from "./output.ts";
import { createProgram } from "./program.ts";
import type { GlobalOptions } from "./session.ts";

/** How long a skill that is still running gets when the command ends, in milliseconds. */
const GRACE_MS = 2_000;

/** All that a command line knows of the process and the terminal it runs in. */
export interface ProgramEnvironment extends Streams {
  env: Readonly<Record<string, string | undefined>>;
  /** What is typed or piped in. */
  input: Readable;
  /** Whether a person can be asked something. */
  interactive: boolean;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Carries out one command line, given as what follows `mh`, and answers with its exit code. Faults are told, not thrown. */
export async function runCommand(args: readonly string[], environment: ProgramEnvironment): Promise<number> {
  const { env, input, interactive, signal, out, err } = environment;
  let brain: Promise<Brain> | undefined;
  let debug = false;
  let exitCode: number = ExitCode.ok;
  signal.addEventListener("abort", () => (exitCode = ExitCode.interrupted), { once: true });

  const program = createProgram(version(), environment, (options: GlobalOptions) => {
    debug = options.debug ?? false;
    return {
      options,
      output: createOutput(options.json ?? false, environment),
      env,
      input,
      interactive,
      signal,
      openBrain: () =>
        (brain ??= wake({
          home: dataRoot(env),
          env,
          logger: createLogger({
            level: debug ? "debug" : "warn",
            to: { write: (line) => void err.write(line) },
          }),
          // A command ends soon: what is left in the queue is for a process that stays.
          adoptsQueuedRuns: false,
        })),
      setExitCode: (code) => {
        exitCode = code;
      },
    };
  });

  function report(error: unknown): number {
    // Commander has said what is wrong; asking for help or the version is not a mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    const { code, message, context, suggestions } = toErrorDetail(error);
    if (program.opts<GlobalOptions>().json === true) {
      // The shape in which the HTTP API tells a problem.
      const problem: Problem = {
        error: { code, message, ...(context && { details: context }), ...(suggestions && { suggestions }) },
      };
      out.write(`${JSON.stringify(problem, null, 2)}\n`);
    }
    err.write(`mh: ${message}\n${(suggestions ?? []).map((suggestion) => `  ${suggestion}\n`).join("")}`);
    if (debug && error instanceof Error && !(error instanceof MetahumanError))
      err.write(`${error.stack ?? ""}\n`);
    return exitCodeFor(code);
  }

  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    exitCode = report(error);
  } finally {
    await (await brain?.catch(() => undefined))?.close({ graceMs: GRACE_MS });
  }
  return exitCode;
}
