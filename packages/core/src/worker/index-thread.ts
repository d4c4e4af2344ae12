import { Worker } from "node:worker_threads";
import { createWorkerThread, type WorkerThread } from "./worker-thread.ts";
import { z } from "zod";
import { FunctionIndexSettings } from "../functions/index/protocol.ts";
import { IndexSettings } from "../memory/index/protocol.ts";

/**
 * A thread for indexes. One costs some 20 MB before it does anything, so all of a process share one, and take turns on it:
 * none works longer than some milliseconds while others wait.
 */
export type IndexThread = WorkerThread<IndexOpening>;

/**
 * After so long without a call an index is closed, in milliseconds, and the thread ends with the last: it costs some
 * 20 MB, and a small index is opened again in a tenth of a second.
 */
export const REST_AFTER_MS = 45_000;

/** The one of this process. */
export const indexThread: IndexThread = createIndexThread(startIndexWorker);

/** One of its own, for tests that stop it. */
export function createIndexThread(start: () => Worker): IndexThread {
  return createWorkerThread<IndexOpening>(start);
}

/** The thread itself. */
export function startIndexWorker(): Worker {
  return new Worker(new URL("./index.worker.ts", import.meta.url), {
    name: "indexes",
    // The young generation is where an idle thread's memory goes; an index keeps little alive.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
}

/** What the index thread is asked to open. */
export const IndexOpening = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("memory"), settings: IndexSettings }),
  z.strictObject({ kind: z.literal("functions"), settings: FunctionIndexSettings }),
]);
export type IndexOpening = z.infer<typeof IndexOpening>;
