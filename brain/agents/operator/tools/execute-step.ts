import type { Approval } from "@metahuman/core/contract/approval";
import { EVERY_AGENT } from "@metahuman/core/contract/function";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { Action, Observation } from "@metahuman/core/contract/run";
import { charactersFor } from "@metahuman/core/contract/tokens";
import { CancelledError, LoopDetectedError, OutcomeUnknownError } from "@metahuman/core/errors/run-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import type { CallSkill } from "@metahuman/sandbox/sandbox";
import { type Skill, WaitForPerson } from "@metahuman/skills/define-skill";
import type { AnswerPort, CodePort, SkillPorts } from "@metahuman/skills/ports";
import { type AllowedCall, authorizeCall, type Permission } from "./authorize-call.ts";
import { argumentContext, callFields, auditCall } from "./call-context.ts";
import { codePort } from "./code/code-port.ts";
import { nestedCalls, type ParentCall } from "./code/nested-calls.ts";
import { recipePort } from "./code/recipe-port.ts";
import {
  type AuthorizedCall,
  executeCall,
  findSkill,
  observe,
  observeFailure,
  type PreparedCall,
  defaultObservationMode,
  withPathHints,
} from "./execute-call.ts";
import { regionOf } from "@metahuman/core/contract/region";
import { assertReadIsCurrent, stateBefore } from "./state-before.ts";
import { withCalculationNotes } from "../answer/own-texts.ts";
import { evidenceOf } from "../answer/review.ts";
import { answerWriterFor } from "../answer/answer-writer.ts";
import { composingWriter } from "../composer.ts";
import type { RunContext, Yielded } from "../loop/run-context.ts";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";

/** The planners whose calls a model writes. */
const PLANNING_MODELS: ReadonlySet<string> = new Set(["structured", "tool-calling"]);

const CALCULATION_SKILL = "calculate";

export interface StepCall {
  step: number;
  action: Action;
  /** Arguments that the planner gave and that the skill does not have; the observation says so. */
  leftOut?: readonly string[];
}

/**
 * Executes one step of a run: a call whose start is committed before its skill runs, and whose observation is committed
 * and audited. An error that the planner can correct becomes an observation; only cancellation and interruption are
 * thrown. Returns `waiting` when a person must decide or answer first.
 */
export async function* executeStep(
  { step, action, leftOut = [] }: StepCall,
  context: RunContext,
): AsyncGenerator<Yielded, "observed" | "waiting"> {
  const began = performance.now();
  const idempotencyKey = `${context.run().id}/${step}`;
  let permission: Permission | undefined;
  let skill: Skill | undefined;
  const progress = { isStarted: false };
  try {
    skill = findSkill(action.tool, context.skills, context.ports.catalog());
    if (PLANNING_MODELS.has(context.planner.name)) assertFilled(skill, action.args, context.run().goal);
    if (!skill.idempotent) await assertNotStarted(skill, step, context);
    const outputs = yield* executeCall<Yielded>(skill, action.args, {
      argumentContext: argumentContext(context),
      ports: portsFor({ step }, context),
      signal: context.signal,
      async authorize(prepared) {
        if (changesUnusually(prepared)) await assertNotStarted(prepared.skill, step, context);
        await assertReadIsCurrent(prepared, context);
        permission = await authorizeCall({ step, ...prepared }, context);
        if (permission.kind === "ask") throw new WaitForApproval(permission.approval);
        return stepCall(prepared, { step, permission, idempotencyKey }, context);
      },
      events: {
        async started(prepared) {
          const before = await stateBefore(prepared, context);
          progress.isStarted = true;
          return { type: "action-started", step, action, idempotencyKey, ...(before && { before }) };
        },
        stageReached: (stage) => ({ type: "stage-reached", step, stage }),
      },
    });
    const observation = withNamesLeftOut(
      observe(skill, outputs, observationLimits(skill, context)),
      skill,
      leftOut,
    );
    yield* conclude(
      skill.id === CALCULATION_SKILL && PLANNING_MODELS.has(context.planner.name)
        ? withCalculationNotes(observation, action.args["expression"], evidenceOf(context.state()))
        : observation,
    );
  } catch (error) {
    const request = requestToPerson(error, step);
    if (request) {
      yield [usageNow(context), request];
      return "waiting";
    }
    // Only a person's cancellation ends the step; after an interruption the next process resumes it.
    if (context.signal.aborted && !(context.signal.reason instanceof CancelledError))
      throw context.signal.reason;
    if (!(error instanceof MetahumanError)) context.logError(`${action.tool} failed unexpectedly.`, error);
    yield* conclude(
      observeFailure(
        withPathHints(detailOf(error, progress.isStarted ? skill : undefined, context), context.run()),
      ),
    );
  }
  return "observed";

  async function* conclude(observation: Observation): AsyncGenerator<Yielded, void> {
    const durationMs = Math.round(performance.now() - began);
    const audited = auditCall({ step, action, skill, permission, observation, durationMs }, context);
    yield { type: "observation-made", step, observation, durationMs };
    const failure = await audited;
    if (failure)
      yield {
        type: "warning-raised",
        message: "This step could not be written to the audit log.",
        error: failure,
      };
  }
}

