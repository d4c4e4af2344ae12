import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { codeTools as tools } from "@metahuman/sandbox/code/open-code-tools";
import { sandbox } from "@metahuman/sandbox/open-sandbox";
import type { CallSkill } from "@metahuman/sandbox/sandbox";
import { readCalledSkills } from "@metahuman/sandbox/code/inspect-code";
import { verifyCode } from "@metahuman/sandbox/code/verify-code";
import { installedSkills } from "@metahuman/skills/installed";
import type { CodePort } from "@metahuman/skills/ports";

const callSkill: CallSkill = async (skill) => {
  throw new PermissionDeniedError(`${skill} is not for one-off code.`);
};
const limits = { wallMs: 25_000 };

/** The real sandbox without the operator; skill calls are refused. */
export const sandboxCode: CodePort = {
  async execute(code, parameters, signal) {
    const compiled = await tools.compileSnippet(code, signal);
    const { result, logs } = await sandbox.run({
      ...compiled,
      parameters,
      skills: ["fs_read"],
      callSkill,
      limits,
      signal,
    });
    return { result, logs };
  },
  check: (code, parameters, signal) =>
    verifyCode({ code, parameters }, { sandbox, tools, skills: installedSkills, limits }, signal),
  async run({ source }, parameters, signal) {
    const compiled = await tools.compile({ source }, signal);
    const { result, logs } = await sandbox.run({
      ...compiled,
      parameters,
      skills: [],
      callSkill,
      limits,
      signal,
    });
    return { result, logs };
  },
  calledSkills: (code, signal) => readCalledSkills(tools, code, signal),
  calledFunctions: async () => [],
};
