import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { type ProgramResult, runProgram } from "../programs/programs.ts";

export interface GitCall {
  /** The absolute path of the working directory. */
  cwd: string;
  /** Absolute paths of folders above which git searches no repository. */
  ceiling: string;
  maxOutputBytes: number;
  signal: AbortSignal;
  /** The person's home folder, for calls that read their identity. */
  home?: string;
  env?: Readonly<Record<string, string>>;
}

/** Overrides for settings of a repository that would run a program, connect to a server or call a hook. */
const OVERRIDES: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.pager": "cat",
  "core.quotePath": "false",
  "core.editor": "true",
  "core.askPass": "true",
  "core.sshCommand": "false",
  "core.attributesFile": "/dev/null",
  "commit.gpgSign": "false",
  "log.showSignature": "false",
  "status.submoduleSummary": "false",
  "submodule.recurse": "false",
  "diff.ignoreSubmodules": "all",
  "protocol.allow": "never",
  "gc.auto": "0",
  "maintenance.auto": "false",
};
/** Settings with names that a repository chooses: content filters (`.gitattributes` names them). */
const FILTER = /^filter\.(?<name>[\s\S]+)\.(?<part>clean|smudge|process|required)$/u;
/**
 * Commands that read no file of the work tree, so that content filters cannot run in them. No command that writes the index is one
 * of these: git then reads files again that changed in the same moment or later, and converts them.
 */
const READS_NO_FILES: ReadonlySet<string> = new Set(["commit-tree", "config", "rev-parse", "update-ref"]);
const TIMEOUT_MS = 25_000;

/**
 * Runs git without executing anything from the repository: hooks, fsmonitor, content filters, external diff,
 * textconv, signing, credential helpers and transports are off. The configuration of the system and of the user is
 * not read.
 */
export async function hardenedGit(
  args: readonly [command: string, ...rest: string[]],
  call: GitCall,
): Promise<ProgramResult> {
  if (READS_NO_FILES.has(args[0])) return await run(args, call);
  const settings = new Map(Object.entries(OVERRIDES));
  for (const name of await filterSettings(call))
    settings.set(name, name.endsWith(".required") ? "false" : "");
  return await run(args, call, settings);
}

/** Returns the names of all settings of the repository that define content filters. Reading them runs nothing. */
async function filterSettings(call: GitCall): Promise<string[]> {
  const { exitCode, stdout, clipped } = await run(["config", "--list", "--name-only", "-z"], {
    ...call,
    maxOutputBytes: 1_000_000,
  });
  if (clipped)
    throw new InvalidArgsError("The repository has too many settings to check, so git is not run in it.");
  return exitCode === 0 ? stdout.split("\0").filter((name) => FILTER.test(name)) : [];
}

/** Reads a setting from the user's configuration only; undefined if it is not set. */
export async function userSetting(
  name: string,
  call: GitCall & { home: string },
): Promise<string | undefined> {
  const { exitCode, stdout } = await runProgram({
    argv: ["git", "config", "--global", "--includes", "--get", name],
    cwd: call.cwd,
    env: { HOME: call.home, GIT_CONFIG_NOSYSTEM: "1" },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 10_000,
    signal: call.signal,
  });
  return exitCode === 0 ? stdout.trim() || undefined : undefined;
}

function run(
  args: readonly string[],
  call: GitCall,
  settings: ReadonlyMap<string, string> = new Map(Object.entries(OVERRIDES)),
): Promise<ProgramResult> {
  // Passed by environment instead of `-c`, because names may contain any character.
  const configEntries = [...settings].flatMap(([name, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return runProgram({
    argv: ["git", "--no-pager", "--literal-pathspecs", "--no-replace-objects", ...args],
    cwd: call.cwd,
    env: {
      ...call.env,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_CEILING_DIRECTORIES: call.ceiling,
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
      GIT_ALLOW_PROTOCOL: "none",
      GIT_NO_LAZY_FETCH: "1",
      GIT_CONFIG_COUNT: String(settings.size),
      ...Object.fromEntries(configEntries),
    },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: call.maxOutputBytes,
    signal: call.signal,
  });
}

export const DIFF_OPTIONS = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-renames",
  "--ignore-submodules=all",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

/** Returns git's output. Throws `InvalidArgsError` with git's message, which a planner can correct. */
export async function runGit(
  args: readonly [command: string, ...rest: string[]],
  { call, path }: { call: GitCall; path: string },
  maxBytes?: number,
): Promise<ProgramResult> {
  const result = await hardenedGit(args, {
    ...call,
    ...(maxBytes !== undefined && { maxOutputBytes: maxBytes }),
  });
  if (result.exitCode === 0) return result;
  throw gitFailure(path, result);
}

/** The error of a git command, with the first line that git printed. */
export function gitFailure(path: string, { stderr, exitCode }: ProgramResult): InvalidArgsError {
  const firstLine = stderr.trim().split("\n")[0]?.slice(0, 300) ?? "";
  return new InvalidArgsError(
    `Git failed in ${path}/: ${firstLine === "" ? `code ${exitCode}` : firstLine}`,
    {
      context: { repository: path },
    },
  );
}
