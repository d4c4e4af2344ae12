import { availableParallelism } from "node:os";
import { FunctionError } from "@metahuman/core/errors/sandbox-errors";
import { createProcessPool } from "./process-pool.ts";
import type { Program } from "./protocol.ts";
import { type FunctionRun, type OpenedSandbox, type Sandbox, type TestRun, USUAL_LIMITS } from "./sandbox.ts";
import { startSandboxProcess } from "./sandbox-process.ts";

export interface SandboxOptions {
  /** The most runs at a time; further ones wait. As many as the machine has processors, 2 to 4, when left out. */
  most?: number;
  /** The most runs at a time with those of owners who have none running; 16 when left out. */
  ceiling?: number;
  /** Idle processes are ended after this long, in milliseconds. */
  idleMs?: number;
}

/** The one of this process: its own processes end when they rest, or with this one. */
export const sandbox: Sandbox = openSandbox();

/** Opens a sandbox; a process is started by the first run that finds none free. */
export function openSandbox(options: SandboxOptions = {}): OpenedSandbox {
  const most = options.most ?? Math.min(4, Math.max(2, availableParallelism()));
  const pool = createProcessPool({
    start: startSandboxProcess,
    most,
    ceiling: Math.max(most, options.ceiling ?? 16),
    idleMs: options.idleMs ?? 5 * 60_000,
  });

  const carryOut = (run: FunctionRun | TestRun, more: Pick<Program, "parameters" | "tests" | "module">) =>
    pool.use(
      (process) =>
        process.run({ skills: run.skills, limits: { ...USUAL_LIMITS, ...run.limits }, ...more }, run),
      { owner: `${run.owner ?? ""}${run.depth ? `/${run.depth}` : ""}`, signal: run.signal },
    );

  return {
    async run(run) {
      const parameters = JSON.stringify(run.parameters);
      const { result, logs, hostCalls, durationMs } = await carryOut(run, { module: run.module, parameters });
      return { result, logs, hostCalls, durationMs };
    },
    async test(run) {
      const { module, tests } = run;
      if (!tests) throw new FunctionError("The code has no tests.");
      const { assertions, afterMain, logs, durationMs } = await carryOut(run, { module, tests });
      return { assertions, afterMain, logs, durationMs };
    },
    close: () => pool.close(),
  };
}
