import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { type DocumentKind, DocumentChunks } from "./document.ts";

/** The memory limit for one file. */
const LIMITS = { maxOldGenerationSizeMb: 256 };
const MAX_MS = 60_000;

/**
 * Calls `readDocument` in a worker. Rejects a file that takes too much time or memory. Rejects with the signal's
 * reason.
 */
export async function readInWorker(
  kind: DocumentKind,
  text: string,
  signal: AbortSignal,
): Promise<DocumentChunks> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./document.worker.ts", import.meta.url), {
    workerData: { kind, text },
    resourceLimits: LIMITS,
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
  try {
    const messages: unknown = await once(worker, "message", { signal: limit });
    return z.tuple([DocumentChunks]).parse(messages)[0];
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { refused: "it takes too long to read" };
    if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
      return { refused: "it takes too much memory to read" };
    throw error;
  } finally {
    await worker.terminate();
  }
}
