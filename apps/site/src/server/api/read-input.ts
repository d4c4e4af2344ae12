import { z } from "zod";
import {
  InvalidArgsError,
  InvalidRequestError,
  nearest,
  NotFoundError,
  UnsupportedMediaTypeError,
} from "@metahuman/boot/errors";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import { faultsIn } from "./validation-issues.ts";

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
  const issues = faults.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path, message }));
  const more = faults.length - issues.length;
  const list = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  const message = `The request cannot be used: ${list}${andMore(more)}.`;
  const facts = { context: { issues, ...(more > 0 && { more }) } };
  return faults.every(({ onlyValue }) => onlyValue)
    ? new InvalidArgsError(message, facts)
    : new InvalidRequestError(message, facts);
}

/** How many problems an error names; the others are counted. */
const MAX_ISSUES = 20;

const andMore = (count: number): string => (count > 0 ? `; and ${count} more` : "");

/** How much of a name that nobody knows is said back, in characters. */
const SHOWN_NAME = 64;

/** A misspelled parameter would else be dropped in silence, and a list come back that was never narrowed. */
function refuseUnknown({ searchParams }: URL, known: readonly string[]): void {
  const unknown = [...new Set(searchParams.keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const more = Math.max(0, unknown.length - MAX_ISSUES);
  const issues = unknown.slice(0, MAX_ISSUES).map((name) => {
    const meant = nearest(name, known, 1)[0];
    const shown = name.slice(0, SHOWN_NAME);
    return {
      path: `query.${shown}`,
      message: `there is no parameter “${shown}” here${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    };
  });
  const list = issues.map(({ message }) => message).join("; ") + andMore(more);
  throw new InvalidRequestError(`The request cannot be used: ${list}${list.endsWith("?") ? "" : "."}`, {
    context: { issues, ...(more > 0 && { more }) },
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
  checkShape(new Uint8Array(bytes));
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it is not UTF-8";
    throw new InvalidRequestError(`The body is not JSON: ${reason}.`, { cause: error });
  }
}

/** How many values a body may hold: room for a thousand memories with two hundred values each. */
const MAX_VALUES = 250_000;

/** How deep its values may be nested. */
const MAX_DEPTH = 200;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Refuses JSON that takes seconds to parse, or the whole stack to check, by its commas and brackets. Throws
 * `InvalidRequestError`.
 */
function checkShape(bytes: Uint8Array): void {
  let values = 1;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === COMMA) values += 1;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) depth += 1;
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth -= 1;
    if (values > MAX_VALUES) throw new InvalidRequestError(`A body may hold at most ${MAX_VALUES} values.`);
    if (depth > MAX_DEPTH) throw new InvalidRequestError(`A body may be nested at most ${MAX_DEPTH} deep.`);
  }
}
