import { z } from "zod";
import type { FunctionMemory, FunctionParameter } from "../contract/function.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { type Clock } from "../language/dates/clock.ts";
import { readDateText } from "../language/dates/dates.ts";
import { plainIssue } from "../contract/plain-issue.ts";

const DATE_OR_DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/u;

const SCHEMAS: Readonly<Record<FunctionParameter["type"], () => z.ZodType>> = {
  string: () => z.string(),
  path: () => z.string().min(1),
  date: () =>
    z
      .string()
      .regex(
        DATE_OR_DATE_TIME,
        "must be a date such as 2026-11-21, or a date and time such as 2026-11-21T09:30:00Z",
      ),
  number: () => z.number(),
  boolean: () => z.boolean(),
  list: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
};

/** The parameters of a function as a strict object schema. */
function parametersSchema(parameters: readonly FunctionParameter[]): z.ZodObject {
  return z.strictObject(
    Object.fromEntries(
      parameters.map(({ name, type, description, required, default: defaultValue }) => {
        const schema = SCHEMAS[type]().describe(description);
        return [
          name,
          defaultValue !== undefined ? schema.default(defaultValue) : required ? schema : schema.optional(),
        ];
      }),
    ),
  );
}

/**
 * The given values in the types of their parameters, as far as that is certain: “friday” as the day, “750” as a number, 12 as a text.
 * Other values stay as they are.
 */
export function withReadValues(
  parameters: readonly FunctionParameter[],
  given: Readonly<Record<string, unknown>>,
  clock: Clock,
): Record<string, unknown> {
  const types = new Map(parameters.map(({ name, type }) => [name, type]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, readValue(types.get(name), value, clock)]),
  );
}

function readValue(type: FunctionParameter["type"] | undefined, value: unknown, clock: Clock): unknown {
  if (type === "string" && typeof value === "number") return String(value);
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (type === "number" && /^-?\d+(?:\.\d+)?$/u.test(text)) return Number(text);
  if (type === "boolean" && /^(?:true|false)$/iu.test(text)) return /^true$/iu.test(text);
  if (type !== "date" || DATE_OR_DATE_TIME.test(text)) return value;
  const read = readDateText(text, clock);
  return read.kind === "date" ? read.value : value;
}

/**
 * Throws `InvalidArgsError` if a required parameter without a default has no value. `context.missing` lists those parameters,
 * so that a planner can ask for them; `parseParameters` reports them like any other problem.
 */
export function requireParameters(
  { title, parameters }: Pick<FunctionMemory, "title" | "parameters">,
  given: Readonly<Record<string, unknown>>,
): void {
  const missing = parameters.filter(
    ({ name, required, default: defaultValue }) =>
      required && defaultValue === undefined && given[name] === undefined,
  );
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name);
  throw new InvalidArgsError(`“${title}” needs values for ${new Intl.ListFormat("en").format(names)}.`, {
    suggestions: [`Set ${new Intl.ListFormat("en").format(names)} in \`parameters\`.`],
    context: { missing: missing.map(({ name, type, description }) => ({ name, type, description })), title },
  });
}

/**
 * Parses the arguments of a function call and fills in defaults. Throws `InvalidArgsError` with every problem; the message
 * never contains a value.
 */
export function parseParameters(
  parameters: readonly FunctionParameter[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const parsed = parametersSchema(parameters).safeParse(given, { error: plainIssue });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  throw new InvalidArgsError(`These arguments are invalid: ${problems.join("; ")}.`, {
    suggestions: [
      parameters.length === 0
        ? "It takes no parameters."
        : `It takes ${parameters.map(({ name, type, required }) => `${name} (${type}${required ? ", required" : ""})`).join(", ")}.`,
    ],
    context: { problems },
  });
}
