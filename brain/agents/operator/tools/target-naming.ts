import type { Approval } from "@metahuman/core/contract/approval";
import type { Action } from "@metahuman/core/contract/run";
import {
  isNamedTarget,
  type PriorText,
  sourcePhrase,
  removesTarget,
  type TargetNaming,
} from "@metahuman/core/policy/named-target";
import type { Assessment } from "@metahuman/skills/define-skill";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import type { PreparedCall } from "./execute-call.ts";
import { ASK_SKILL } from "../planners/built-in/follow.ts";
import type { RunContext } from "../loop/run-context.ts";

export type Unnamed = Extract<TargetNaming, { named: false }>;

/** The skill that runs functions, whose constants count as named once a person has promoted them. */
const FUNCTION_RUN_SKILL = "function_run";

/**
 * Whether the person named the target of a call that deletes, moves or overwrites. Targets of the built-in planner and of
 * direct calls always are: both come from the person's words alone. The constants of a promoted function count as named.
 */
export async function namingOf(
  { step, skill, args, assessment }: PreparedCall & { step: number },
  context: RunContext,
): Promise<TargetNaming> {
  const { planner, request, continued } = context;
  if (request.direct !== undefined || planner.name === "built-in") return { named: true };
  const action = withCanonicalPaths({ tool: skill.id, args }, assessment);
  if (!removesTarget(action)) return { named: true };
  const run = context.run();
  const scratchpad = [...continued, ...run.scratchpad];
  const reasons = (await context.approvals()).flatMap(({ reason }) => reason ?? []);
  const parent = run.scratchpad.find((entry) => entry.step === step)?.action;
  const { conversation, context: known } = context.state();
  const { target, title: question } = assessment.preview;
  const quoted = /“(.+)”/u.exec(question)?.[1];
  return isNamedTarget(action, {
    request: run.goal,
    conversation: conversation.turns.flatMap(({ role, text }) => (role === "person" ? [text] : [])),
    answers: [...answersIn(scratchpad), ...reasons, ...valuesOf(request)],
    scratchpad,
    memories: known?.memories.map(({ memory }) => memory.content) ?? [],
    titles: {
      ...Object.fromEntries(known?.memories.map(({ memory }) => [memory.id, memory.content]) ?? []),
      ...(target !== undefined && quoted !== undefined && { [target]: quoted }),
    },
    ...functionOf(parent, planner.name),
  });
}

/** Adds the source of the target to the preview. */
export function withSource(assessment: Assessment, naming: Unnamed): Assessment {
  const facts = [...assessment.preview.facts, { label: "target", value: sourcePhrase(naming) }];
  return { ...assessment, preview: { ...assessment.preview, facts } };
}

export function targetSourceOf(naming: Unnamed): NonNullable<Approval["targetSource"]> {
  const { source, set } = naming;
  return { text: sourcePhrase(naming), from: source, ...(set !== undefined && { set }) };
}

/** Only the assessment knows whether the call overwrites something, and the canonical form of its paths. */
function withCanonicalPaths(
  { tool, args }: Action,
  { paths: [first, second], overwrites = false }: Pick<Assessment, "paths" | "overwrites">,
): Action {
  return {
    tool,
    args: {
      ...args,
      ...(tool === "archive_restore" && first !== undefined && { path: first }),
      ...("path" in args && first !== undefined && { path: first }),
      ...("from" in args && first !== undefined && { from: first }),
      ...("to" in args && second !== undefined && { to: second }),
      ...("overwrite" in args && { overwrite: overwrites }),
      ...("create" in args && { create: !overwrites }),
    },
  };
}

function functionOf(parent: Action | undefined, planner: string): Pick<PriorText, "function"> {
  if (parent?.tool === FUNCTION_RUN_SKILL) return { function: { parameters: parent.args["parameters"] } };
  return planner === "replay" ? { function: { parameters: undefined } } : {};
}

/** The values that the person confirmed or typed for the function that they follow. */
function valuesOf({ request: { follow } }: RunContext["request"]): string[] {
  return leavesOf(follow?.values ?? {}).flatMap(({ value }) => (typeof value === "string" ? [value] : []));
}

/** The answers of the person, each with its question unless the answer is no. */
function answersIn(scratchpad: PriorText["scratchpad"] = []): string[] {
  return scratchpad.flatMap(({ action, observation }) => {
    const answer = observation?.outputs?.["answer"];
    if (action?.tool !== ASK_SKILL || observation?.success !== true || typeof answer !== "string") return [];
    const { question } = action.args;
    const isNo = /^\W*(?:no|nope|nein|non|nee|nie|don'?t|do not|stop|cancel)\b/iu.test(answer);
    return isNo || typeof question !== "string" ? [answer] : [`${question} ${answer}`];
  });
}
