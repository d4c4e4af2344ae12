import { EVERY_AGENT } from "@metahuman/core/contract/function";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { Action, Observation } from "@metahuman/core/contract/run";
import { regionOf } from "@metahuman/core/contract/region";
import { charactersFor } from "@metahuman/core/contract/tokens";
import { CancelledError, LoopDetectedError, OutcomeUnknownError } from "@metahuman/core/errors/run-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { nearest } from "@metahuman/core/errors/nearest";
import { SkillNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { type Assessment, type Skill, type SkillCall, WaitForPerson } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import { argumentContext } from "./argument-context.ts";
import { createSkillFinder } from "@metahuman/skills/support/nearest-skills";
import { auditCall } from "./audit-call.ts";
import { composingResponder } from "../composer.ts";
import { codePort } from "./code/code-port.ts";
import { recipePort } from "./code/recipe-port.ts";
import type { ParentCall } from "./code/nested-calls.ts";
import { observe, observeFailure, usualMode, withPathHints } from "./observe.ts";
import { orAborted, runWithTimeout } from "./with-timeout.ts";
import { authorizeCall, type Permission } from "./authorize-call.ts";
import type { RunContext, Yielded } from "../loop/run-context.ts";
import { reportStages } from "../loop/report-stages.ts";
import { stateBefore } from "./state-before.ts";
import { ASK_SKILL } from "../planners/built-in/follow.ts";
import { answerWriterFor } from "../answer/answer-writer.ts";

export interface PlannedCall {
  step: number;
  action: Action;
}

/**
 * The only door to skills: look-up → schema → assessment → policy and approval → committed start → time limit and abort
 * → run → output schema → observation → audit. What the planner can repair becomes an observation; only cancellation
 * and interruption are thrown. Ends with `waiting` when a person has to decide or answer first.
 */
export async function* executeCall(
  call: PlannedCall,
  context: RunContext,
): AsyncGenerator<Yielded, "observed" | "waiting"> {
  const began = performance.now();
  let permission: Permission | undefined;
  let skill: Skill | undefined;
  let started = false;
  try {
    skill = findSkill(call.action.tool, context);
    const args = skill.parse(call.action.args, argumentContext(context));
    if (!skill.idempotent && (await context.actionStarted(call.step))) throw outcomeUnknown(skill);
    const carrying = { step: call.step };
    const assessment = await orAborted(skill.assess(args, portsFor(carrying, context)), context.signal);
    if (changesUnusually(skill, assessment) && (await context.actionStarted(call.step)))
      throw outcomeUnknown(skill);
    permission = await authorizeCall({ step: call.step, skill, args, assessment }, context);
    if (permission.kind === "ask") {
      yield [
        usageNow(context),
        { type: "approval-requested", step: call.step, approval: permission.approval },
      ];
      return "waiting";
    }
    const idempotencyKey = `${context.run().id}/${call.step}`;
    const before = await stateBefore(skill, args, assessment, context);
    yield {
      type: "action-started",
      step: call.step,
      action: call.action,
      idempotencyKey,
      ...(before && { before }),
    };
    started = true;
    const approved = permission.by === "approval" && {
      approvedUpTo: assessment.risk,
      ...(assessment.nested && { approvedCalls: assessment.nested }),
    };
    const { approvedContent } = permission;
    const judged = {
      assessment,
      idempotencyKey,
      carrying: { ...carrying, ...approved },
      ...(approvedContent !== undefined && { approvedContent }),
    };
    const outputs = yield* run(skill, args, judged, context);
    yield* conclude(observe(skill, outputs, readingOf(skill, context)));
  } catch (error) {
    if (error instanceof WaitForPerson) {
      yield [
        usageNow(context),
        { type: "question-asked", step: call.step, question: error.question, options: [...error.options] },
      ];
      return "waiting";
    }
    // Stopped from outside while it ran: only a person's wish ends the step, otherwise the next process looks after it.
    if (context.signal.aborted && !(context.signal.reason instanceof CancelledError))
      throw context.signal.reason;
    if (!(error instanceof MetahumanError))
      context.logError(`${call.action.tool} failed unexpectedly.`, error);
    yield* conclude(
      observeFailure(withPathHints(detailOf(error, started ? skill : undefined, context), context.run())),
    );
  }
  return "observed";

  async function* conclude(observation: Observation): AsyncGenerator<Yielded, void> {
    const durationMs = Math.round(performance.now() - began);
    const audited = auditCall({ ...call, skill, permission, observation, durationMs }, context);
    yield { type: "observation-made", step: call.step, observation, durationMs };
    const failure = await audited;
    if (failure)
      yield {
        type: "warning-raised",
        message: "This step could not be written to the audit log.",
        error: failure,
      };
  }
}

/** A call that is not made, because it would only go on in circles. */
export async function* refuse({ step }: PlannedCall, reason: string): AsyncGenerator<Yielded, void> {
  const error = new LoopDetectedError(reason, {
    suggestions: [
      "Use what was observed, try another call or other arguments, ask the person, or finish with what there is.",
    ],
  });
  yield { type: "observation-made", step, observation: observeFailure(error.toDetail()), durationMs: 0 };
}

async function* run(
  skill: Skill,
  args: Record<string, unknown>,
  {
    carrying,
    ...judged
  }: Pick<SkillCall, "assessment" | "idempotencyKey" | "approvedContent"> & {
    carrying: ParentCall;
  },
  context: RunContext,
): AsyncGenerator<Yielded, Record<string, unknown>> {
  const { id, conversationId, goal, scratchpad } = context.run();
  const call = {
    ...judged,
    ports: portsFor(carrying, context),
    runId: id,
    conversationId,
    request: goal,
    saidBefore: saidBefore(context),
    isDirect: context.request.direct !== undefined,
    scratchpad,
    now: context.now(),
    ...regionOf(context.request.request),
  };
  return yield* reportStages(
    carrying.step,
    (reached, stop) => runWithTimeout(skill, (signal) => skill.run(args, { ...call, reached, signal }), stop),
    context.signal,
  );
}

/** The person's earlier turns of the conversation, and their answers to questions of this run. */
function saidBefore(context: RunContext): string[] {
  const turns = context.state().conversation.turns.filter(({ role }) => role === "person");
  const answers = [...context.continued, ...context.run().scratchpad].flatMap(({ action, observation }) => {
    const answer = action?.tool === ASK_SKILL ? observation?.outputs?.["answer"] : undefined;
    return typeof answer === "string" ? [answer] : [];
  });
  return [...turns.map(({ text }) => text), ...answers];
}

function portsFor(carrying: ParentCall, context: RunContext): SkillPorts {
  const state = context.state();
  const responder = context.planner.composes?.(carrying.step)
    ? composingResponder(context.composer, state)
    : answerWriterFor(context.wording, state, (text, offset) => context.answerGrew(text, offset));
  // A person may use the functions of every agent, an agent its own.
  const agentId = context.request.direct === undefined ? context.run().agentId : EVERY_AGENT;
  const functions = () => context.functionsOf(agentId);
  const code = codePort(carrying, context, () => ports);
  const ports: SkillPorts = {
    ...context.ports,
    responder,
    summarizer: context.summarizerFor(context.state()),
    code,
    recipes: recipePort(carrying, context, () => ports),
    functions,
    curator: context.curatorFor(context.state(), { functions, code }),
  };
  return ports;
}

/** How many skills are suggested in place of one that does not exist. */
const MOST_NEAR = 5;
/** So many of them for being written alike; the rest for doing what the name says. */
const NEAR_BY_LETTERS = 3;

/** Throws `SkillNotFoundError` with the ids that are written or meant alike: `read_file` is near to `fs_read`. */
function findSkill(id: string, { skills, ports }: Pick<RunContext, "skills" | "ports">): Skill {
  const found = skills.find((skill) => skill.id === id);
  if (found) return found;
  const ids = skills.map((skill) => skill.id);
  const words = id.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const reordered = ids.filter((one) => one.split("_").every((word) => words.includes(word)));
  const meant = createSkillFinder(ports.catalog()).nearest(words.join(" "));
  const near = new Set([
    ...reordered,
    ...nearest(id, ids, NEAR_BY_LETTERS),
    ...meant.map(({ card }) => card.id),
  ]);
  const suggestions = [...near].filter((one) => ids.includes(one)).slice(0, MOST_NEAR);
  throw new SkillNotFoundError(`There is no skill called ${id}.`, {
    suggestions: suggestions.length > 0 ? suggestions : ["Find one with skill_search."],
  });
}

/** A skill that usually only reads, and would change something with these arguments. */
function changesUnusually({ effects }: Skill, { effect = effects }: Pick<Assessment, "effect">): boolean {
  return effects === "read" && effect !== "read";
}

function outcomeUnknown(skill: Skill): OutcomeUnknownError {
  return new OutcomeUnknownError(
    "Outcome unknown: check before repeating. The process ended while this call was running; it may have taken effect.",
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

function readingOf(skill: Skill, { request, config }: RunContext) {
  return {
    mode: request.observationMode ?? usualMode(skill),
    maxCharacters: charactersFor(config.budgets.observation),
  };
}

/** Recorded before every pause, so that a run which waits for days already shows what it cost. */
function usageNow(context: RunContext): StoredEventBody {
  return { type: "usage-recorded", usage: context.usage() };
}
