import type { Logger } from "@metahuman/boot/log";
import { problemOf } from "../http/problem.ts";

/** A thrown value as an answer. What nobody expected goes to the log with its stack; the answer never holds it. */
export function problemResponse(error: unknown, log: Pick<Logger, "error">): Response {
  const { status, headers, body } = problemOf(error);
  if (status === 500) log.error({ err: error }, body.error.message);
  return Response.json(body, { status, headers });
}
