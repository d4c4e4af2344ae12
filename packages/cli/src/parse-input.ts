import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { plainIssue } from "@metahuman/core/contract/plain-issue";

/** A schema, as far as checking goes. */
interface Checks<Value> {
  safeParse(
    value: unknown,
    words: { error: typeof plainIssue },
  ):
    | { success: true; data: Value }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
}

/** What a command was given, checked; throws `InvalidRequestError` that names each field and what is wrong with it. */
export function checked<Value>(schema: Checks<Value>, given: unknown): Value {
  const parsed = schema.safeParse(given, { error: plainIssue });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    [...(path.length > 0 ? [path.map(String).join(".")] : []), message].join(": "),
  );
  throw new InvalidRequestError(`${problems.join("; ")}.`);
}
