import { parseJson as parseOptionalJson } from "@metahuman/core/contract/parse-json";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import { issueSentence } from "@metahuman/core/text/issue-sentence";

/** The part of a Zod schema that `parseInput` calls. */
interface SafeParser<Value> {
  safeParse(
    value: unknown,
    options: { error: typeof plainIssue },
  ):
    | { success: true; data: Value }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
}

/** Validates a command's input. Throws `InvalidRequestError` that names each invalid field. */
export function parseInput<Value>(schema: SafeParser<Value>, input: unknown): Value {
  const parsed = schema.safeParse(input, { error: plainIssue });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    issueSentence(path.map(String).join("."), message),
  );
  throw new InvalidRequestError(problems.join(" "));
}

/** Parses JSON. Throws `InvalidRequestError` that names the source of the text. */
export function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidRequestError(`${source} is not valid JSON.`, { cause });
  }
}

/**
 * Parses the values of a repeated option such as `--set name=value`. A value is JSON if it can be, otherwise text. Throws
 * `InvalidRequestError`, which shows the form.
 */
export function parseNameValues(pairs: readonly string[], option: string): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair): [string, unknown] => {
      const equals = pair.indexOf("=");
      if (equals < 1)
        throw new InvalidRequestError(`"${pair}" is not name=value.`, {
          suggestions: [`Write: ${option} name=value`],
        });
      return [pair.slice(0, equals), parseJsonOrText(pair.slice(equals + 1))];
    }),
  );
}

function parseJsonOrText(text: string): unknown {
  const value = parseOptionalJson(text);
  return value === undefined ? text : value;
}

/** Parses a whole number from 1 to `max`. Throws `InvalidRequestError` that begins with the name of the option or argument. */
export function parseCount(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  const range = max === Number.MAX_SAFE_INTEGER ? "of at least 1" : `from 1 to ${String(max)}`;
  throw new InvalidRequestError(`${name} must be a whole number ${range}.`);
}
