import type { z } from "zod";
import {
  InvalidArgsError,
  InvalidRequestError,
  NotFoundError,
  plainIssue,
  UnsupportedMediaTypeError,
} from "@metahuman/boot/errors";
import { faultsIn } from "./faults.ts";

/** What a route takes, by where it stands in the request: `params`, `query`, `body`. */
export type Takes = { [Part in "params" | "query" | "body"]?: z.ZodType };

export interface Taken {
  request: Request;
  params: Record<string, string | undefined>;
  url: URL;
}

/**
 * The parsed parts of a request. An id in the path that cannot be one is a `NotFoundError`; otherwise
 * `InvalidRequestError` (400) when a shape is wrong and `InvalidArgsError` (422) when only values are, both naming every
 * field; `UnsupportedMediaTypeError` for a body that is not JSON.
 */
export async function readInput<Parts extends z.ZodObject>(
  parts: Parts,
  { request, params, url }: Taken,
): Promise<z.output<Parts>> {
  const { params: path, query, body } = parts.shape;
  const read = await parts.safeParseAsync(
    {
      ...(path && { params }),
      ...(query && { query: Object.fromEntries(url.searchParams) }),
      ...(body && { body: await readJson(request) }),
    },
    { error: plainIssue },
  );
  if (read.success) return read.data;
  if (read.error.issues.some((issue) => issue.path[0] === "params")) {
    throw new NotFoundError("There is nothing with this id.");
  }
  const faults = read.error.issues.flatMap((issue) => faultsIn(issue));
  const issues = faults.map(({ path, message }) => ({ path, message }));
  const message = `The request cannot be used: ${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")}.`;
  const facts = { context: { issues } };
  throw faults.every(({ onlyValue }) => onlyValue)
    ? new InvalidArgsError(message, facts)
    : new InvalidRequestError(message, facts);
}

/** The JSON a request carries; `undefined` for an empty body. */
async function readJson(request: Request): Promise<unknown> {
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength === 0) return undefined;
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json *(;|$)/i.test(type)) {
    throw new UnsupportedMediaTypeError("Send the body as JSON, with Content-Type: application/json.");
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it is not UTF-8";
    throw new InvalidRequestError(`The body is not JSON: ${reason}.`, { cause: error });
  }
}
