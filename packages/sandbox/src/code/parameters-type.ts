import type { FunctionParameter } from "@metahuman/core/contract/function";

/** What a function is given for each kind of parameter. Lists and objects hold whatever the caller put into them. */
const TYPES: Readonly<Record<FunctionParameter["type"], string>> = {
  string: "string",
  path: "string",
  date: "string",
  number: "number",
  boolean: "boolean",
  list: "any[]",
  object: "Record<string, any>",
};

/** The object that `main` takes, as a TypeScript type; a default makes a parameter always present. */
export function parametersType(parameters: readonly FunctionParameter[]): string {
  return objectType(parameters, ({ required, default: usual }) => required || usual !== undefined);
}

/** The object that a caller passes: a parameter with a default may be left out. */
export function argumentsType(parameters: readonly FunctionParameter[]): string {
  return objectType(parameters, ({ required, default: usual }) => required && usual === undefined);
}

function objectType(
  parameters: readonly FunctionParameter[],
  isPresent: (parameter: FunctionParameter) => boolean,
): string {
  const members = parameters.map(
    (one) => `${JSON.stringify(one.name)}${isPresent(one) ? "" : "?"}: ${TYPES[one.type]}`,
  );
  return `{ ${members.join("; ")} }`;
}
