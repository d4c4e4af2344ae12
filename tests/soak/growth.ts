import type { ClockReport } from "./clock-report.ts";
import { readdir } from "node:fs/promises";
import { Session as InspectorSession } from "node:inspector/promises";

/** The maximum growth between the second and the last measurement, in bytes. */
const MAX_HEAP_GROWTH = 24_000_000;
const MAX_HANDLES_GROWTH = 4;

/** Finds leaks by comparing the resources of the idle process over time. */
export class Growth {
  #held: { heap: number; handles: number }[] = [];

  async measure(): Promise<void> {
    this.#held.push({ heap: await heapInUse(), handles: await openHandles() });
  }

  /** Adds the growth to the report, and to its problems if it is too large. */
  inspect({ done, problems }: ClockReport): void {
    const [first, last] = [this.#held[1] ?? this.#held[0], this.#held.at(-1)];
    if (!first || !last) return;
    const heap = last.heap - first.heap;
    const handles = last.handles - first.handles;
    done["bytes of heap added"] = heap;
    done["handles added"] = handles;
    if (heap > MAX_HEAP_GROWTH) problems.push(`the heap grew by ${String(heap)} bytes`);
    if (handles > MAX_HANDLES_GROWTH) problems.push(`${String(handles)} more handles are open`);
  }
}

/** The heap size in bytes after a garbage collection. */
async function heapInUse(): Promise<number> {
  const session = new InspectorSession();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
  return process.memoryUsage().heapUsed;
}

/** The number of open files and sockets if the system lists them, otherwise of active resources of Node. */
async function openHandles(): Promise<number> {
  return process.platform === "linux"
    ? (await readdir("/proc/self/fd")).length
    : process.getActiveResourcesInfo().length;
}