/** The observation with a note of the arguments that the skill does not have. */
function withNamesLeftOut(observation: Observation, { id }: Skill, names: readonly string[]): Observation {
  if (names.length === 0) return observation;
  const note = `${id} has no ${names.map((name) => name.slice(0, MAX_NAME)).join(", ")}: left out, so it limits nothing here.`;
  return { ...observation, content: `${observation.content}\n${note}` };
}

const MAX_NAME = 64;

/** Thrown by the authorization of a step that needs a person's approval. */
class WaitForApproval extends Error {
  override readonly name = "WaitForApproval";

  readonly approval: Approval;

  constructor(approval: Approval) {
    super("This call needs a person's approval.");
    this.approval = approval;
  }
}

/** The event that asks a person for an approval or an answer, for an error that means that the step waits for one. */
function requestToPerson(error: unknown, step: number): StoredEventBody | undefined {
  if (error instanceof WaitForApproval) return { type: "approval-requested", step, approval: error.approval };
  if (error instanceof WaitForPerson)
    return { type: "question-asked", step, question: error.question, options: [...error.options] };
  return undefined;
}

/** Answers a call that would repeat itself with an error, without executing it. */
export async function* refuse({ step }: StepCall, reason: string): AsyncGenerator<Yielded, void> {
  const error = new LoopDetectedError(reason, {
    suggestions: [
      "Use what was observed, try another call or other arguments, ask the person, or finish with what there is.",
    ],
  });
  yield { type: "observation-made", step, observation: observeFailure(error.toDetail()), durationMs: 0 };
}

/** The arguments with which the skill of an authorized step runs. */
function stepCall(
  { assessment: { risk, nested } }: PreparedCall,
  {
    step,
    permission: { by, approvedContent },
    idempotencyKey,
  }: { step: number; permission: AllowedCall; idempotencyKey: string },
  context: RunContext,
): AuthorizedCall {
  const parent: ParentCall = {
    step,
    ...(by === "approval" && { approvedUpTo: risk, ...(nested && { approvedCalls: nested }) }),
  };
  return {
    ...callFields(context),
    ports: portsFor(parent, context),
    isDirect: context.request.direct !== undefined,
    idempotencyKey,
    ...(approvedContent !== undefined && { approvedContent }),
  };
}

/** The ports of one step. Ports that few skills use are created at their first use. */
function portsFor(parent: ParentCall, context: RunContext): SkillPorts {
  // A person may use the functions of every agent, an agent its own.
  const agentId = context.request.direct === undefined ? context.run().agentId : EVERY_AGENT;
  const functions = () => context.functionsOf(agentId);
  let answerWriter: AnswerPort | undefined;
  let code: CodePort | undefined;
  let readSkill: CallSkill | undefined;
  const callSkill: CallSkill = (skill, args, signal) => {
    // Nobody was asked about what the curator reads: a read that would need approval is refused.
    const reads = context.skills.filter(({ effects }) => effects === "read").map(({ id }) => id);
    const options = { ports, portsWithin: () => ports, called: [] };
    readSkill ??= nestedCalls({ step: parent.step }, reads, context, options);
    return readSkill(skill, args, signal);
  };
  const ports: SkillPorts = {
    ...context.ports,
    functions,
    get answerWriter() {
      return (answerWriter ??= answerPort(parent.step, context));
    },
    get summarizer() {
      return context.summarizerFor(context.state());
    },
    get code() {
      return (code ??= codePort(parent, context, () => ports));
    },
    get recipes() {
      return recipePort(parent, context, () => ports);
    },
    get curator() {
      return context.curatorFor(context.state(), { functions, code: ports.code, callSkill });
    },
  };
  return ports;
}

