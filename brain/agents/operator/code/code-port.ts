import { verifyCode } from "@metahuman/sandbox/code/verify-code";
import type { SandboxLimits } from "@metahuman/sandbox/sandbox";
import { isForCode } from "@metahuman/skills/support/for-code";
import type { CodePort, SkillPorts } from "@metahuman/skills/ports";
import { z } from "zod";
import type { RunContext } from "../run-context.ts";
import { type CarryingCall, nestedCalls } from "./nested-calls.ts";

/** Calls of skills take their time; the skills' own limits hold as well. */
const WITH_SKILLS: Partial<SandboxLimits> = { wallMs: 45_000 };

const NO_USES = { grants: [], files: [] };
const ReadFile = z.object({ content: z.string() });

/** The sandbox for one call of a run. */
export function codePort(carrying: CarryingCall, context: RunContext, ports: () => SkillPorts): CodePort {
  const { sandbox, tools } = context.code;
  const skills = context.skills.map(({ id }) => id);
  const limits = { wallMs: context.config.functions.timeLimitMs };
  return {
    async execute(code, given, signal, { grants, files } = NO_USES) {
      const compiled = await tools.compileSnippet(code, signal);
      const callSkill = nestedCalls(carrying, grants, context, ports());
      const texts: Record<string, string> = {};
      for (const path of files)
        texts[path] = ReadFile.parse(await callSkill("fs_read", { path }, signal)).content;
      const parameters = files.length > 0 ? { ...given, files: texts } : given;
      const { result, logs } = await sandbox.run({
        ...compiled,
        parameters,
        skills,
        callSkill,
        limits: grants.length > 0 ? WITH_SKILLS : limits,
        signal,
      });
      return { result, logs };
    },
    check: (code, parameters, signal) =>
      verifyCode(
        { code, parameters },
        { sandbox, tools, skills: context.skills.filter(isForCode), limits },
        signal,
      ),
    async run({ source, grants }, parameters, signal) {
      const compiled = await tools.compile({ source }, signal);
      const { result, logs } = await sandbox.run({
        ...compiled,
        parameters,
        skills,
        callSkill: nestedCalls(carrying, grants, context, ports()),
        limits: grants.length > 0 ? WITH_SKILLS : limits,
        signal,
      });
      return { result, logs };
    },
  };
}
