import { Worker } from "node:worker_threads";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { systemCode } from "../errors/node-error.ts";
import type { Part } from "./parts.ts";

/** A message of the worker: the next parts, or the reason for rejecting the zip. */
export type PartsReply =
  | { parts: Part[]; isLast: boolean }
  | { refused: { message: string; suggestions: string[] } };

/** The memory limit for reading: one part of maximum size, unpacked and parsed. */
const LIMITS = { maxOldGenerationSizeMb: 1_024 };

export interface PartsOptions {
  username: string;
  signal: AbortSignal;
}

/** `readParts` off the event loop. Rejects with the signal's reason when aborted. */
export async function* partsInWorker(
  zipPath: string,
  { signal, ...options }: PartsOptions,
): AsyncGenerator<Part> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./parts.worker.ts", import.meta.url), {
    name: "import",
    workerData: { zipPath, ...options },
    resourceLimits: LIMITS,
  });
  const stopped = Promise.withResolvers<never>();
  worker.once("error", stopped.reject);
  worker.once("exit", () => stopped.reject(new Error("The import's thread stopped.")));
  const abort = (): void => stopped.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  // A rejection while waiting for parts is handled there; a later one follows the end.
  stopped.promise.catch(() => undefined);
  try {
    for (let isLast = false; !isLast;) {
      const next = new Promise<PartsReply>((resolve) => worker.once("message", resolve));
      worker.postMessage("next");
      const reply = await Promise.race([next, stopped.promise]);
      if ("refused" in reply)
        throw new InvalidArgsError(reply.refused.message, { suggestions: reply.refused.suggestions });
      yield* reply.parts;
      ({ isLast } = reply);
    }
  } catch (error) {
    if (systemCode(error) !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
    throw new InvalidArgsError("This file cannot be imported: a part of it takes too much memory to read.");
  } finally {
    signal.removeEventListener("abort", abort);
    await worker.terminate();
  }
}
