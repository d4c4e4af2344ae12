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
  const members = parameters.map(
    ({ name, type, required, default: usual }) =>
      `${JSON.stringify(name)}${required || usual !== undefined ? "" : "?"}: ${TYPES[type]}`,
  );
  return `{ ${members.join("; ")} }`;
}
