import { Worker } from "node:worker_threads";

/*
 * The first thread of a limited process, in JavaScript because it has to start fast. It only passes messages on, and so can always end the process: the thread that
 * works may be busy for longer than anybody wants to wait.
 */
const worker = new Worker(String(process.argv[2]), {
  env: {},
  // The engine's calls nest on this stack too; its own, smaller limit must be met first.
  resourceLimits: { stackSizeMb: 32 },
});

worker.on("message", (message) => process.send?.(message));
worker.on("exit", end);
worker.on("error", end);
process.on("message", (message) => worker.postMessage(message));
process.on("disconnect", end);

/** Like this and not by `process.exit`, which waits for the other thread. */
function end() {
  process.kill(process.pid, "SIGKILL");
}
