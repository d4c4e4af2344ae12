import type { CodeProblem } from "@metahuman/core/contract/code-inspection";
import type { FunctionCode, FunctionParameter } from "@metahuman/core/contract/function";
import { ANY_HOST, grantsNeeded, HostGrant, hostGrants, SecretGrant } from "@metahuman/core/contract/grants";
import { ambientApi, type SkillSignature } from "./ambient-api.ts";
import type { CalledSkill, CodeReport, CodeTools, OnCheck } from "./code-tools.ts";

export interface CodeToRead {
  code: Pick<FunctionCode, "source" | "tests" | "grants">;
  parameters: readonly FunctionParameter[];
}

export interface InspectDependencies {
  tools: CodeTools;
  /** Every skill that code may call. */
  skills: readonly SkillSignature[];
}

/** What can be told of code without running it, check by check; syntax errors leave the others empty. */
export interface InspectedCode extends Pick<CodeReport, "syntax" | "types" | "lint"> {
  grants: CodeProblem[];
  /** Skills that the source calls, and secrets and hosts that it names, which are not among the grants. */
  ungranted: string[];
}

/** Reads code in a process of its own. Rejects as `CodeTools.inspect` does. */
export async function inspectCode(
  { code: { source, tests, grants }, parameters }: CodeToRead,
  { tools, skills }: InspectDependencies,
  signal?: AbortSignal,
  onFound?: OnCheck,
): Promise<InspectedCode> {
  const sources = { source, ...(tests.trim() !== "" && { tests }) };
  const checked = { ...sources, api: ambientApi(skills), parameters: parametersType(parameters) };
  const { skills: called, ...report } = await tools.inspect(checked, signal, onFound);
  const known = new Set(skills.map(({ id }) => id));
  const missing = called.filter(({ skill }) => known.has(skill) && !grants.includes(skill));
  const confined = hostGrants(grants).length > 0 && !grants.includes(`host:${ANY_HOST}`);
  const missingBesides = grantsNeeded(source, confined ? [] : parameters).filter(
    (grant) =>
      !grants.includes(grant) && (grant.startsWith("secret:") || (confined && grant.startsWith("host:"))),
  );
  return {
    ...report,
    grants: [
      ...emptyGrants(grants, known),
      ...missing.map(ungranted),
      ...missingBesides.map((grant) => ({
        message: `the source uses ${grant}, which is not among its grants`,
      })),
    ],
    ungranted: [...missing.map(({ skill }) => skill), ...missingBesides],
  };
}

function emptyGrants(grants: readonly string[], known: ReadonlySet<string>): CodeProblem[] {
  return grants
    .filter(
      (grant) =>
        !known.has(grant) && !SecretGrant.safeParse(grant).success && !HostGrant.safeParse(grant).success,
    )
    .map((grant) => ({
      message: `the grant ${JSON.stringify(grant.slice(0, 80))} names no skill that code may call, no secret and no host`,
    }));
}

function ungranted({ skill, at }: CalledSkill): CodeProblem {
  return { at, message: `the source calls ${skill}, which is not among its grants` };
}

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
function parametersType(parameters: readonly FunctionParameter[]): string {
  const members = parameters.map(
    ({ name, type, required, default: usual }) =>
      `${JSON.stringify(name)}${required || usual !== undefined ? "" : "?"}: ${TYPES[type]}`,
  );
  return `{ ${members.join("; ")} }`;
}
