import type { Duplex } from "node:stream";
import { securityHeaderLines } from "./security-headers.ts";

/** Answers what Node could not read as HTTP, or what did not arrive in time, and closes the connection. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = reasonFor(error.code);
  const body = JSON.stringify({ error: { code, message } });
  const head = [
    `HTTP/1.1 ${status}`,
    ...securityHeaderLines,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function reasonFor(code: string | undefined): { status: string; code: string; message: string } {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: "408 Request Timeout",
        code: "TIMEOUT",
        message: "The request did not arrive in time.",
      };
    case "HPE_HEADER_OVERFLOW":
      return {
        status: "431 Request Header Fields Too Large",
        code: "INVALID_REQUEST",
        message: "The headers are too large.",
      };
    default:
      return { status: "400 Bad Request", code: "INVALID_REQUEST", message: "This is not an HTTP request." };
  }
}
