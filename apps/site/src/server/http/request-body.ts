import type { IncomingMessage } from "node:http";
import { BodyTooLargeError } from "@metahuman/core/errors/request-errors";
import { ServerBusyError } from "@metahuman/core/errors/service-errors";

/** Checks `Content-Length` before the body is read. Throws `BodyTooLargeError`. */
export function checkAnnouncedLength(request: IncomingMessage, maxBytes: number): void {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
}

/** Limits the memory for the bodies of all requests in flight. */
export interface BodyBudget {
  /** Throws `ServerBusyError` if all bodies together would exceed `maxBytes`. */
  reserve(bytes: number, maxBytes: number): void;
  release(bytes: number): void;
}

/** The first bytes of a body do not count, so that a sign-in works while the budget is used up. */
const FREE_BYTES = 4_096;

const RETRY_AFTER_MS = 5_000;

export function createBodyBudget(): BodyBudget {
  let bufferedBytes = 0;
  return {
    reserve(bytes, maxBytes) {
      if (bufferedBytes + bytes > maxBytes) {
        throw new ServerBusyError("The server is busy with other large requests. Try again in a moment.", {
          context: { retryAfterMs: RETRY_AFTER_MS },
        });
      }
      bufferedBytes += bytes;
    },
    release(bytes) {
      bufferedBytes -= bytes;
    },
  };
}

export interface BodyLimits {
  maxBytes: number;
  /** Called with the bytes that have arrived. */
  reserve: (bytes: number) => void;
}

/**
 * Reads the whole body; `undefined` if the request has none. Throws `BodyTooLargeError` as soon as the body exceeds
 * the limit, and what `reserve` throws.
 */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, reserve }: BodyLimits,
): Promise<Buffer | undefined> {
  if (request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined)
    return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let counted = 0;
  const append = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    const uncountedBytes = Math.max(0, bytes - FREE_BYTES) - counted;
    reserve(uncountedBytes);
    counted += uncountedBytes;
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
        append(chunk);
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
  return new BodyTooLargeError(`A request can have at most ${maxBytes} bytes.`, { context: { maxBytes } });
}
