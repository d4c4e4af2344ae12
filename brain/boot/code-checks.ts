import type { CodeRunner } from "@metahuman/agents/operator/tools/code/code-runner";
import type { CodeChecks } from "@metahuman/agents/verifier/verifier";
import type { CodeInspection } from "@metahuman/core/contract/code-inspection";
import type { OperatorConfig } from "@metahuman/core/contract/config";
import { EVERY_AGENT, FunctionParameter } from "@metahuman/core/contract/function";
import { checkCalls } from "@metahuman/core/functions/called-functions";
import type { FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import { inspectCode } from "@metahuman/sandbox/code/inspect-code";
import { verifyCode } from "@metahuman/sandbox/code/verify-code";
import { installedSkills } from "@metahuman/skills/installed";
import { isForCode } from "@metahuman/skills/execute-code/skill";
import type { Profile } from "./brain.ts";

const skills = installedSkills.filter(isForCode);

/** The checks of code functions: static analysis in a limited process, tests in the sandbox. */
export function codeChecks(
  { sandbox, tools }: CodeRunner,
  settings: () => OperatorConfig["functions"],
  functionsOf: FunctionsOfProfile["of"],
): CodeChecks {
  return {
    async check({ name, code, parameters }, { signal, report, agentId }) {
      if (!code) return [{ name: "code", ok: false, detail: "There is no code." }];
      const limits = { wallMs: settings().timeLimitMs };
      const calls = await checkCalls({ ...code, name }, functionsOf(agentId));
      return verifyCode(
        { code, parameters },
        { sandbox, tools, skills, calls, limits, onEvent: report },
        signal,
      );
    },
  };
}

/** Inspects code during editing, in the same limited process. */
export function codeInspector(
  { tools }: CodeRunner,
  functionsOf: FunctionsOfProfile["of"],
): Profile["inspectCode"] {
  return async ({ parameters, ...code }): Promise<CodeInspection> => {
    const named = parameters.filter((parameter) => FunctionParameter.safeParse(parameter).success);
    const { ungranted, ...found } = await inspectCode(
      { code, parameters: named },
      { tools, skills, calls: await checkCalls(code, functionsOf(EVERY_AGENT)) },
    );
    const of = (check: keyof typeof found) => found[check].map((problem) => ({ check, ...problem }));
    return { problems: [...of("syntax"), ...of("types"), ...of("lint"), ...of("grants")], ungranted };
  };
}
