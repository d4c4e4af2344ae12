import { Session } from "node:inspector/promises";
import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

/** Sees to it that a thread with nothing to do holds no more memory than it needs. */
export interface QuietCollector {
  /** Something was asked of the thread. */
  touch(): void;
  close(): void;
}

export interface QuietCollectorOptions {
  /** How long nothing must have been asked, in milliseconds; it may take twice as long. */
  quietMs: number;
  onFailure: (error: unknown) => void;
}

/** Less is not worth stopping the thread for, in bytes. */
const WORTHWHILE = 4 * 1024 * 1024;
/** The share of time a quiet thread may be busy with work that nobody asked for. */
const BUSY = 0.2;

/**
 * Node keeps the memory that loading and a burst of work needed, a fifth of a small server's: V8 compacts its heap and
 * gives pages back only under pressure. That takes it some hundredths of a second, which nobody notices once nothing
 * was asked for a while; and it is done again only after the heap has grown.
 */
export function collectWhenQuiet({ quietMs, onFailure }: QuietCollectorOptions): QuietCollector {
  let timer: NodeJS.Timeout | undefined;
  let isTouched = false;
  let before = performance.eventLoopUtilization();
  let least = 0;

  function arm(): void {
    isTouched = false;
    before = performance.eventLoopUtilization();
    timer = setTimeout(look, quietMs).unref();
  }

  function look(): void {
    timer = undefined;
    const { utilization } = performance.eventLoopUtilization(performance.eventLoopUtilization(), before);
    if (isTouched || utilization > BUSY) arm();
    else if (getHeapStatistics().total_physical_size > least + WORTHWHILE) collect().catch(onFailure);
  }

  async function collect(): Promise<void> {
    await collectGarbage();
    least = getHeapStatistics().total_physical_size;
  }

  return {
    touch() {
      isTouched = true;
      if (!timer) arm();
    },
    close: () => clearTimeout(timer),
  };
}

/** The one way to V8's thorough collection that needs no flag. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
