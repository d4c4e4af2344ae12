import type { FunctionCode, FunctionParameter, Verification } from "@metahuman/core/contract/function";
import { CancelledError } from "@metahuman/core/errors/cancelled-error";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import type { CallSkill, Sandbox, SandboxLimits } from "../sandbox.ts";
import { ambientApi, type SkillSignature } from "./ambient-api.ts";
import type { CodeProblem, CodeTools } from "./code-tools.ts";
import { listed } from "./open-code-tools.ts";
import { parametersType } from "./parameters-type.ts";

export type Check = Verification["checks"][number];

export interface CodeToVerify {
  code: FunctionCode;
  parameters: readonly FunctionParameter[];
}

export interface VerifyMeans {
  tools: CodeTools;
  sandbox: Sandbox;
  /** Every skill that is installed. */
  skills: readonly SkillSignature[];
  /** What answers for the skills that a test calls without faking them; refused when left out. */
  callSkill?: CallSkill;
  limits?: Partial<SandboxLimits>;
}

const SECRET = /^secret:[A-Z_][A-Z0-9_]{0,63}$/u;
/** Longer reports help nobody, a model least of all. */
const PROBLEMS = 30;

/**
 * What the host finds out by itself about a function's code (design 5.5): syntax, types, rules, grants, and its tests to
 * their end. Never rejects for what stands in the code; only when `signal` is aborted.
 */
export async function verifyCode(
  { code, parameters }: CodeToVerify,
  means: VerifyMeans,
  signal?: AbortSignal,
): Promise<Check[]> {
  const { source, tests } = code;
  const hasTests = tests.trim() !== "";
  const sources = { source, ...(hasTests && { tests }) };
  try {
    const report = await means.tools.inspect(
      { ...sources, api: ambientApi(means.skills), parameters: parametersType(parameters) },
      signal,
    );
    if (report.syntax.length > 0) return [failed("syntax", report.syntax)];
    return [
      passed("syntax"),
      checked("types", report.types),
      checked("lint", report.lint),
      checked("grants", grantProblems(code.grants, report.skills, means.skills)),
      hasTests ? await testCheck(sources, means, signal) : failed("tests", [NO_TESTS]),
    ];
  } catch (error) {
    signal?.throwIfAborted();
    return [{ name: "types", ok: false, detail: reasonOf(error) }];
  }
}

const NO_TESTS: CodeProblem = { place: "", message: "there are no tests, and untested code is not verified" };

async function testCheck(
  sources: { source: string; tests?: string },
  { tools, sandbox, skills, callSkill, limits }: VerifyMeans,
  signal: AbortSignal | undefined,
): Promise<Check> {
  try {
    const { assertions } = await sandbox.test({
      ...(await tools.compile(sources, signal)),
      skills: skills.map(({ id }) => id),
      callSkill: callSkill ?? refuse,
      ...(limits && { limits }),
      ...(signal && { signal }),
    });
    if (assertions === 0) return failed("tests", [{ place: "", message: "the tests assert nothing" }]);
    return {
      ...passed("tests"),
      detail: `${assertions} ${assertions === 1 ? "assertion" : "assertions"} held`,
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { name: "tests", ok: false, detail: reasonOf(error) };
  }
}

const refuse: CallSkill = async (skill) => {
  throw new CancelledError(`Tests call no skills: answer for it with fake("${skill}", …).`);
};

function grantProblems(
  grants: readonly string[],
  used: readonly string[],
  skills: readonly SkillSignature[],
): CodeProblem[] {
  const known = new Set(skills.map(({ id }) => id));
  const problem = (message: string): CodeProblem => ({ place: "", message });
  return [
    ...grants
      .filter((grant) => !known.has(grant) && !SECRET.test(grant))
      .map((grant) =>
        problem(`the grant ${JSON.stringify(grant.slice(0, 80))} names no skill and no secret`),
      ),
    ...used
      .filter((skill) => known.has(skill) && !grants.includes(skill))
      .map((skill) => problem(`the source calls ${skill}, which is not among its grants`)),
  ];
}

function passed(name: string): Check {
  return { name, ok: true };
}

function failed(name: string, problems: readonly CodeProblem[]): Check {
  const more = problems.length > PROBLEMS ? `\n… and ${problems.length - PROBLEMS} more` : "";
  return { name, ok: false, detail: listed(problems.slice(0, PROBLEMS)) + more };
}

function checked(name: string, problems: readonly CodeProblem[]): Check {
  return problems.length === 0 ? passed(name) : failed(name, problems);
}

function reasonOf(error: unknown): string {
  return error instanceof MetahumanError ? error.message : "it could not be checked";
}
