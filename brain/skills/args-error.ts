import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { nearest } from "@metahuman/core/errors/nearest";
import type { z } from "zod";
import { isSynonym } from "./read-arguments.ts";
import { asText } from "@metahuman/core/text/format";

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function kindOf(value: unknown): string {
  if (value === null) return "null";
  const type = Array.isArray(value) ? "array" : typeof value;
  return typeNames[type] ?? type;
}

/**
 * Returns a problem as a sentence with the valid alternatives. Never repeats the value, which may be long or secret.
 */
function describe(issue: z.core.$ZodIssue, names: readonly string[]): Described {
  const field = issue.path.join(".");
  switch (issue.code) {
    case "invalid_type": {
      if (field === "") return { problems: ["the arguments must be an object"], suggestions: [] };
      if (issue.input === undefined) return { problems: [`${field} is missing`], suggestions: [] };
      const expected = typeNames[issue.expected] ?? issue.expected;
      const isOneOfMany = Array.isArray(issue.input) && issue.expected === "string";
      return {
        problems: [`${field} must be ${expected}, not ${kindOf(issue.input)}`],
        suggestions: isOneOfMany ? ["Make one call for each of them."] : [],
      };
    }
    case "unrecognized_keys": {
      const found = issue.keys.map((key) => ({ key: key.slice(0, 64), meant: closestInput(key, names) }));
      return {
        problems: found.map(({ key, meant }) =>
          meant ? `${key} is not an input; did you mean ${meant}?` : `${key} is not an input`,
        ),
        suggestions: [`The inputs are ${names.join(", ")}.`],
      };
    }
    case "invalid_value": {
      const values = issue.values.map(asText);
      const suggestion = typeof issue.input === "string" ? nearest(issue.input, values, 1)[0] : undefined;
      return {
        problems: [
          `${field} must be one of ${values.join(", ")}${suggestion ? `; did you mean ${suggestion}?` : ""}`,
        ],
        suggestions: [`${field} is one of ${values.join(", ")}.`],
      };
    }
    case "invalid_union": {
      const branch = matchingBranch(issue.errors);
      if (branch)
        return mergeIssues(
          branch.map((one) => describe({ ...one, path: [...issue.path, ...one.path] }, names)),
        );
      const kinds = issue.errors.flatMap(([first]) =>
        first?.code === "invalid_type" && first.path.length === 0
          ? [typeNames[first.expected] ?? first.expected]
          : [],
      );
      if (kinds.length === 0 || issue.input === undefined) break;
      const expectedKinds = [...new Set(kinds)].join(" or ");
      return { problems: [`${field} must be ${expectedKinds}, not ${kindOf(issue.input)}`], suggestions: [] };
    }
    default:
      break;
  }
  return { problems: [field === "" ? issue.message : `${field}: ${issue.message}`], suggestions: [] };
}

/** Names are short: "time" and "title" differ in two of five letters and mean different things. */
const MAX_NAME_DIFFERENCE = 1 / 3;

/** The input that an unknown name means: one with a similar spelling, or of which it is a synonym. */
export function closestInput(key: string, names: readonly string[]): string | undefined {
  const [closest] = nearest(key, names, 1, { maxShare: MAX_NAME_DIFFERENCE });
  return names.find((name) => isSynonym(key, name)) ?? closest;
}

/** Returns the only branch of a union with the type of the value. */
function matchingBranch(
  errors: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  const [only, ...others] = errors.filter((issues) =>
    issues.every(({ code, path }) => code !== "invalid_type" || path.length > 0),
  );
  return others.length === 0 ? only : undefined;
}

interface Described {
  problems: string[];
  suggestions: string[];
}

function mergeIssues(described: readonly Described[]): Described {
  return {
    problems: described.flatMap(({ problems }) => problems),
    suggestions: described.flatMap(({ suggestions }) => suggestions),
  };
}

/** Returns all problems of a set of arguments as one error with the valid names and values. */
export function argsError(
  skill: string,
  input: z.ZodObject,
  issues: readonly z.core.$ZodIssue[],
  found: Described = { problems: [], suggestions: [] },
): InvalidArgsError {
  const names = Object.keys(input.shape);
  const { problems, suggestions } = mergeIssues([...issues.map((issue) => describe(issue, names)), found]);
  const list = problems.join("; ");
  return new InvalidArgsError(
    `${skill} cannot take these arguments: ${list}${list.endsWith("?") ? "" : "."}`,
    {
      suggestions: [...new Set(suggestions)],
      context: { skill, problems },
    },
  );
}
