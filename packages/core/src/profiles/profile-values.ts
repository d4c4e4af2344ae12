import type { z } from "zod";
import { plainIssue } from "../contract/plain-issue.ts";
import { DEFAULT_OPERATOR_NAME, type Persona } from "../contract/profile.ts";
import { InvalidRequestError } from "../errors/request-errors.ts";

// The rules for values that every implementation of `ProfileStore` applies.

/** The persona of a new profile. */
export function newPersona(): Persona {
  return {
    name: DEFAULT_OPERATOR_NAME,
    role: "",
    values: ["Say what was done and what was not."],
    voice: "Plain and friendly, in short sentences.",
    goals: [],
  };
}

/** The value after an edit. Throws `InvalidRequestError` for an invalid one. */
export function editedValue<Value extends object, Edit extends Partial<Record<keyof Value, unknown>>>(
  schema: z.ZodType<Value>,
  current: Value,
  edit: Edit | ((current: Value) => Edit),
): Value {
  const fields = Object.entries(typeof edit === "function" ? edit(current) : edit).filter(
    ([, value]) => value !== undefined,
  );
  const merged = Object.entries({ ...current, ...Object.fromEntries(fields) });
  return parserOf(schema)(Object.fromEntries(merged.filter(([, value]) => value !== null)));
}

/** Returns a function that throws `InvalidRequestError` for an invalid value. */
export function parserOf<Value>(schema: z.ZodType<Value>): (found: unknown) => Value {
  return (found) => {
    const parsed = schema.safeParse(found, { error: plainIssue });
    if (parsed.success) return parsed.data;
    throw invalidRequestError(parsed.error);
  };
}

function invalidRequestError(error: z.ZodError): InvalidRequestError {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  return new InvalidRequestError(`${problems.join("; ")}.`, { context: { problems }, cause: error });
}

/** Returns the valid fields of `found` over the `fallback`. */
export function validFieldsOver<Value extends object>(
  schema: z.ZodType<Value>,
  found: unknown,
  fallback: Value,
): Value {
  if (typeof found !== "object" || found === null) return fallback;
  return Object.entries(found).reduce(
    (valid, [key, value]: [string, unknown]) => schema.safeParse({ ...valid, [key]: value }).data ?? valid,
    fallback,
  );
}
