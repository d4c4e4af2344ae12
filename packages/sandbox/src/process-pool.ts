import { SandboxCrashedError } from "@metahuman/core/errors/sandbox-errors";
import type { SandboxProcess } from "./sandbox-process.ts";

/**
 * A pool of processes, each of which serves one run at a time and starts when a run needs it. Owners (the people whose
 * runs they are) share it fairly: an owner without a process gets one at once, beyond `softLimit` if needed, up
 * to `hardLimit`. Waiting runs are served in turn: first the owner with the fewest processes, of several the one that was
 * served longest ago.
 */
export interface ProcessPool {
  /** Resolves to what `work` returns; waits while the owner's share is in use. */
  use<Result>(
    work: (process: SandboxProcess) => Promise<Result>,
    options: { owner: string; signal?: AbortSignal | undefined },
  ): Promise<Result>;
  close(): Promise<void>;
}

export interface ProcessPoolOptions {
  start(): SandboxProcess;
  /** The maximum number of processes for all owners together. */
  softLimit: number;
  /** The maximum including processes for owners who would otherwise have none. At least `softLimit`. */
  hardLimit: number;
  /** The idle time after which the processes end, in milliseconds. */
  idleMs: number;
}

interface Waiting {
  take(process: SandboxProcess): void;
  fail(error: unknown): void;
}

/** The processes and waiting runs of one owner; removed when both are empty. */
interface Share {
  running: number;
  /** The number of the last process for this owner; 0 before the first. */
  servedAt: number;
  waiting: Waiting[];
}

/** Waits for a process at the end of a queue, until the signal aborts. */
function waitInQueue(
  queue: Waiting[],
  signal: AbortSignal | undefined,
  onCancel: () => void,
): Promise<SandboxProcess> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      queue.splice(queue.indexOf(waiting), 1);
      onCancel();
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

export function createProcessPool({ start, softLimit, hardLimit, idleMs }: ProcessPoolOptions): ProcessPool {
  const all = new Set<SandboxProcess>();
  const idle: SandboxProcess[] = [];
  const shares = new Map<string, Share>();
  let served = 0;
  let isClosed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  function launch(): SandboxProcess {
    const process = start();
    all.add(process);
    return process;
  }

  function shareOf(owner: string): Share {
    const known = shares.get(owner) ?? { running: 0, servedAt: 0, waiting: [] };
    shares.set(owner, known);
    return known;
  }

  function forgetUnused(owner: string, share: Share): void {
    if (share.running === 0 && share.waiting.length === 0) shares.delete(owner);
  }

  /** Returns an idle or new process for this owner; undefined if it has to wait. */
  function acquire(share: Share): SandboxProcess | undefined {
    const inUse = all.size - idle.length;
    if (inUse >= (share.running === 0 ? hardLimit : softLimit)) return undefined;
    share.running += 1;
    share.servedAt = served += 1;
    for (let process = idle.pop(); process; process = idle.pop()) {
      if (process.isFit()) return process;
      all.delete(process);
    }
    return launch();
  }

  function waitForProcess(owner: string, signal: AbortSignal | undefined): Promise<SandboxProcess> {
    signal?.throwIfAborted();
    clearTimeout(idleTimer);
    const share = shareOf(owner);
    const process = share.waiting.length === 0 ? acquire(share) : undefined;
    if (process) return Promise.resolve(process);
    return waitInQueue(share.waiting, signal, () => forgetUnused(owner, share));
  }

  function serveWaiting(): void {
    for (;;) {
      const [next] = [...shares.values()]
        .filter(({ waiting }) => waiting.length > 0)
        .toSorted((a, b) => a.running - b.running || a.servedAt - b.servedAt);
      const process = next && acquire(next);
      if (!process) return;
      next.waiting.shift()?.take(process);
    }
  }

  function release(process: SandboxProcess, owner: string): void {
    process.keepAlive(false);
    if (isClosed) return;
    if (process.isFit() && all.size <= softLimit) idle.push(process);
    else {
      all.delete(process);
      if (process.isFit()) void process.kill();
    }
    const share = shareOf(owner);
    share.running -= 1;
    serveWaiting();
    forgetUnused(owner, share);
    if (idle.length === all.size) {
      clearTimeout(idleTimer);
      idleTimer = setTimeout(closeIdle, idleMs);
      idleTimer.unref();
    }
  }

  function closeIdle(): void {
    for (const process of idle.splice(0)) {
      all.delete(process);
      void process.kill();
    }
  }

  return {
    async use(work, { owner, signal }) {
      if (isClosed) throw new SandboxCrashedError("The sandbox is closed.");
      const process = await waitForProcess(owner, signal);
      process.keepAlive(true);
      try {
        await process.ready;
        signal?.throwIfAborted();
        return await work(process);
      } finally {
        release(process, owner);
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      for (const { waiting } of shares.values())
        for (const { fail } of waiting.splice(0)) fail(new SandboxCrashedError("The sandbox is closed."));
      await Promise.all([...all].map((process) => process.kill()));
      all.clear();
    },
  };
}
