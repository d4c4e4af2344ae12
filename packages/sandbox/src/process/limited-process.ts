import { type ChildProcess, fork } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "@metahuman/core/paths/data-root";

/** A process with an empty environment, no files but our own code, no programs, no native libraries. */
export interface LimitedProcess {
  /** Absent when it could not be started. */
  readonly pid: number | undefined;
  send(message: object): void;
  /** Ends it at once; nothing of it is left when `ended` resolves. */
  kill(): void;
  /** Whether it keeps this process alive. */
  hold(held: boolean): void;
  readonly ended: Promise<void>;
}

export interface LimitedProcessOptions {
  /** The module that does the work, in a thread of the process. */
  worker: URL;
  onMessage(message: unknown): void;
}

const MAIN = join(import.meta.dirname, "main.js");
/** What the process has to read to start; people's data may lie in the repository too, and is not among it. */
const READABLE = [resolve(import.meta.dirname, "../.."), join(REPOSITORY, "node_modules")];

/**
 * Starts one. It ends by itself, within a moment and whatever its thread is busy with, when this process is gone.
 * Works alike on every platform that Node runs on.
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
    // Could not be started, or a message could not be delivered: either way it is of no more use.
    child.on("error", () => {
      if (child.pid === undefined) settle();
      else child.kill("SIGKILL");
    });
  });
  hold(child, false);
  return {
    pid: child.pid,
    send(message) {
      // A message to an ended process is lost; `ended` reports the end.
      if (child.connected) child.send(message, () => undefined);
    },
    kill: () => void child.kill("SIGKILL"),
    hold: (held) => hold(child, held),
    ended,
  };
}

function hold(child: ChildProcess, held: boolean): void {
  if (held) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
