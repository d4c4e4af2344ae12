import type { IncomingMessage, ServerResponse } from "node:http";
import { problemOf } from "./problem.ts";

/** How much of a refused body is read and dropped, so that its sender gets to read the answer, and for how long. */
const LINGER_BYTES = 256 * 1024 * 1024;
const LINGER_MS = 10_000;

/**
 * Answers with the problem at once, however much of the request is still to come. Closing at once would reset the
 * connection, and a sender still busy with its body would never see why. Returns the status.
 */
export function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): number {
  const { status, headers, body } = problemOf(error);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(request.method === "HEAD" ? undefined : text);
  if (!request.complete) drain(request);
  return status;
}

function drain(request: IncomingMessage): void {
  let left = LINGER_BYTES;
  const giveUp = () => request.socket.destroy();
  const timer = setTimeout(giveUp, LINGER_MS);
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) giveUp();
  });
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
}
