import { availableParallelism } from "node:os";
import { FunctionError } from "@metahuman/core/errors/sandbox-errors";
import { createProcessPool } from "./process-pool.ts";
import type { Program } from "./protocol.ts";
import {
  type FunctionRun,
  type OpenedSandbox,
  type Sandbox,
  type TestRun,
  DEFAULT_LIMITS,
} from "./sandbox.ts";
import { startSandboxProcess } from "./sandbox-process.ts";

export interface SandboxOptions {
  /** The maximum number of concurrent runs; further ones wait. Default: the number of processors, between 2 and 4. */
  softLimit?: number;
  /** The maximum including runs of owners who have none in progress. Default: 16. */
  hardLimit?: number;
  /** The idle time after which processes end, in milliseconds. */
  idleMs?: number;
}

/** The sandbox of this process. Its processes end when idle, or with this one. */
export const sandbox: Sandbox = openSandbox();

/** Opens a sandbox. A process starts when a run finds none free. */
export function openSandbox(options: SandboxOptions = {}): OpenedSandbox {
  const softLimit = options.softLimit ?? Math.min(4, Math.max(2, availableParallelism()));
  const pool = createProcessPool({
    start: startSandboxProcess,
    softLimit,
    hardLimit: Math.max(softLimit, options.hardLimit ?? 16),
    idleMs: options.idleMs ?? 5 * 60_000,
  });

  const execute = (run: FunctionRun | TestRun, more: Pick<Program, "parameters" | "tests" | "module">) =>
    pool.use(
      (process) =>
        process.run({ skills: run.skills, limits: { ...DEFAULT_LIMITS, ...run.limits }, ...more }, run),
      { owner: `${run.owner ?? ""}${run.depth ? `/${run.depth}` : ""}`, signal: run.signal },
    );

  return {
    async run(run) {
      const parameters = JSON.stringify(run.parameters);
      const { result, logs, hostCalls, durationMs } = await execute(run, { module: run.module, parameters });
      return { result, logs, hostCalls, durationMs };
    },
    async test(run) {
      const { module, tests } = run;
      if (!tests) throw new FunctionError("The code has no tests.");
      const { assertions, afterMain, logs, durationMs } = await execute(run, { module, tests });
      return { assertions, afterMain, logs, durationMs };
    },
    close: () => pool.close(),
  };
}
