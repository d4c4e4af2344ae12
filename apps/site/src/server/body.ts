import type { IncomingMessage } from "node:http";
import { BodyTooLargeError } from "@metahuman/boot/errors";

/** Refuses by what the sender announces, before any of it is read. Throws `BodyTooLargeError`. */
export function checkAnnouncedLength(request: IncomingMessage, maxBytes: number): void {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
}

/**
 * The whole body, read before any handler runs; `undefined` where a request has none. Throws `BodyTooLargeError` as
 * soon as there is too much of it, without waiting for the rest.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined)
    return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const stop = () => {
      request.off("data", take);
      request.off("end", finish);
      request.off("error", fail);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return void chunks.push(chunk);
      stop();
      reject(tooLarge(maxBytes));
    };
    const finish = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const fail = (error: Error) => {
      stop();
      reject(error);
    };
    request.on("data", take);
    request.on("end", finish);
    request.on("error", fail);
  });
}

function tooLarge(maxBytes: number): BodyTooLargeError {
  return new BodyTooLargeError(`A request may hold at most ${maxBytes} bytes.`, { context: { maxBytes } });
}
