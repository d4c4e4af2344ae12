import type { IncomingMessage } from "node:http";
import { BodyTooLargeError, ServerBusyError } from "@metahuman/boot/errors";

/** Refuses by what the sender announces, before any of it is read. Throws `BodyTooLargeError`. */
export function checkAnnouncedLength(request: IncomingMessage, maxBytes: number): void {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
}

/** The memory that the bodies of requests take which are being answered. */
export interface BodyBudget {
  /** Counts so many bytes more. Throws `ServerBusyError` where all bodies together would exceed `maxBytes`. */
  take(bytes: number, maxBytes: number): void;
  giveBack(bytes: number): void;
}

/** A small body passes a full budget: it takes no more than the headers before it, and a sign-in is one. */
const FREE_BYTES = 4_096;

const RETRY_AFTER_MS = 5_000;

export function createBodyBudget(): BodyBudget {
  let held = 0;
  return {
    take(bytes, maxBytes) {
      if (held + bytes > maxBytes) {
        throw new ServerBusyError("The server is busy with other large requests. Try again in a moment.", {
          context: { retryAfterMs: RETRY_AFTER_MS },
        });
      }
      held += bytes;
    },
    giveBack(bytes) {
      held -= bytes;
    },
  };
}

export interface BodyLimits {
  maxBytes: number;
  /** Counts what has arrived, never what is only announced. */
  take: (bytes: number) => void;
}

/**
 * The whole body, read before any handler runs; `undefined` where a request has none. Throws `BodyTooLargeError` as
 * soon as there is too much of it, without waiting for the rest, and what `take` throws.
 */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, take }: BodyLimits,
): Promise<Buffer | undefined> {
  if (request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined)
    return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let counted = 0;
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    const owed = Math.max(0, bytes - FREE_BYTES) - counted;
    take(owed);
    counted += owed;
    chunks.push(chunk);
  };
  return new Promise((resolve, reject) => {
    const stop = () => {
      request.off("data", receive);
      request.off("end", finish);
      request.off("error", fail);
    };
    const receive = (chunk: Buffer) => {
      try {
        keep(chunk);
      } catch (error) {
        stop();
        reject(error);
      }
    };
    const finish = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const fail = (error: Error) => {
      stop();
      reject(error);
    };
    request.on("data", receive);
    request.on("end", finish);
    request.on("error", fail);
  });
}

function tooLarge(maxBytes: number): BodyTooLargeError {
  return new BodyTooLargeError(`A request may hold at most ${maxBytes} bytes.`, { context: { maxBytes } });
}
