import { z } from "zod";
import {
  InvalidArgsError,
  InvalidRequestError,
  nearest,
  NotFoundError,
  UnsupportedMediaTypeError,
} from "@metahuman/boot/errors";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import { faultsIn } from "./faults.ts";

/** What a route takes, by where it stands in the request: `params`, `query`, `body`. */
export type Takes = { params?: z.ZodType; query?: z.ZodObject; body?: z.ZodType };

export interface Taken {
  request: Request;
  params: Record<string, string | undefined>;
  url: URL;
}

const partsOf = <Parts extends Takes>(takes: Parts) => z.object(takes);

/** What a route is handed of a request. */
export type Input<Parts extends Takes> = z.output<ReturnType<typeof partsOf<Parts>>>;

/**
 * Reads the parsed parts of requests. An id in the path that cannot be one is a `NotFoundError`; otherwise
 * `InvalidRequestError` (400) when a shape is wrong and `InvalidArgsError` (422) when only values are, both naming every
 * field, 400 also for a parameter that the route does not know; `UnsupportedMediaTypeError` for a body that is not JSON.
 */
export function inputReader<Parts extends Takes>(takes: Parts): (taken: Taken) => Promise<Input<Parts>> {
  const parts = partsOf(takes);
  const { params: path, query, body } = takes;
  const known = Object.keys(query?.shape ?? {});
  return async ({ request, params, url }) => {
    refuseUnknown(url, known);
    const read = await parts.safeParseAsync(
      {
        ...(path && { params }),
        ...(query && { query: Object.fromEntries(url.searchParams) }),
        ...(body && { body: await readJson(request) }),
      },
      { error: plainIssue },
    );
    if (read.success) return read.data;
    throw refusal(read.error.issues);
  };
}

function refusal(found: readonly z.core.$ZodIssue[]): Error {
  if (found.some((issue) => issue.path[0] === "params"))
    return new NotFoundError("There is nothing with this id.");
  const faults = found.flatMap((issue) => faultsIn(issue));
  const issues = faults.map(({ path, message }) => ({ path, message }));
  const message = `The request cannot be used: ${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")}.`;
  const facts = { context: { issues } };
  return faults.every(({ onlyValue }) => onlyValue)
    ? new InvalidArgsError(message, facts)
    : new InvalidRequestError(message, facts);
}

/** How much of a name that nobody knows is said back, in characters. */
const SHOWN_NAME = 64;

/** A misspelled parameter would else be dropped in silence, and a list come back that was never narrowed. */
function refuseUnknown({ searchParams }: URL, known: readonly string[]): void {
  const unknown = [...new Set(searchParams.keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const issues = unknown.map((name) => {
    const meant = nearest(name, known, 1)[0];
    const shown = name.slice(0, SHOWN_NAME);
    return {
      path: `query.${shown}`,
      message: `there is no parameter “${shown}” here${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    };
  });
  const list = issues.map(({ message }) => message).join("; ");
  throw new InvalidRequestError(`The request cannot be used: ${list}${list.endsWith("?") ? "" : "."}`, {
    context: { issues },
    suggestions: [
      known.length === 0 ? "This takes no parameters." : `The parameters are ${known.join(", ")}.`,
    ],
  });
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
