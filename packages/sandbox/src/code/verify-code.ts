import type { CodeProblem } from "@metahuman/core/contract/code-inspection";
import type { FunctionCode, FunctionParameter } from "@metahuman/core/contract/function";
import type { CheckEvent, FunctionCheck } from "@metahuman/core/contract/verification";
import { CancelledError } from "@metahuman/core/errors/run-errors";
import { isInfrastructureFailure } from "@metahuman/core/functions/verify/proof";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { formatCount } from "@metahuman/core/text/format";
import type { CallSkill, Sandbox, SandboxLimits } from "../sandbox.ts";
import { inspectCode, type InspectDependencies } from "./inspect-code.ts";
import { formatProblems } from "./places.ts";

export interface CodeToVerify {
  code: FunctionCode;
  parameters: readonly FunctionParameter[];
}

export interface VerifyDependencies extends InspectDependencies {
  sandbox: Sandbox;
  /** Executes the skills that a test calls without a fake; refused if absent. */
  callSkill?: CallSkill;
  limits?: Partial<SandboxLimits>;
  /** Receives the start and end of each check. */
  onEvent?: (event: CheckEvent) => void;
}

/** The maximum number of problems in a report. */
const MAX_PROBLEMS = 30;

/**
 * Verifies a function's code on the host: syntax, types, rules, grants, and its tests. Rejects only when `signal` is
 * aborted, never because of the code.
 */
export async function verifyCode(
  { code, parameters }: CodeToVerify,
  dependencies: VerifyDependencies,
  signal?: AbortSignal,
): Promise<FunctionCheck[]> {
  const { onEvent = () => undefined } = dependencies;
  const checks: FunctionCheck[] = [];
  let running: CodeCheck = "syntax";
  const begin = (name: CodeCheck): void => {
    running = name;
    onEvent({ type: "check-started", name });
  };
  const end = (check: FunctionCheck): void => {
    checks.push(check);
    onEvent({ type: "check-ended", check });
  };
  const { source, tests } = code;
  const hasTests = tests.trim() !== "";
  const sources = { source, ...(hasTests && { tests }) };
  try {
    begin("syntax");
    const report = await inspectCode({ code, parameters }, dependencies, signal, (part, problems) => {
      end(checkOf(part, problems));
      if (problems.length === 0 || part !== "syntax") begin(AFTER[part]);
    });
    if (report.syntax.length > 0) return checks;
    end(checkOf("grants", report.grants));
    begin("tests");
    end(
      hasTests
        ? await testCheck(sources, dependencies, signal)
        : failedCheck("tests", [{ message: NO_TESTS }]),
    );
  } catch (error) {
    signal?.throwIfAborted();
    end(endedBy(running, error));
  }
  return checks;
}

type CodeCheck = "syntax" | "types" | "lint" | "grants" | "tests";

/** The check that follows each part of the inspection. */
const AFTER = { syntax: "types", types: "lint", lint: "grants" } as const;

const NOTHING_AFTER_MAIN =
  "No assertion ran after main returned. Call main, await it, and assert what it returned.";
const NO_TESTS = "There are no tests, and untested code is not verified.";

async function testCheck(
  sources: { source: string; tests?: string },
  { tools, sandbox, skills, calls, callSkill, limits }: VerifyDependencies,
  signal: AbortSignal | undefined,
): Promise<FunctionCheck> {
  try {
    const { assertions, afterMain } = await sandbox.test({
      ...(await tools.compile(sources, signal)),
      skills: [
        ...skills.map(({ id }) => id),
        ...(calls?.functions ?? []).map(({ callable }) => `function.${callable}`),
      ],
      callSkill: callSkill ?? refuseSkillCall,
      ...(limits && { limits }),
      ...(signal && { signal }),
    });
    if (assertions === 0) return failedCheck("tests", [{ message: "The tests assert nothing." }]);
    if (afterMain === 0) return failedCheck("tests", [{ message: NOTHING_AFTER_MAIN }]);
    return {
      ...passedCheck("tests"),
      detail: `${formatCount(assertions, "assertion")} held`,
    };
  } catch (error) {
    signal?.throwIfAborted();
    return endedBy("tests", error);
  }
}

const refuseSkillCall: CallSkill = async (skill) => {
  throw new CancelledError(`Tests call no skills: answer for it with fake("${skill}", …).`);
};

function passedCheck(name: string): FunctionCheck {
  return { name, ok: true };
}

function failedCheck(name: string, problems: readonly CodeProblem[]): FunctionCheck {
  const more = problems.length > MAX_PROBLEMS ? `\n… and ${problems.length - MAX_PROBLEMS} more` : "";
  return { name, ok: false, detail: formatProblems(problems.slice(0, MAX_PROBLEMS)) + more };
}

function checkOf(name: string, problems: readonly CodeProblem[]): FunctionCheck {
  return problems.length === 0 ? passedCheck(name) : failedCheck(name, problems);
}

/** Returns a failed check. A check that a crash or an overloaded machine ended is inconclusive. */
function endedBy(name: string, error: unknown): FunctionCheck {
  const detail = error instanceof MetahumanError ? error.message : "It could not be checked.";
  return { name, ok: false, detail, ...(isInfrastructureFailure(error) && { inconclusive: true }) };
}
