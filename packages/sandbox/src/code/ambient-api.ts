import { z } from "zod";
import type { FunctionParameter } from "@metahuman/core/contract/function";

/** A skill in the declaration. */
export interface SkillSignature {
  id: string;
  summary: string;
  input: z.ZodType;
  output: z.ZodType;
}

/** A function that the code calls, in the declaration. */
export interface FunctionSignature {
  /** The name in `skills.function.<callable>`. */
  callable: string;
  summary: string;
  parameters: readonly FunctionParameter[];
}

/** The parts of a JSON schema that the conversion to a type reads. */
const Shape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  required: z.array(z.string()).optional(),
  $ref: z.string().optional(),
  get properties() {
    return z.record(z.string(), Shape).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), Shape]).optional();
  },
  get items() {
    return z.union([z.boolean(), Shape]).optional();
  },
  get prefixItems() {
    return z.array(Shape).optional();
  },
  get anyOf() {
    return z.array(Shape).optional();
  },
  get oneOf() {
    return z.array(Shape).optional();
  },
  get allOf() {
    return z.array(Shape).optional();
  },
});
type Shape = z.infer<typeof Shape>;

/**
 * The globals of every function besides the language itself, and the types of `assert` and `fake`, which only tests
 * have.
 */
const GLOBALS = `
declare const console: Readonly<Record<"log" | "info" | "warn" | "error" | "debug", (...values: unknown[]) => void>>;

/** The error of a skill that failed; \`code\` is one of the system's error codes. */
interface SkillError extends Error {
  readonly name: "SkillError";
  readonly code: string;
  readonly suggestions: readonly string[];
}

interface Assert {
  (value: unknown, message?: string | Error): asserts value;
  ok(value: unknown, message?: string | Error): asserts value;
  equal(actual: unknown, expected: unknown, message?: string | Error): void;
  strictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
  notEqual(actual: unknown, expected: unknown, message?: string | Error): void;
  notStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
  deepEqual(actual: unknown, expected: unknown, message?: string | Error): void;
  deepStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
  notDeepEqual(actual: unknown, expected: unknown, message?: string | Error): void;
  notDeepStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
  match(text: string, pattern: RegExp, message?: string | Error): void;
  throws(work: () => unknown, expected?: unknown, message?: string | Error): void;
  rejects(work: Promise<unknown> | (() => Promise<unknown>), expected?: unknown, message?: string | Error): Promise<void>;
  fail(message?: string): void;
}
/** In tests: replaces a skill. */
type Callable = Omit<typeof skills, "function"> & {
  [Name in keyof (typeof skills)["function"] & string as \`function.\${Name}\`]: (typeof skills)["function"][Name];
};
type Fake = <Id extends keyof Callable>(
  skill: Id,
  answer: (args: Parameters<Callable[Id]>[0] & {}) => unknown,
) => void;
`;

/** Returns the TypeScript declaration of `skills`, derived from the schemas of the skills. */
export function ambientApi(
  skills: readonly SkillSignature[],
  functions: readonly FunctionSignature[] = [],
): string {
  const members = skills.map(({ id, summary, input, output }) => {
    const args = typeFrom(input, "input");
    const optional = input.safeParse({}).success ? "?" : "";
    return `  /** ${comment(summary)} */\n  ${JSON.stringify(id)}(args${optional}: ${args}): Promise<${typeFrom(output, "output")}>;`;
  });
  const called = functions.map(({ callable, summary, parameters }) => {
    const optional = parameters.some((one) => one.required && one.default === undefined) ? "" : "?";
    return `    /** ${comment(summary)} */\n    ${callable}(args${optional}: ${argumentsType(parameters)}): Promise<any>;`;
  });
  members.push(`  readonly function: {\n${called.join("\n")}\n  };`);
  return `declare const skills: {\n${members.join("\n")}\n};\n${GLOBALS}`;
}

function typeFrom(schema: z.ZodType, io: "input" | "output"): string {
  return typeOf(Shape.parse(z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" })));
}

function typeOf(shape: Shape): string {
  const { anyOf = shape.oneOf, allOf } = shape;
  if (shape.$ref !== undefined) return "unknown";
  if (shape.enum) return shape.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(" | ");
  if (allOf) return allOf.map((part) => `(${typeOf(part)})`).join(" & ");
  const types = [shape.type ?? []].flat();
  return types.length === 0
    ? "unknown"
    : [...new Set(types.map((type) => typeNamed(type, shape)))].join(" | ");
}

function typeNamed(type: string, shape: Shape): string {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array": {
      if (shape.prefixItems) return `[${shape.prefixItems.map(typeOf).join(", ")}]`;
      return typeof shape.items === "object" ? `(${typeOf(shape.items)})[]` : "unknown[]";
    }
    case "object":
      return objectType(shape);
    default:
      return "unknown";
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Shape): string {
  const named = Object.entries(properties).map(([name, property]) => {
    const docstring = property.description === undefined ? "" : `/** ${comment(property.description)} */ `;
    return `${docstring}${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(property)}`;
  });
  if (named.length > 0) return `{ ${named.join("; ")} }`;
  return typeof additionalProperties === "object"
    ? `{ [name: string]: ${typeOf(additionalProperties)} }`
    : "{ [name: string]: unknown }";
}

/** Escapes text for a comment. */
function comment(text: string): string {
  return text.replaceAll("*/", "* /").replaceAll(/\s+/gu, " ");
}

/** The TypeScript type of each kind of parameter. Lists and objects contain whatever the caller passes. */
const PARAMETER_TYPES: Readonly<Record<FunctionParameter["type"], string>> = {
  string: "string",
  path: "string",
  date: "string",
  number: "number",
  boolean: "boolean",
  list: "any[]",
  object: "Record<string, any>",
};

/** Returns the type of the object that `main` receives. A parameter with a default is always present. */
export function parametersType(parameters: readonly FunctionParameter[]): string {
  return typeOfParameters(parameters, ({ required, default: usual }) => required || usual !== undefined);
}

/** Returns the type of the object that a caller passes. A parameter with a default is optional. */
function argumentsType(parameters: readonly FunctionParameter[]): string {
  return typeOfParameters(parameters, ({ required, default: usual }) => required && usual === undefined);
}

function typeOfParameters(
  parameters: readonly FunctionParameter[],
  isPresent: (parameter: FunctionParameter) => boolean,
): string {
  const members = parameters.map(
    (one) => `${JSON.stringify(one.name)}${isPresent(one) ? "" : "?"}: ${PARAMETER_TYPES[one.type]}`,
  );
  return `{ ${members.join("; ")} }`;
}
