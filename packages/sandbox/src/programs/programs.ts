import type { ProgramRule, SkillsConfig } from "@metahuman/core/contract/skills-config";
import type { WorkspaceFolders } from "@metahuman/core/workspace/folders";
import { type ProgramResult, runProgram } from "./run-program.ts";

export interface Programs {
  /** How each program may be called, by name; what is not there may not be called. */
  rules(): ReadonlyMap<string, ProgramRule>;
  /** Runs a program in a workspace folder. Whether it may be called like this is its caller's to check. */
  run(
    argv: readonly [string, ...string[]],
    options: { cwd: string; timeoutMs: number; signal: AbortSignal },
  ): Promise<ProgramResult>;
}

/** The programs of this machine; `config` is read at every call. */
export function createPrograms(folders: WorkspaceFolders, config: () => SkillsConfig["shell"]): Programs {
  return {
    rules: () => new Map(Object.entries(config().programs).filter(([, rule]) => rule.enabled)),
    run: (argv, { cwd, timeoutMs, signal }) =>
      folders.within(
        cwd,
        (folder) =>
          runProgram({
            argv,
            cwd: folder.cwd,
            timeoutMs,
            maxOutputBytes: config().maxOutputBytes,
            signal,
          }),
        signal,
      ),
  };
}
