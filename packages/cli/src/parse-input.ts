import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { plainIssue } from "@metahuman/core/contract/plain-issue";

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
    [...(path.length > 0 ? [path.map(String).join(".")] : []), message].join(": "),
  );
  throw new InvalidRequestError(`${problems.join("; ")}.`);
}
