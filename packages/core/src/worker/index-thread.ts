import { Worker, type WorkerOptions } from "node:worker_threads";
import { createWorkerThread, type WorkerThread } from "./worker-client.ts";
import { z } from "zod";
import { FunctionIndexSettings } from "../functions/index/protocol.ts";
import { IndexSettings } from "../memory/index/protocol.ts";

/**
 * The thread for indexes. A thread costs about 20 MB, so all indexes of a process share one. Each works a few milliseconds
 * at a time, so that the others can run.
 */
export type IndexThread = WorkerThread<IndexOpening>;

/**
 * The time without a call after which an index closes, in milliseconds. The thread ends with its last index, which frees
 * about 20 MB; reopening a small index takes 0.1 s.
 */
export const IDLE_TIMEOUT_MS = 45_000;

/** The index thread of this process. */
export const indexThread: IndexThread = createIndexThread(startIndexWorker);

/** Creates a separate thread, for tests that stop it. */
export function createIndexThread(start: () => Worker): IndexThread {
  return createWorkerThread<IndexOpening>(start);
}

/** An idle thread's memory is mostly its young generation; an index keeps few objects alive. */
export const INDEX_THREAD_OPTIONS: WorkerOptions = {
  name: "indexes",
  resourceLimits: { maxYoungGenerationSizeMb: 8 },
};

export function startIndexWorker(): Worker {
  return new Worker(new URL("./index.worker.ts", import.meta.url), INDEX_THREAD_OPTIONS);
}

/** The index to open on the thread. */
export const IndexOpening = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("memory"), settings: IndexSettings }),
  z.strictObject({ kind: z.literal("functions"), settings: FunctionIndexSettings }),
]);
export type IndexOpening = z.infer<typeof IndexOpening>;
