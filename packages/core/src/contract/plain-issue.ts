import type { z } from "zod";

const typeNames: ReadonlyMap<string, string> = new Map([
  ["string", "text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
]);

const formats: ReadonlyMap<string, string> = new Map([
  ["date", "must be a day such as 2026-11-20"],
  ["datetime", "must be a moment such as 2026-11-20T09:30:00.000Z"],
  ["url", "must be an address such as https://example.org/"],
  ["email", "must be an e-mail address"],
  ["regex", "has a form that is not accepted here"],
]);

/**
 * Describes a validation issue for people; pass it to a parse as `error`. It never contains the value, which may be
 * long or secret. A message in the schema takes precedence.
 */
export function plainIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "this is missing"
        : `must be ${expectedPhrase(issue.expected, issue.input)}`;
    case "invalid_value": {
      const missing = issue.input === undefined ? "this is missing; it " : "";
      return `${missing}must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    }
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
      return bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "not_multiple_of":
      return `must be a multiple of ${String(issue.divisor)}`;
    case "unrecognized_keys":
      return `there is no ${unknownKeys(issue.keys)} here; remove it`;
    case "invalid_format":
      return formats.get(issue.format) ?? "has a form that is not accepted here";
    case "invalid_union":
      return issue.input === undefined ? "this is missing" : "has none of the accepted forms";
    case "invalid_key":
      return "this name cannot be used here";
    case "invalid_element":
    case "custom":
      return "is not accepted here";
    default:
      return issue satisfies never;
  }
}

/** Describes the first issue with its path: `links.0.id: this is missing`. */
export function plainReason({ issues: [first] }: z.ZodError): string {
  const place = first?.path.map(String).join(".") ?? "";
  return [...(place === "" ? [] : [place]), first?.message ?? "is not accepted here"].join(": ");
}

/** The number of unknown keys to name; the others are counted. */
const MAX_KEYS = 20;

function unknownKeys(keys: readonly string[]): string {
  const named = keys
    .slice(0, MAX_KEYS)
    .map((key) => `“${key.slice(0, 64)}”`)
    .join(", ");
  return keys.length > MAX_KEYS ? `${named} and ${keys.length - MAX_KEYS} more` : named;
}

function expectedPhrase(expected: string, input: unknown): string {
  const name = typeNames.get(expected) ?? expected;
  // The value is not a number or not an integer, so naming its type would not help.
  if (typeof input === "number" && (Number.isNaN(input) || expected === "int")) return name;
  const type = input === null ? "null" : Array.isArray(input) ? "array" : typeof input;
  return `${name}, not ${typeNames.get(type) ?? type}`;
}

function bound(origin: string, comparison: string, limit: number | bigint): string {
  if (origin === "string")
    return `must have ${comparison} ${limit} ${limit === 1 ? "character" : "characters"}`;
  return origin === "array" || origin === "set"
    ? `must have ${comparison} ${limit} ${limit === 1 ? "entry" : "entries"}`
    : `must be ${comparison} ${limit}`;
}
