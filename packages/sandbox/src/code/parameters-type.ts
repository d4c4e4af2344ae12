import type { FunctionParameter } from "@metahuman/core/contract/function";

/** The TypeScript type of each kind of parameter. Lists and objects contain whatever the caller passes. */
const TYPES: Readonly<Record<FunctionParameter["type"], string>> = {
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
  return objectType(parameters, ({ required, default: usual }) => required || usual !== undefined);
}

/** Returns the type of the object that a caller passes. A parameter with a default is optional. */
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
