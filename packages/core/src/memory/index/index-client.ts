import { REST_AFTER_MS } from "../../worker/index-thread.ts";
import type { IndexThread } from "../../worker/index-thread.ts";
import { createWorkerClient } from "../../worker/worker-client.ts";
import type { WorkerClient, WorkerClientOptions } from "../../worker/worker-client.ts";
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
