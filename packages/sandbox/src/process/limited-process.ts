import { type ChildProcess, fork } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "@metahuman/core/paths/data-root";

/**
 * A process with an empty environment. It may read only our own code; it may not start programs or load native libraries.
 */
export interface LimitedProcess {
  /** Absent if it could not be started. */
  readonly pid: number | undefined;
  send(message: object): void;
  /** Kills the process. It is completely gone when `ended` resolves. */
  kill(): void;
  /** If true, this process does not exit while the limited one runs. */
  keepAlive(keepsAlive: boolean): void;
  readonly ended: Promise<void>;
}

export interface LimitedProcessOptions {
  /** The module to run in a thread of the process. */
  worker: URL;
  onMessage(message: unknown): void;
}

const MAIN = join(import.meta.dirname, "main.js");
/** The files that the process reads to start. The repository itself is not listed, because it may contain `profiles/`. */
const READABLE = [resolve(import.meta.dirname, "../.."), join(REPOSITORY, "node_modules")];

/**
 * Starts a limited process. It ends shortly after this process, whatever its thread is doing, on every platform that
 * Node supports.
 */
export function startLimitedProcess({ worker, onMessage }: LimitedProcessOptions): LimitedProcess {
  const program = fileURLToPath(worker);
  const child = fork(MAIN, [program], {
    env: {},
    execArgv: [
      "--permission",
      "--allow-worker",
      ...[...READABLE, dirname(program)].map((path) => `--allow-fs-read=${path}`),
      "--no-warnings",
    ],
    serialization: "json",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("message", onMessage);
  const ended = new Promise<void>((settle) => {
    child.once("exit", () => settle());
    // The process could not be started or a message could not be delivered.
    child.on("error", () => {
      if (child.pid === undefined) settle();
      else child.kill("SIGKILL");
    });
  });
  keepAlive(child, false);
  return {
    pid: child.pid,
    send(message) {
      // A message to an ended process is lost; `ended` reports the end.
      if (child.connected) child.send(message, () => undefined);
    },
    kill: () => void child.kill("SIGKILL"),
    keepAlive: (keepsAlive) => keepAlive(child, keepsAlive),
    ended,
  };
}

function keepAlive(child: ChildProcess, keepsAlive: boolean): void {
  if (keepsAlive) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
