import { REST_AFTER_MS } from "../../index-thread/index-thread.ts";
import type { IndexThread } from "../../index-thread/index-thread.ts";
import { createWorkerClient } from "../../workers/worker-client.ts";
import type { WorkerClient, WorkerClientOptions } from "../../workers/worker-client.ts";
import type { IndexCalls, IndexSettings } from "./protocol.ts";

/** Asks the memory index. */
export type IndexClient = WorkerClient<IndexCalls>;

export interface IndexClientOptions extends Pick<
  WorkerClientOptions,
  "onWarning" | "onRestart" | "restAfterMs"
> {
  thread: IndexThread;
  settings: IndexSettings;
}

export function createIndexClient({ thread, settings, ...options }: IndexClientOptions): IndexClient {
  return createWorkerClient<IndexCalls>({
    title: "the memory index",
    restAfterMs: REST_AFTER_MS,
    connect: (events) => thread.connect({ kind: "memory", settings }, events),
    ...options,
  });
}
