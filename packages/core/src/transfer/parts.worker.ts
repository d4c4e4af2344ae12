import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { InvalidArgsError } from "../errors/request-errors.ts";
import type { Part } from "./parts.ts";
import type { PartsReply } from "./parts-in-worker.ts";
import { readParts } from "./read-parts.ts";

/** The maximum parts and bytes per message, so that the receiver is not blocked for long. */
const MAX_PARTS = 64;
const MAX_BYTES = 256 * 1024;

const { zipPath, ...options } = z
  .strictObject({ zipPath: z.string(), username: z.string() })
  .parse(workerData);
const parts: AsyncIterator<{ part: Part; bytes: number }, undefined> = readParts(zipPath, options);

async function nextParts(): Promise<PartsReply> {
  const found: Part[] = [];
  let bytes = 0;
  try {
    while (found.length < MAX_PARTS && bytes < MAX_BYTES) {
      const next = await parts.next();
      if (next.done) return { parts: found, isLast: true };
      found.push(next.value.part);
      bytes += next.value.bytes;
    }
    return { parts: found, isLast: false };
  } catch (error) {
    if (error instanceof InvalidArgsError) {
      const { message, suggestions } = error;
      return { refused: { message, suggestions: [...suggestions] } };
    }
    throw error;
  }
}

if (!parentPort) throw new Error("an import is read in a thread of its own");
const port = parentPort;
port.on("message", () => void nextParts().then((reply) => port.postMessage(reply)));
