import { type MessagePort, parentPort } from "node:worker_threads";
import type { FunctionIndexCalls } from "../functions/index/protocol.ts";
import { openIndex } from "../memory/index/open-index.ts";
import type { IndexCalls } from "../memory/index/protocol.ts";
import { serveCalls } from "./serve-calls.ts";
import type { ThreadMessage } from "./worker-client.ts";
import { IndexOpening } from "./index-thread.ts";

/** Owns the derived databases of all open profiles, so that their work never blocks a request. */
parentPort?.on("message", (message: ThreadMessage<unknown>) => {
  if (message === "end") parentPort?.close();
  else void serve(IndexOpening.parse(message.opening), message.port);
});

/** What the writing of a memory waits for. Several searches that wait would multiply its time. */
const WRITES = ["related", "putRecords", "removeEntries", "locate"] as const;

async function serve(opening: IndexOpening, port: MessagePort): Promise<void> {
  switch (opening.kind) {
    case "memory":
      serveCalls<IndexCalls>(port, (service) => openIndex(opening.settings, service), {
        first: WRITES,
        isShort: ({ method, params }) => method !== "putRecords" || params.length === 1,
      });
      return;
    case "functions": {
      // Loaded when it is needed, so that the memories open sooner. Calls wait in the port meanwhile.
      const { openFunctionIndex } = await import("../functions/index/open-function-index.ts");
      serveCalls<FunctionIndexCalls>(port, ({ onFailure }) => openFunctionIndex(opening.settings, onFailure));
      return;
    }
    default:
      opening satisfies never;
  }
}
