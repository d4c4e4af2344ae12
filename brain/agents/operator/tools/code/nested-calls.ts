import { regionOf } from "@metahuman/core/contract/region";
import { ANY_HOST, hostGrants } from "@metahuman/core/contract/code-grants";
import type { Observation } from "@metahuman/core/contract/run";
import type { Risk } from "@metahuman/core/contract/trust";
import { ApprovalDeniedError, PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { SkillNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { CalledFunction } from "@metahuman/core/functions/called-functions";
import { COMPOSE_SKILL } from "@metahuman/core/functions/recipe/compose-steps";
import { isAtMost } from "@metahuman/core/policy/decide";
import type { CallSkill } from "@metahuman/sandbox/sandbox";
import type { Assessment, NestedCall, Skill } from "@metahuman/skills/define-skill";
import { callsInOutputs } from "@metahuman/skills/support/code-outcome";
import { isForCode } from "@metahuman/skills/execute-code/skill";
import type { CodeCall, SkillPorts } from "@metahuman/skills/ports";
import { authorizeCall, type Permission } from "../authorize-call.ts";
import { argumentContext, callFields, auditCall } from "../call-context.ts";
import {
  executeCall,
  findSkill,
  returnsInformation,
  observe,
  observeFailure,
  outputsOf,
} from "../execute-call.ts";
import type { RunContext } from "../../loop/run-context.ts";
import { withSecrets } from "./secrets.ts";

/** The call of a run inside which code or a recipe makes its calls. */
export interface ParentCall {
  step: number;
  /** The risk that a person approved for this call: nested calls up to it need no approval of their own. */
  approvedUpTo?: Risk;
  /** The nested calls shown to the person, if known in advance: calls to other hosts are refused. */
  approvedCalls?: readonly NestedCall[];
}

export interface NestedCallOptions {
  ports: SkillPorts;
  /** Creates the ports for calls made inside a called function. */
  portsWithin(): SkillPorts;
  /** The functions that the code may call. */
  called: readonly CalledFunction[];
  /** True for recipes, which may compose text; `ports.answerWriter` then writes it. */
  mayCompose?: boolean;
  /** Called after each call that was made to change something. */
  onChange?: (call: CodeCall) => void;
}

/** The changes that a call made: itself, or those of the function that it ran. */
function changesOf(
  skill: Skill,
  {
    args,
    outputs,
    isFunction,
  }: { args: Record<string, unknown>; outputs: Record<string, unknown>; isFunction: boolean },
  context: RunContext,
): CodeCall[] {
  if (isFunction) return callsInOutputs(outputs);
  if (returnsInformation(skill)) return [];
  const sentence = skill.narrate(outputs, regionOf(context.request.request));
  return [{ skill: skill.id, args, sentence, outputs }];
}

/** The length of an observation in the audit log, in characters. */
const AUDITED_CHARACTERS = 400;

/**
 * Creates the function that executes calls from code in the sandbox or from a recipe. It checks the function's grants,
 * then executes the call as a call of the run, with its policy and audit. Code cannot wait for a person: a call that
 * needs approval is refused, unless a person approved the parent call at that risk.
 */
export function nestedCalls(
  parent: ParentCall,
  grants: readonly string[],
  context: RunContext,
  { ports, portsWithin, called, mayCompose = false, onChange }: NestedCallOptions,
): CallSkill {
  const { step } = parent;
  let calls = 0;

  /** A call of a function becomes a call of `function_run`, so that it is checked and counted as a use. */
  function targetOf(tool: string, callArgs: Record<string, unknown>): NestedCallTarget {
    if (!tool.startsWith("function."))
      return { skill: findGranted(tool, grants, context, mayCompose), args: callArgs, isFunction: false };
    const found = called.find(({ callable }) => tool === `function.${callable}`);
    const skill = context.skills.find(({ id }) => id === "function_run");
    if (!found || !skill) throw new SkillNotFoundError(`There is no function called ${tool}.`);
    return { skill, args: { id: found.function.id, parameters: callArgs }, isFunction: true };
  }

  return async (tool, rawArgs, signal) => {
    const began = performance.now();
    calls += 1;
    const idempotencyKey = `${context.run().id}/${step}/${calls}`;
    let skill: Skill | undefined;
    let permission: Permission | undefined;
    const audit = (observation: Observation) => {
      const durationMs = Math.round(performance.now() - began);
      return auditCall(
        { step, action: { tool, args: rawArgs }, skill, permission, observation, durationMs },
        context,
      );
    };
    try {
      const { args, isFunction, ...target } = targetOf(tool, rawArgs);
      skill = target.skill;
      const callPorts = isFunction ? portsWithin() : ports;
      const execution = executeCall(withSecrets(skill, grants, context.code.secret), args, {
        argumentContext: argumentContext(context),
        ports: callPorts,
        signal: AbortSignal.any([signal, context.signal]),
        async authorize({ assessment, ...prepared }) {
          assertHosts(prepared.skill, assessment.hosts, grants);
          // Nobody reviews a nested call, so its content is not read.
          const { content: _content, ...reviewed } = assessment;
          permission = await authorizeCall({ step, ...prepared, assessment: reviewed }, context);
          if (permission.kind === "ask" && !covers(parent, prepared.skill, assessment))
            throw approvalNeeded(prepared.skill, assessment.hosts);
          return {
            ...callFields(context),
            ports: callPorts,
            // In a direct call of a draft, the drafts that it calls are tried as well.
            isDirect: isFunction && context.request.direct !== undefined,
            isNested: true,
            idempotencyKey,
          };
        },
      });
      const outputs = await outputsOf(execution);
      for (const change of changesOf(skill, { args, outputs, isFunction }, context)) onChange?.(change);
      await audit(observe(skill, outputs, { mode: "narrative", maxCharacters: AUDITED_CHARACTERS }));
      return outputs;
    } catch (error) {
      if (!(error instanceof MetahumanError) && !signal.aborted)
        context.logError(`${tool} failed unexpectedly in a function.`, error);
      await audit(observeFailure(toErrorDetail(error)));
      throw error;
    }
  };
}

interface NestedCallTarget {
  skill: Skill;
  args: Record<string, unknown>;
  isFunction: boolean;
}

/** Code may not call skills that control a run or run functions; recipes may call the one that composes text. */
function findGranted(
  tool: string,
  grants: readonly string[],
  { skills, ports }: Pick<RunContext, "skills" | "ports">,
  mayCompose: boolean,
): Skill {
  const skill = findSkill(tool, skills, ports.catalog());
  if (!isForCode(skill) && !(mayCompose && tool === COMPOSE_SKILL))
    throw new PermissionDeniedError(`${tool} cannot be called by functions.`);
  if (!grants.includes(tool))
    throw new PermissionDeniedError(`${tool} is not in the grants of this function.`, {
      suggestions: [`Add ${tool} to its grants, and verify it again.`],
    });
  return skill;
}

function covers(
  { approvedUpTo, approvedCalls }: ParentCall,
  { id }: Skill,
  { risk, hosts }: Pick<Assessment, "risk" | "hosts">,
): boolean {
  if (approvedUpTo === undefined || !isAtMost(risk, approvedUpTo)) return false;
  if (approvedCalls === undefined) return true;
  const shown = approvedCalls.filter(({ skill }) => skill === id).flatMap((call) => call.hosts);
  return shown.includes(ANY_HOST) || hosts.every((host) => shown.includes(host));
}

/** Throws `PermissionDeniedError` for a host that the function is not granted. */
function assertHosts({ id }: Skill, hosts: readonly string[], grants: readonly string[]): void {
  const allowed = hostGrants(grants);
  if (allowed.length === 0 || allowed.includes(ANY_HOST)) return;
  const beyond = hosts.find((host) => !allowed.includes(host));
  if (beyond === undefined) return;
  throw new PermissionDeniedError(
    `${id} may not reach ${beyond}: this function is granted ${allowed.join(", ")}.`,
    {
      suggestions: [`Add host:${beyond} to its grants, and verify it again.`],
    },
  );
}

function approvalNeeded({ id }: Skill, hosts: readonly string[]): ApprovalDeniedError {
  const where = hosts.length === 0 ? "" : ` to reach ${hosts.join(", ")}`;
  return new ApprovalDeniedError(
    `${id} would need a person's approval here${where}, and code cannot wait for one.`,
    {
      suggestions: [
        "Make this call as a step of its own, or let the profile allow it.",
        ...hosts.map(
          (host) =>
            `Add host:${host} to the function's grants, so that a person is asked for it before it runs.`,
        ),
      ],
    },
  );
}