/** Writes answers, or the text of a step whose text a recipe composes. */
function answerPort(step: number, context: RunContext): AnswerPort {
  const state = context.state();
  return context.planner.composes?.(step)
    ? composingWriter(context.composer, state)
    : answerWriterFor(context.answerWriter, state, (text, offset) => context.onAnswerText(text, offset));
}

/** True for a skill that usually only reads and would change something with these arguments. */
function changesUnusually({ skill: { effects }, assessment: { effect = effects } }: PreparedCall): boolean {
  return effects === "read" && effect !== "read";
}

/** Throws `OutcomeUnknownError` when an earlier process may have run the step. */
async function assertNotStarted(skill: Skill, step: number, context: RunContext): Promise<void> {
  if (!(await context.actionStarted(step))) return;
  throw new OutcomeUnknownError(
    "Outcome unknown: check before you repeat it. The process ended while this call was running; it may have taken effect.",
    {
      suggestions: [
        `Look at what ${skill.id} should have changed, and call it again only if that is missing.`,
      ],
    },
  );
}

function detailOf(error: unknown, started: Skill | undefined, { config }: RunContext): ErrorDetail {
  const { context: details, ...rest } = toErrorDetail(error);
  const detail = { ...rest, ...(details && config.logging.verboseErrors && { context: details }) };
  if (detail.code !== "CANCELLED" || !started || started.effects === "read") return detail;
  return { ...detail, message: "This call was stopped while it ran; it may have taken effect in part." };
}

function observationLimits(skill: Skill, { request, config }: RunContext) {
  return {
    mode: request.observationMode ?? defaultObservationMode(skill),
    region: regionOf(request.request),
    maxCharacters: charactersFor(config.budgets.observation),
  };
}

/** Recorded before every pause, so that a waiting run shows its cost so far. */
function usageNow(context: RunContext): StoredEventBody {
  return { type: "usage-recorded", usage: context.usage() };
}

/** `${path}`, `${title|capital}`, `${steps.1.path}`, `{path}`: the placeholders of a template. */
const PLACEHOLDER = /\$?\{\s*[\p{L}_][\p{L}\p{N}_.]*\s*(?:\|\s*\p{L}+\s*)?\}/gu;
const TEMPLATE_VALUE = /\$\{\s*[\p{L}_][\p{L}\p{N}_.]*\s*(?:\|\s*\p{L}+\s*)?\}/u;
/** A result of an earlier step, as recipes name it: no text of a person has one. */
const STEP_RESULT = /\{\s*steps\.\d+\./u;
/** Arguments whose text may be a template itself: a script, a letter with fields. */
const PROSE = new Set(["content", "text", "description", "find", "item", "end"]);
const PATHS = new Set(["path", "from", "to"]);

/**
 * Throws `InvalidArgsError` for an argument with a placeholder of a guide that the model did not fill in. Written text
 * may contain placeholders but not consist of them. Words of the person are not placeholders.
 */
export function assertFilled(
  { id, category }: Pick<Skill, "id" | "category">,
  args: Record<string, unknown>,
  request: string,
): void {
  // The steps of functions and code are templates.
  if (category === "functions" || id === "execute_code") return;
  for (const { place, value } of leavesOf(args)) {
    if (typeof value !== "string") continue;
    const [found] = value.match(PLACEHOLDER) ?? [];
    if (found === undefined || request.includes(found)) continue;
    const [name = place] = place.split(".");
    const isOnlyPlaceholders = !/[\p{L}\p{N}]/u.test(value.replaceAll(PLACEHOLDER, ""));
    const isIncomplete =
      STEP_RESULT.test(value) || PATHS.has(name) || (!PROSE.has(name) && TEMPLATE_VALUE.test(value));
    if (!isOnlyPlaceholders && !isIncomplete) continue;
    throw new InvalidArgsError(`${id}: ${name} still has the placeholder ${found}.`, {
      suggestions: ["Fill it in: write the value itself, from the request or from an observation."],
      context: { argument: name },
    });
  }
}
