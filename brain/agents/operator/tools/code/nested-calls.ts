import { ANY_HOST, hostGrants } from "@metahuman/core/contract/grants";
import { regionOf } from "@metahuman/core/contract/region";
import type { Risk } from "@metahuman/core/contract/trust";
import { ApprovalDeniedError, PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { SkillNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { CalledFunction } from "@metahuman/core/functions/called-functions";
import { COMPOSE_SKILL } from "@metahuman/core/functions/recipe/compose-steps";
import { isAtMost } from "@metahuman/core/policy/at-most";
import type { CallSkill } from "@metahuman/sandbox/sandbox";
import type { Assessment, NestedCall, Skill } from "@metahuman/skills/define-skill";
import { isForCode } from "@metahuman/skills/execute-code/skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import { argumentContext } from "../argument-context.ts";
import { auditCall } from "../audit-call.ts";
import { observe, observeFailure } from "../observe.ts";
import { runWithTimeout } from "../with-timeout.ts";
import { authorizeCall, type Permission } from "../authorize-call.ts";
import type { RunContext } from "../../loop/run-context.ts";
import { fillSecrets } from "./secrets.ts";

/** The call of a run that carries code out. */
export interface ParentCall {
  step: number;
  /** A person allowed it, having seen what it may do at most: calls of up to this risk need nobody again. */
  approvedUpTo?: Risk;
  /** The calls that the person was shown, where the carrying call knew them: others to hosts are refused. */
  approvedCalls?: readonly NestedCall[];
}

/** What the calls of one piece of code are made with. */
export interface NestedMeans {
  ports: SkillPorts;
  /** The ports for what a called function does in turn. */
  portsWithin(): SkillPorts;
  /** The functions that the code may call. */
  called: readonly CalledFunction[];
  /** Recipes may compose text: then `ports` has the responder that does. */
  mayCompose?: boolean;
}

/** In the audit log it is enough to tell what came back, not all of it. */
const OBSERVED = 400;

/**
 * The door for calls that code in the sandbox makes: the same arguments check, assessment, policy, time limit, output
 * check and audit as for a run's own calls, and before all that the function's grants. Code cannot wait for a person: a
 * call that would have to ask is refused, unless a person allowed the carrying call with that risk in view.
 */
export function nestedCalls(
  carrying: ParentCall,
  grants: readonly string[],
  context: RunContext,
  { ports, portsWithin, called, mayCompose = false }: NestedMeans,
): CallSkill {
  const { step } = carrying;

  async function call({ skill, args, isFunction }: NestedCallTarget, key: string, signal: AbortSignal) {
    const assessment = await skill.assess(args, ports);
    assertHosts(skill, assessment.hosts, grants);
    // Nobody is asked about it, so nothing has to be reviewed.
    const { content: _content, ...judged } = assessment;
    const permission = await authorizeCall({ step, skill, args, assessment: judged }, context);
    if (permission.kind === "ask" && !covers(carrying, skill, assessment))
      throw mustAsk(skill, assessment.hosts);
    const { id: runId, conversationId, goal: request, scratchpad } = context.run();
    const filled = fillSecrets(skill.id, args, grants, context.code.secret);
    const made = {
      assessment,
      ports: isFunction ? portsWithin() : ports,
      runId,
      conversationId,
      request,
      // A person who tries a draft out tries out the drafts that it calls.
      isDirect: isFunction && context.request.direct !== undefined,
      isNested: true,
      // What is told of the run are its own calls, not those inside of one.
      reached: () => undefined,
      scratchpad,
      idempotencyKey: key,
      now: context.now(),
      ...regionOf(context.request.request),
    };
    const outputs = await runWithTimeout(
      skill,
      (stop) => skill.run(filled.args, { ...made, signal: stop }),
      AbortSignal.any([signal, context.signal]),
    );
    return { outputs: filled.hide(outputs), permission };
  }

  let made = 0;
  /** A call of a function is a call of `function_run`: it passes the same checks, and counts as a use. */
  function targetOf(tool: string, given: Record<string, unknown>): NestedCallTarget {
    if (!tool.startsWith("function."))
      return { skill: findGranted(tool, grants, context.skills, mayCompose), args: given, isFunction: false };
    const found = called.find(({ callable }) => tool === `function.${callable}`);
    const skill = context.skills.find(({ id }) => id === "function_run");
    if (!found || !skill) throw new SkillNotFoundError(`There is no function called ${tool}.`);
    return { skill, args: { id: found.function.id, parameters: given }, isFunction: true };
  }

  return async (tool, given, signal) => {
    const began = performance.now();
    made += 1;
    let skill: Skill | undefined;
    let permission: Permission | undefined;
    const audit = (observation: ReturnType<typeof observeFailure>) => {
      const durationMs = Math.round(performance.now() - began);
      return auditCall(
        { step, action: { tool, args: given }, skill, permission, observation, durationMs },
        context,
      );
    };
    try {
      const target = targetOf(tool, given);
      skill = target.skill;
      const done = await call(
        { ...target, args: skill.parse(target.args, argumentContext(context)) },
        `${context.run().id}/${step}/${made}`,
        signal,
      );
      ({ permission } = done);
      await audit(observe(skill, done.outputs, { mode: "narrative", maxCharacters: OBSERVED }));
      return done.outputs;
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
  /** Whether a function is called. */
  isFunction: boolean;
}

/** Skills that steer a run, or that run functions in turn, are none that code may call; a recipe may compose text. */
function findGranted(
  tool: string,
  grants: readonly string[],
  skills: readonly Skill[],
  mayCompose: boolean,
): Skill {
  const skill = skills.find(({ id }) => id === tool);
  if (!skill) throw new SkillNotFoundError(`There is no skill called ${tool}.`);
  if (!isForCode(skill) && !(mayCompose && tool === COMPOSE_SKILL))
    throw new PermissionDeniedError(`${tool} is not for functions to call.`);
  if (!grants.includes(tool))
    throw new PermissionDeniedError(`${tool} is not among what this function may use.`, {
      suggestions: [`Add ${tool} to its grants, and have it verified again.`],
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

/** Throws `PermissionDeniedError` for a host beyond those that the function was confined to. */
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

function mustAsk({ id }: Skill, hosts: readonly string[]): ApprovalDeniedError {
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
