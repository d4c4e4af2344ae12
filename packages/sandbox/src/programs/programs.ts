import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import type { ProgramRule, SkillsConfig } from "@metahuman/core/contract/skills-config";
import type { WorkspaceFolders } from "@metahuman/core/workspace/folder";

/** Where programs are looked for: the system's own folders, nothing a person or a project could add to. */
const FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];

/** The complete environment of a program, without variables of this process. */
const SCRUBBED: Readonly<Record<string, string>> = {
  PATH: FOLDERS.join(":"),
  HOME: "/nonexistent",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
};

export interface ProgramCall {
  /** The program's name and its arguments; no shell ever sees them. */
  argv: readonly [string, ...string[]];
  /** Absolute. */
  cwd: string;
  env?: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** Of each of the two outputs. */
  maxOutputBytes: number;
  signal: AbortSignal;
}

export interface ProgramResult {
  /** 128 and more, as in a shell, for a program that was ended by a signal. */
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Whether the output was clipped. */
  clipped: boolean;
}

/** How long a program may take to tidy up before it is killed, in milliseconds. */
const TIDY_MS = 200;

/**
 * Runs one program to its end in a process group of its own, with nothing on its standard input. The whole group is
 * ended when the time is over (`TimeoutError`) or `signal` says so (its reason is thrown). Throws `NotFoundError` for a
 * program that is not installed.
 */
export async function runProgram(call: ProgramCall): Promise<ProgramResult> {
  const [name, ...args] = call.argv;
  call.signal.throwIfAborted();
  const file = await findProgram(name);
  call.signal.throwIfAborted();
  const stop = AbortSignal.any([call.signal, AbortSignal.timeout(call.timeoutMs)]);
  const child = spawn(file, args, {
    cwd: call.cwd,
    env: { ...SCRUBBED, ...call.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    shell: false,
    windowsHide: true,
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number>();
  child.once("error", reject);
  child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === "SIGKILL" ? 9 : 15)));
  const outputs = [collect(child.stdout, call.maxOutputBytes), collect(child.stderr, call.maxOutputBytes)];

  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    endGroup(child.pid, "SIGTERM");
    killing = setTimeout(() => endGroup(child.pid, "SIGKILL"), TIDY_MS);
  };
  stop.addEventListener("abort", end, { once: true });
  try {
    const exitCode = await ended;
    // What it started and left behind ends with it, and would otherwise keep its outputs open.
    endGroup(child.pid, "SIGKILL");
    call.signal.throwIfAborted();
    if (stop.aborted) {
      throw new TimeoutError(`${name} did not finish within ${call.timeoutMs / 1_000} s and was ended.`, {
        suggestions: ["Ask for less at once, or give it more time."],
      });
    }
    const [stdout, stderr] = await Promise.all(outputs.map(async (output) => output.text()));
    return {
      exitCode,
      stdout: stdout ?? "",
      stderr: stderr ?? "",
      clipped: outputs.some((output) => output.clipped()),
    };
  } finally {
    clearTimeout(killing);
    stop.removeEventListener("abort", end);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** The program's place, by a name without a path. */
async function findProgram(name: string): Promise<string> {
  for (const folder of /^[\w.+-]+$/u.test(name) ? FOLDERS : []) {
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() === true && (await isExecutable(file))) return file;
  }
  throw new NotFoundError(`${name} is not installed on this machine.`, { context: { program: name } });
}

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

function endGroup(pid: number | undefined, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The process has already ended.
    if (!(error instanceof Error && "code" in error && ["ESRCH", "EPERM"].includes(String(error.code))))
      throw error;
  }
}

function collect(stream: Readable, maxBytes: number) {
  const pieces: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (piece: Buffer) => {
    if (bytes < maxBytes) pieces.push(piece.subarray(0, maxBytes - bytes));
    bytes += piece.length;
  });
  const { promise: done, resolve } = Promise.withResolvers<undefined>();
  for (const event of ["end", "close", "error"]) stream.once(event, () => resolve(undefined));
  return {
    clipped: () => bytes > maxBytes,
    async text(): Promise<string> {
      await done;
      const text = new TextDecoder().decode(Buffer.concat(pieces));
      return bytes > maxBytes ? text.replace(/\uFFFD$/u, "") : text;
    },
  };
}

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
