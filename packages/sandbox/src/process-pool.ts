import { SandboxCrashedError } from "@metahuman/core/errors/sandbox-crashed-error";
import type { SandboxProcess } from "./sandbox-process.ts";

/** Hands out processes, each to one user at a time; none is started before somebody needs it. */
export interface ProcessPool {
  /** A process of one's own while `work` goes on; waits for one when all are taken. */
  use<Result>(work: (process: SandboxProcess) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

export interface ProcessPoolOptions {
  start(): SandboxProcess;
  /** The most processes at a time. */
  most: number;
  /** An idle pool ends its processes after this long, in milliseconds. */
  idleMs: number;
}

interface Waiting {
  take(process: SandboxProcess): void;
  fail(error: unknown): void;
}

export function createProcessPool({ start, most, idleMs }: ProcessPoolOptions): ProcessPool {
  const all = new Set<SandboxProcess>();
  const idle: SandboxProcess[] = [];
  const queue: Waiting[] = [];
  let closed = false;
  let resting: NodeJS.Timeout | undefined;

  function launch(): SandboxProcess {
    const process = start();
    all.add(process);
    return process;
  }

  /** The next process to use: an idle one, or one more; none when all that may be are taken. */
  function free(): SandboxProcess | undefined {
    for (let process = idle.pop(); process; process = idle.pop()) {
      if (process.isFit()) return process;
      all.delete(process);
    }
    return all.size < most ? launch() : undefined;
  }

  function take(signal: AbortSignal | undefined): Promise<SandboxProcess> {
    signal?.throwIfAborted();
    clearTimeout(resting);
    const process = free();
    if (process) return Promise.resolve(process);
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        take: (freed) => {
          signal?.removeEventListener("abort", cancel);
          resolve(freed);
        },
        fail: reject,
      };
      signal?.addEventListener("abort", cancel, { once: true });
      queue.push(waiting);
    });
  }

  function giveBack(process: SandboxProcess): void {
    process.hold(false);
    if (closed) return;
    if (process.isFit()) idle.push(process);
    else all.delete(process);
    while (queue.length > 0) {
      const next = free();
      if (!next) break;
      queue.shift()?.take(next);
    }
    if (idle.length === all.size) {
      clearTimeout(resting);
      resting = setTimeout(rest, idleMs);
      resting.unref();
    }
  }

  function rest(): void {
    for (const process of idle.splice(0)) {
      all.delete(process);
      void process.kill();
    }
  }

  return {
    async use(work, signal) {
      if (closed) throw new SandboxCrashedError("The sandbox is closed.");
      const process = await take(signal);
      process.hold(true);
      try {
        await process.ready;
        signal?.throwIfAborted();
        return await work(process);
      } finally {
        giveBack(process);
      }
    },
    async close() {
      closed = true;
      clearTimeout(resting);
      for (const waiting of queue.splice(0)) waiting.fail(new SandboxCrashedError("The sandbox is closed."));
      await Promise.all([...all].map((process) => process.kill()));
      all.clear();
    },
  };
}
