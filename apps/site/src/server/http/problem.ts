import { z } from "zod";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { displayPath } from "@metahuman/core/paths/data-root";
import type { ErrorDetail, Problem, ErrorCode } from "@metahuman/core/contract/problem";
import type { Logger } from "@metahuman/core/log/logger";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { securityHeaderLines } from "./security-headers.ts";

/** The HTTP status of every error code. */
const problemStatus = {
  INVALID_REQUEST: 400,
  NOT_SIGNED_IN: 401,
  SESSION_EXPIRED: 401,
  WRONG_CREDENTIALS: 401,
  FORBIDDEN: 403,
  FORBIDDEN_ORIGIN: 403,
  FORBIDDEN_HOST: 403,
  POLICY_DENIED: 403,
  APPROVAL_DENIED: 403,
  PERMISSION_DENIED: 403,
  PATH_OUTSIDE_WORKSPACE: 403,
  NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  MEMORY_NOT_FOUND: 404,
  FUNCTION_NOT_FOUND: 404,
  SKILL_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  ALREADY_EXISTS: 409,
  CONFLICT: 409,
  STALE_VERSION: 409,
  CANCELLED: 409,
  LOOP_DETECTED: 409,
  OUTCOME_UNKNOWN: 409,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INVALID_ARGS: 422,
  PLAN_INVALID: 422,
  SANDBOX_TIMEOUT: 422,
  SANDBOX_MEMORY: 422,
  SANDBOX_STACK: 422,
  SANDBOX_OUTPUT: 422,
  SANDBOX_CALLS: 422,
  SANDBOX_CRASHED: 422,
  FUNCTION_ERROR: 422,
  RATE_LIMITED: 429,
  UNEXPECTED_ERROR: 500,
  CONFIG_INVALID: 500,
  IMPORT_INCOMPLETE: 500,
  STORAGE_CORRUPT: 500,
  STORAGE_NEWER: 500,
  PORT_TAKEN: 500,
  NETWORK_ERROR: 502,
  MODEL_UNAVAILABLE: 503,
  SERVER_BUSY: 503,
  STORAGE_READ_ONLY: 503,
  STORAGE_UNAVAILABLE: 503,
  TIMEOUT: 504,
  QUOTA_EXCEEDED: 507,
  STORAGE_FULL: 507,
} satisfies Record<ErrorCode, number>;

/** A problem response. It never contains a stack or a cause. */
interface ProblemResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Problem;
}

const Wait = z.object({ retryAfterMs: z.number().nonnegative() });
const Methods = z.object({ allow: z.array(z.string()) });

/** Converts any thrown value to a problem response with the status of its code. */
export function toProblem(error: unknown): ProblemResponse {
  const { code, message, context, suggestions } = withoutServerPath(toErrorDetail(error));
  return {
    status: problemStatus[code],
    headers: headersFor(code, context),
    body: {
      error: {
        code,
        message,
        ...(context !== undefined && { details: context }),
        ...(suggestions !== undefined && { suggestions }),
      },
    },
  };
}

/** Replaces the absolute path in a configuration error, which only the terminal shows, by the path relative to the data root. */
function withoutServerPath(detail: ErrorDetail): ErrorDetail {
  const file = z.object({ file: z.string() }).safeParse(detail.context).data?.file;
  if (file === undefined) return detail;
  const shown = displayPath(file);
  return {
    ...detail,
    message: detail.message.replaceAll(file, shown),
    context: { ...detail.context, file: shown },
  };
}

function headersFor(code: ErrorDetail["code"], context: ErrorDetail["context"]): Record<string, string> {
  if (code === "RATE_LIMITED" || code === "SERVER_BUSY" || code === "STORAGE_UNAVAILABLE") {
    const wait = Wait.safeParse(context);
    return {
      "Retry-After": String(wait.success ? Math.max(1, Math.ceil(wait.data.retryAfterMs / 1_000)) : 60),
    };
  }
  if (code === "METHOD_NOT_ALLOWED") {
    const methods = Methods.safeParse(context);
    return methods.success ? { Allow: methods.data.allow.join(", ") } : {};
  }
  if (code === "NOT_SIGNED_IN" || code === "SESSION_EXPIRED") return { "WWW-Authenticate": "Bearer" };
  return {};
}

/** The problem response as a `Response`. Logs unexpected errors with their stack. */
export function problemResponse(error: unknown, log: Pick<Logger, "error">): Response {
  const { status, headers, body } = toProblem(error);
  if (status === 500) log.error({ err: error }, body.error.message);
  return Response.json(body, { status, headers });
}

/** The limits for reading and discarding a rejected body, so that its sender can read the response. */
const MAX_DRAINED_BYTES = 256 * 1024 * 1024;
const MAX_DRAIN_MS = 10_000;

/**
 * Sends the problem at once, even if the body has not arrived completely, and returns the status. The connection stays open
 * for the rest of the body: closing it would reset it, and the sender would never read the response.
 */
export function sendProblem(request: IncomingMessage, response: ServerResponse, error: unknown): number {
  const { status, headers, body } = toProblem(error);
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
  let left = MAX_DRAINED_BYTES;
  const abort = () => request.socket.destroy();
  const timer = setTimeout(abort, MAX_DRAIN_MS);
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) abort();
  });
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
}

/** Responds to a request that Node could not parse or that timed out, and closes the connection. */
export function handleClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = clientErrorReason(error.code);
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

function clientErrorReason(code: string | undefined): { status: string; code: string; message: string } {
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
