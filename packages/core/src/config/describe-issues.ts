import { z } from "zod";
import { nearest } from "../errors/nearest.ts";

/** A problem with the configuration, as a sentence. */
export interface DescribedIssue {
  /** The path of the value or of the unknown key. */
  keyPath: (string | number)[];
  /** Without a full stop: `operator.reactV2 must be true or false, not a text`. */
  reason: string;
}

/** Describes every issue of a failed parse, in order. An unknown key comes with the most similar valid one. */
export function describeIssues(
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
): DescribedIssue[] {
  return issues.flatMap((issue) => explainIssue(schema, issue, value));
}

function explainIssue(schema: z.ZodType, issue: z.core.$ZodIssue, value: unknown): DescribedIssue[] {
  const keyPath = issue.path.filter((key) => typeof key !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const valid = validKeys(schema, keyPath);
    return issue.keys.map((key) => ({
      keyPath: [...keyPath, key],
      reason: describeUnknownKey([...keyPath, key], key, valid),
    }));
  }
  const found = valueAt(value, keyPath);
  return [
    {
      keyPath,
      reason: `${keyPath.join(".") || "the file"} ${describeRequirement(issue)}, not ${kindOf(found)}`,
    },
  ];
}

function describeUnknownKey(
  keyPath: readonly (string | number)[],
  key: string,
  valid: readonly string[],
): string {
  const shown = `there is no setting ${keyPath.join(".")}`;
  const [closest] = nearest(key, valid, 1);
  if (closest !== undefined) return `${shown}; did you mean ${[...keyPath.slice(0, -1), closest].join(".")}?`;
  return valid.length > 0 ? `${shown}; there are ${valid.join(", ")}` : shown;
}

function describeRequirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeNames.get(issue.expected) ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map((allowed) => JSON.stringify(allowed)).join(" or ")}`;
    case "too_small":
      return `must be ${sizeOf(issue.origin)}${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `must be ${sizeOf(issue.origin)}${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}`;
    case "invalid_union":
      return issue.errors.length > 0
        ? issue.errors
            .map((alternative) =>
              alternative[0] ? describeRequirement(alternative[0]) : "must be something else",
            )
            .join(", or ")
        : `must say which ${issue.discriminator ?? "form"} it is`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
    case "invalid_key":
    case "invalid_element":
    case "unrecognized_keys":
    case "custom":
      return `is not valid (${issue.message})`;
    default:
      return issue satisfies never;
  }
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ["boolean", "true or false"],
  ["string", "a text in double quotes"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["array", "a list in square brackets"],
  ["object", "an object in braces"],
  ["record", "an object in braces"],
]);

function sizeOf(origin: string): string {
  if (origin === "array" || origin === "set") return "a list of ";
  return origin === "string" ? "a text with a length of " : "";
}

/** Describes a value. Does not quote strings, because one may be a secret in the wrong place. */
function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "this text" : "an object";
}

function valueAt(value: unknown, keyPath: readonly (string | number)[]): unknown {
  return keyPath.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null
        ? Object.entries(at).find(([name]) => name === String(key))?.[1]
        : undefined,
    value,
  );
}

function validKeys(schema: z.core.$ZodType, keyPath: readonly (string | number)[]): string[] {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodDiscriminatedUnion || bare instanceof z.ZodUnion) {
    return [...new Set(bare.options.flatMap((option) => validKeys(option, keyPath)))];
  }
  const [key, ...rest] = keyPath;
  if (bare instanceof z.ZodObject) {
    if (key === undefined) return Object.keys(bare.shape);
    const inner: unknown = bare.shape[key];
    return inner instanceof z.ZodType ? validKeys(inner, rest) : [];
  }
  if (key !== undefined && bare instanceof z.ZodRecord) return validKeys(bare.valueType, rest);
  if (key !== undefined && bare instanceof z.ZodArray) return validKeys(bare.element, rest);
  return [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return unwrap(schema.unwrap());
  }
  return schema;
}
