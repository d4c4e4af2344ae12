import { Worker } from "node:worker_threads";
import { createWorkerClient } from "../../workers/worker-client.ts";
import type { WorkerClient, WorkerClientOptions } from "../../workers/worker-client.ts";
import type { IndexCalls, IndexSettings } from "./protocol.ts";

/** Asks the index worker. */
export type IndexClient = WorkerClient<IndexCalls>;

export interface IndexClientOptions extends Pick<WorkerClientOptions, "onWarning" | "onRestart"> {
  settings: IndexSettings;
  /** How a worker is started; only tests give their own. */
  start?: ((settings: IndexSettings) => Worker) | undefined;
}

export function createIndexClient({
  settings,
  start = startIndexWorker,
  ...options
}: IndexClientOptions): IndexClient {
  return createWorkerClient<IndexCalls>({
    title: "the memory index",
    start: () => start(settings),
    ...options,
  });
}

/** The index worker itself. */
export function startIndexWorker(settings: IndexSettings): Worker {
  return new Worker(new URL("./index.worker.ts", import.meta.url), {
    name: "memory-index",
    workerData: settings,
    // The young generation is where an idle thread's memory goes; the index keeps little alive.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
}
