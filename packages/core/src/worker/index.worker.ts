import { parentPort } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { openFunctionIndex } from "../functions/index/open-function-index.ts";
import type { FunctionIndexCalls } from "../functions/index/protocol.ts";
import { collectWhenQuiet } from "../heap/collect-when-quiet.ts";
import { openIndex } from "../memory/index/open-index.ts";
import type { IndexCalls } from "../memory/index/protocol.ts";
import { serveCalls } from "./serve-calls.ts";
import type { ThreadMessage } from "./worker-thread.ts";
import { IndexOpening } from "./index-opening.ts";

const QUIET_MS = 1_000;

/** It may be asked any time again, so nothing is lost when it fails. */
const collector = collectWhenQuiet({ quietMs: QUIET_MS, onFailure: () => undefined });

/** The thread that owns the derived databases of all open profiles: whatever it does keeps no request waiting. */
parentPort?.on("message", (message: ThreadMessage<unknown>) => {
  if (message === "end") parentPort?.close();
  else serve(IndexOpening.parse(message.opening), message.port);
});

function serve(opening: IndexOpening, port: MessagePort): void {
  port.on("message", () => collector.touch());
  switch (opening.kind) {
    case "memory":
      serveCalls<IndexCalls>(port, (onFailure) => openIndex(opening.settings, onFailure));
      return;
    case "functions":
      serveCalls<FunctionIndexCalls>(port, (onFailure) => openFunctionIndex(opening.settings, onFailure));
      return;
    default:
      opening satisfies never;
  }
}
