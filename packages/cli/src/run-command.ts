import { CommanderError } from "commander";
import type { Readable, Writable } from "node:stream";
import type { Brain } from "@metahuman/boot/brain";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { dataRoot } from "@metahuman/core/paths/data-root";
import { createLogger } from "@metahuman/core/log/logger";
import { version } from "@metahuman/boot/version";
import { createBrain } from "@metahuman/boot/create-brain";
import type { Problem } from "@metahuman/core/contract/problem";
import { exitCodeFor, ExitCode } from "./exit-code.ts";
import { showHiddenCharacters } from "@metahuman/core/text/hidden-characters";
import { createOutput, usageSentence, type Streams } from "./output.ts";
import { createProgram } from "./program.ts";
import type { GlobalOptions } from "./session.ts";

/** The grace period for running skills when the command ends, in milliseconds. */
const GRACE_MS = 2_000;

/** The process and terminal of a command line. */
export interface ProgramEnvironment extends Streams {
  env: Readonly<Record<string, string | undefined>>;
  /** Standard input. */
  input: Readable;
  /** Whether prompts can be shown. */
  interactive: boolean;
  /** Where prompts are drawn. Default: the terminal of this process. */
  screen?: Writable | undefined;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Runs a command line, given as the arguments after `mh`, and resolves to its exit code. Reports errors instead of throwing. */
export async function runCommand(args: readonly string[], environment: ProgramEnvironment): Promise<number> {
  const { env, input, interactive, screen, signal, out, err } = environment;
  let brain: Promise<Brain> | undefined;
  let isDebug = false;
  let exitCode: number = ExitCode.ok;

  const program = createProgram(version(), environment, (options: GlobalOptions) => {
    isDebug = options.debug ?? false;
    return {
      options,
      output: createOutput(options.json ?? false, environment),
      env,
      input,
      interactive,
      screen,
      signal,
      openBrain: () =>
        (brain ??= createBrain({
          home: dataRoot(env),
          env,
          logger: createLogger({
            level: isDebug ? "debug" : "warn",
            to: { write: (line) => void err.write(line) },
          }),
          // A command is short-lived: it leaves queued runs to a server.
          adoptsQueuedRuns: false,
        })),
      setExitCode: (code) => {
        exitCode = code;
      },
    };
  });

  function report(error: unknown): number {
    // Commander has already printed its error. Help and version exit with code 0.
    const isUsage = error instanceof CommanderError;
    if (isUsage && error.exitCode === 0) return ExitCode.ok;
    if (isUsage && error.code === "commander.help") return ExitCode.usage;
    const detail = toErrorDetail(isUsage ? new InvalidRequestError(usageSentence(error.message)) : error);
    const { code, message, context, suggestions } = detail;
    if (program.opts<GlobalOptions>().json === true) {
      // The same shape as an error of the HTTP API.
      const problem: Problem = {
        error: { code, message, ...(context && { details: context }), ...(suggestions && { suggestions }) },
      };
      out.write(`${JSON.stringify(problem, null, 2)}\n`);
    }
    if (isUsage) return ExitCode.usage;
    const lines = [`mh: ${message}`, ...(suggestions ?? []).map((suggestion) => `  ${suggestion}`)];
    err.write(`${showHiddenCharacters(lines.join("\n"))}\n`);
    if (isDebug && error instanceof Error && !(error instanceof MetahumanError))
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
  return signal.aborted ? ExitCode.interrupted : exitCode;
}
