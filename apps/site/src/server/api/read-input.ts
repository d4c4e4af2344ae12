import { z } from "zod";
import {
  InvalidArgsError,
  InvalidRequestError,
  UnsupportedMediaTypeError,
} from "@metahuman/core/errors/request-errors";
import { nearest } from "@metahuman/core/errors/nearest";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import { issueSentence } from "@metahuman/core/text/issue-sentence";
import { formatCount } from "@metahuman/core/text/format";

/** The schemas of the parts of a request. */
export type InputSchemas = { params?: z.ZodType; query?: z.ZodObject; body?: z.ZodType };

export interface RequestParts {
  request: Request;
  params: Record<string, string | undefined>;
  url: URL;
}

const inputSchema = <Parts extends InputSchemas>(schemas: Parts) => z.object(schemas);

/** The parsed parts that a handler receives. */
export type Input<Parts extends InputSchemas> = z.output<ReturnType<typeof inputSchema<Parts>>>;

/**
 * Creates a function that parses the parts of a request. It throws `NotFoundError` for a malformed id in the path,
 * `InvalidRequestError` (400) for a wrong shape or an unknown query parameter, `InvalidArgsError` (422) if only values are
 * wrong, and `UnsupportedMediaTypeError` for a body that is not JSON. Both validation errors name every field.
 */
export function createInputReader<Parts extends InputSchemas>(
  schemas: Parts,
): (parts: RequestParts) => Promise<Input<Parts>> {
  const schema = inputSchema(schemas);
  const { params: path, query, body } = schemas;
  const known = Object.keys(query?.shape ?? {});
  return async ({ request, params, url }) => {
    rejectUnknownParameters(url, known);
    const read = await schema.safeParseAsync(
      {
        ...(path && { params }),
        ...(query && { query: Object.fromEntries(url.searchParams) }),
        ...(body && { body: await readJson(request) }),
      },
      { error: plainIssue },
    );
    if (read.success) return read.data;
    throw validationError(read.error.issues);
  };
}

function validationError(found: readonly z.core.$ZodIssue[]): Error {
  if (found.some((issue) => issue.path[0] === "params"))
    return new NotFoundError("There is nothing with this id.");
  const all = found.flatMap((issue) => listIssues(issue));
  const issues = all.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path, message }));
  const more = all.length - issues.length;
  const options = { context: { issues, ...(more > 0 && { more }) } };
  if (all.every(({ isValueIssue }) => isValueIssue)) {
    const sentences = issues.map(({ path, message }) => issueSentence(path, message));
    if (more > 0) sentences.push(`There are ${formatCount(more, "more problem")}.`);
    return new InvalidArgsError(sentences.join(" "), options);
  }
  const list = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new InvalidRequestError(`The request is not valid: ${list}${andMore(more)}.`, options);
}

/** The number of issues that an error lists; it only counts the rest. */
const MAX_ISSUES = 20;

const andMore = (count: number): string => (count > 0 ? `; and ${count} more` : "");

/** The number of characters of an unknown parameter name that an error repeats. */
const SHOWN_NAME = 64;

/** Without this check, a misspelled filter would be ignored and return an unfiltered list. */
function rejectUnknownParameters({ searchParams }: URL, known: readonly string[]): void {
  const unknown = [...new Set(searchParams.keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const more = Math.max(0, unknown.length - MAX_ISSUES);
  const issues = unknown.slice(0, MAX_ISSUES).map((name) => {
    const suggestion = nearest(name, known, 1)[0];
    const shown = name.slice(0, SHOWN_NAME);
    return {
      path: `query.${shown}`,
      message: `there is no parameter “${shown}” here${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`,
    };
  });
  const list = issues.map(({ message }) => message).join("; ") + andMore(more);
  throw new InvalidRequestError(`The request is not valid: ${list}${list.endsWith("?") ? "" : "."}`, {
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
  checkComplexity(new Uint8Array(bytes));
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it is not UTF-8";
    throw new InvalidRequestError(`The body is not JSON: ${reason}.`, { cause: error });
  }
}

/** The maximum number of values in a body: 1,000 memories of 250 values each. */
const MAX_VALUES = 250_000;

/** The maximum nesting depth of a body. */
const MAX_DEPTH = 200;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts commas and brackets to reject JSON that would take seconds to parse or overflow the stack in validation. Throws
 * `InvalidRequestError`.
 */
function checkComplexity(bytes: Uint8Array): void {
  let values = 1;
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (isQuoted) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isQuoted = false;
    } else if (byte === QUOTE) isQuoted = true;
    else if (byte === COMMA) values += 1;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) depth += 1;
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth -= 1;
    if (values > MAX_VALUES) throw new InvalidRequestError(`A body may hold at most ${MAX_VALUES} values.`);
    if (depth > MAX_DEPTH) throw new InvalidRequestError(`A body may be nested at most ${MAX_DEPTH} deep.`);
  }
}

/** One problem with a request. */
interface ValidationIssue {
  path: string;
  message: string;
  /** True if the shape is right and only the value is not allowed. */
  isValueIssue: boolean;
}

const valueCodes: ReadonlySet<string> = new Set([
  "too_small",
  "too_big",
  "invalid_format",
  "invalid_value",
  "not_multiple_of",
  "custom",
]);

/** Flattens a zod issue. For a union, returns the issues of the closest option. */
function listIssues(
  { code, path, message, ...issue }: z.core.$ZodIssue,
  base: readonly PropertyKey[] = [],
): ValidationIssue[] {
  const fullPath = [...base, ...path];
  const options = "errors" in issue ? issue.errors : [];
  const [closest] = options
    .map((issues) => issues.flatMap((inner) => listIssues(inner, fullPath)))
    .sort((a, b) => closeness(b) - closeness(a));
  return closest ?? [{ path: fullPath.join("."), message, isValueIssue: valueCodes.has(code) }];
}

/** An option whose shape fits is closest; otherwise the option that fails deepest. */
function closeness(issues: readonly ValidationIssue[]): number {
  if (issues.every(({ isValueIssue }) => isValueIssue)) return Number.POSITIVE_INFINITY;
  return Math.max(...issues.map(({ path }) => path.split(".").length));
}
