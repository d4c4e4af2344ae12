import type { CodeRunner } from "@metahuman/agents/operator/code/code-runner";
import type { CodeChecks } from "@metahuman/agents/verifier/create-verifier";
import { verifyCode } from "@metahuman/sandbox/code/verify-code";
import { installedSkills } from "@metahuman/skills/installed";

/** What the host finds out about code functions: read in a limited process, tested in the sandbox. */
export function codeChecks({ sandbox, tools }: CodeRunner): CodeChecks {
  return {
    async check({ code, parameters }, signal) {
      if (!code) return [{ name: "code", ok: false, detail: "There is no code." }];
      return verifyCode({ code, parameters }, { sandbox, tools, skills: installedSkills }, signal);
    },
  };
}
