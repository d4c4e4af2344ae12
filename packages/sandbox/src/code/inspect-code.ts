import type { CodeProblem } from "@metahuman/core/contract/code-inspection";
import type { FunctionCode, FunctionParameter } from "@metahuman/core/contract/function";
import {
  ANY_HOST,
  grantsNeeded,
  HostGrant,
  hostGrants,
  SecretGrant,
} from "@metahuman/core/contract/code-grants";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { ambientApi, type FunctionSignature, parametersType, type SkillSignature } from "./ambient-api.ts";
import type { CalledSkill, CodeReport, CodeTools, OnCheck } from "./code-tools.ts";

export interface CodeToRead {
  code: Pick<FunctionCode, "source" | "tests" | "grants">;
  parameters: readonly FunctionParameter[];
}

export interface InspectDependencies {
  tools: CodeTools;
  /** Every skill that the code may call. */
  skills: readonly SkillSignature[];
  /** The functions that the code calls and the problems of these calls; none if absent. */
  calls?: { functions: readonly FunctionSignature[]; problems: readonly string[] };
}

/** The results of static checks. After a syntax error, the others are empty. */
export interface InspectedCode extends Pick<CodeReport, "syntax" | "types" | "lint"> {
  grants: CodeProblem[];
  /** Skills that the source calls, and secrets and hosts that it names, without a grant. */
  ungranted: string[];
}

/** Inspects code in a separate process. Rejects like `CodeTools.inspect`. */
export async function inspectCode(
  { code: { source, tests, grants }, parameters }: CodeToRead,
  { tools, skills, calls = { functions: [], problems: [] } }: InspectDependencies,
  signal?: AbortSignal,
  onFound?: OnCheck,
): Promise<InspectedCode> {
  const sources = { source, ...(tests.trim() !== "" && { tests }) };
  const checked = {
    ...sources,
    api: ambientApi(skills, calls.functions),
    parameters: parametersType(parameters),
  };
  const { skills: called, ...report } = await tools.inspect(checked, signal, onFound);
  const known = new Set(skills.map(({ id }) => id));
  const missing = called.filter(({ skill }) => known.has(skill) && !grants.includes(skill));
  const isConfined = hostGrants(grants).length > 0 && !grants.includes(`host:${ANY_HOST}`);
  const missingBesides = grantsNeeded(
    source,
    isConfined ? [] : parameters,
    called.map(({ skill }) => skill),
  ).filter(
    (grant) =>
      !grants.includes(grant) && (grant.startsWith("secret:") || (isConfined && grant.startsWith("host:"))),
  );
  return {
    ...report,
    grants: [
      ...emptyGrants(grants, known),
      ...missing.map(ungrantedCall),
      ...calls.problems.map((message) => ({ message })),
      ...missingBesides.map((grant) => ({
        message: `The code uses ${grant}, which it is not granted.`,
      })),
    ],
    ungranted: [...missing.map(({ skill }) => skill), ...missingBesides],
  };
}

/**
 * Returns the skills that one-off code, or with `isSaved` the module of a function, calls. Throws `FunctionError` if it
 * does not parse, and `InvalidArgsError` if one-off code uses skills without naming them; the checks of a function report
 * that.
 */
export async function readCalledSkills(
  tools: Pick<CodeTools, "compile" | "compileSnippet">,
  { source, isSaved = false }: { source: string; isSaved?: boolean },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (isSaved) return (await tools.compile({ source }, signal)).skills;
  const { skills, hidesSkills } = await tools.compileSnippet(source, signal);
  if (hidesSkills)
    throw new InvalidArgsError("The code hides which skills it calls.", {
      suggestions: ["Call each skill by its name, as in skills.fs_read({ … })."],
    });
  return skills;
}

function emptyGrants(grants: readonly string[], known: ReadonlySet<string>): CodeProblem[] {
  return grants
    .filter(
      (grant) =>
        !known.has(grant) && !SecretGrant.safeParse(grant).success && !HostGrant.safeParse(grant).success,
    )
    .map((grant) => ({
      message: `The grant ${JSON.stringify(grant.slice(0, 80))} is not a skill that code may call, a secret or a host.`,
    }));
}

function ungrantedCall({ skill, at }: CalledSkill): CodeProblem {
  return { at, message: `The code calls ${skill}, which it is not granted.` };
}
