import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import type { ProgramRule, SkillsConfig } from "@metahuman/core/contract/skills-config";
import type { WorkspaceFolders } from "@metahuman/core/workspace/workspace-folders";

/** The folders of programs: only those of the system, which no person or project can add to. */
const FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];

/** The complete environment of a program, without variables of this process. */
const SCRUBBED: Readonly<Record<string, string>> = {
  PATH: FOLDERS.join(":"),
  HOME: "/nonexistent",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
};

export interface ProgramCall {
  /** The name of the program and its arguments. No shell is involved. */
  argv: readonly [string, ...string[]];
  /** The absolute path of the working directory. */
  cwd: string;
  env?: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** The limit for each of the two outputs, in bytes. */
  maxOutputBytes: number;
  signal: AbortSignal;
}

export interface ProgramResult {
  /** 128 plus the signal number, as in a shell, if a signal ended the program. */
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Whether the output was clipped. */
  clipped: boolean;
}

/** How long a program may take to clean up before it is killed, in milliseconds. */
const CLEANUP_MS = 200;

/**
 * Runs one program to its end in its own process group, with an empty standard input. Ends the whole group after the
 * time limit (`TimeoutError`) and when `signal` is aborted (throws its reason). Throws `NotFoundError` for a program
 * that is not installed.
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
    killing = setTimeout(() => endGroup(child.pid, "SIGKILL"), CLEANUP_MS);
  };
  stop.addEventListener("abort", end, { once: true });
  try {
    const exitCode = await ended;
    // Ends processes that the program left behind, which would keep its outputs open.
    endGroup(child.pid, "SIGKILL");
    call.signal.throwIfAborted();
    if (stop.aborted) {
      throw new TimeoutError(`${name} did not finish within ${call.timeoutMs / 1_000} s and was ended.`, {
        suggestions: ["Request less at once, or raise the time limit."],
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
  /** Returns the rules for each program by name; other programs are refused. */
  rules(): ReadonlyMap<string, ProgramRule>;
  /** Runs a program in a workspace folder. The caller checks the rules. */
  run(
    argv: readonly [string, ...string[]],
    options: { cwd: string; timeoutMs: number; signal: AbortSignal },
  ): Promise<ProgramResult>;
}

/** Runs programs of this machine. Reads `config` at every call. */
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
