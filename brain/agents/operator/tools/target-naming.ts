import type { Approval } from "@metahuman/core/contract/approval";
import type { Action } from "@metahuman/core/contract/run";
import { isAskedFor, isNamedTarget, needsNaming, sourcePhrase } from "@metahuman/core/policy/named-target";
import { withoutPastedText } from "@metahuman/core/policy/pasted-text";
import { asksOnlyToLook } from "@metahuman/core/policy/target-words";
import type { PriorText, TargetNaming } from "@metahuman/core/policy/target-source";
import type { Assessment } from "@metahuman/skills/define-skill";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import type { PreparedCall } from "./execute-call.ts";
import type { EarlierCall, EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { isRecord } from "@metahuman/core/text/is-record";
import { editTable } from "@metahuman/skills/table-edit/edit-table";
import { TableEditArgs } from "@metahuman/skills/table-edit/skill";
import { ASK_SKILL } from "../planners/built-in/follow.ts";
import type { RunContext } from "../loop/run-context.ts";
import { LIMITS_YES, onlyAgrees, restAfterYes } from "@metahuman/core/language/grammar/yes-no";

export type UnnamedTarget = Extract<TargetNaming, { named: false }>;

/** The skill that runs functions, whose constants count as named once a person has promoted them. */
const FUNCTION_RUN_SKILL = "function_run";

/**
 * Whether the person named what a call deletes, moves, overwrites, changes or adds to, and wrote what it schedules or remembers. Targets of the built-in planner and of
 * direct calls always are: both come from the person's words alone. The constants of a promoted function count as named.
 */
export async function targetNamingOf(
  { step, skill, args, assessment }: PreparedCall & { step: number },
  context: RunContext,
): Promise<TargetNaming> {
  const { planner, request, continued } = context;
  if (request.direct !== undefined || planner.name === "built-in") return { named: true };
  const action = withAssessedEffect({ tool: skill.id, args }, assessment);
  const run = context.run();
  const own = withoutPastedText(run.goal);
  const isUnasked = (assessment.effect ?? skill.effects) === "write" && asksOnlyToLook(own);
  if (!isUnasked && !needsNaming(action)) return { named: true };
  const scratchpad = [...continued, ...run.scratchpad];
  const reasons = (await context.approvals()).flatMap(({ reason }) => reason ?? []);
  const parent = run.scratchpad.find((entry) => entry.step === step)?.action;
  const { conversation, context: known } = context.state();
  const { record } = assessment;
  const earlier = await context.earlier();
  const turns = conversation.turns.flatMap(({ role, text }) => (role === "person" ? [text] : []));
  const prior: PriorText = {
    request: own,
    // The prompt shows older requests only in a summary.
    conversation: [...new Set([...earlier.map(({ request: text }) => text).toReversed(), ...turns])].map(
      withoutPastedText,
    ),
    answers: [...answersIn(scratchpad), ...reasons, ...valuesOf(request)],
    scratchpad,
    memories: known?.memories.map(({ memory }) => memory.content) ?? [],
    titles: {
      ...Object.fromEntries(known?.memories.map(({ memory }) => [memory.id, memory.content]) ?? []),
      ...(record && { [record.id]: record.title }),
    },
    made: targetsOfEarlierCalls(earlier, context.skills),
    ownTexts: (await changesOwnText({ assessment }, context)) ? assessment.paths : [],
    ...functionOf(parent, planner.name),
  };
  const naming = isNamedTarget(action, prior);
  return naming.named && isUnasked ? isAskedFor(action, prior) : naming;
}

/**
 * True for a call that changes a text in `out/` that the operator wrote in this conversation, and in which nobody changed anything since,
 * so that nobody's own words are lost.
 */
async function changesOwnText(
  { assessment: { preview } }: Pick<PreparedCall, "assessment">,
  context: Pick<RunContext, "earlier" | "run">,
): Promise<boolean> {
  const { target, diff } = preview;
  if (target?.startsWith("out/") !== true || diff === undefined || diff.clipped || diff.before === "")
    return false;
  const before = (await context.earlier()).toReversed().flatMap(({ calls }) => calls);
  const own = context
    .run()
    .scratchpad.flatMap(({ action, observation }) =>
      action && observation?.success === true
        ? [{ skill: action.tool, args: action.args, outputs: observation.outputs }]
        : [],
    );
  return textWritten([...before, ...own], target) === diff.before;
}

/** The text that a file has after these calls, if they wrote it from its first to its last word; `undefined` otherwise. */
function textWritten(calls: readonly EarlierCall[], path: string): string | undefined {
  let text: string | undefined;
  for (const { skill, args, outputs } of calls) {
    if (outputs?.["path"] !== path) continue;
    const { content, find, text: put, action = "replace" } = args;
    if (skill === "fs_write") text = typeof content === "string" ? content : undefined;
    if (skill === "table_edit") text = text === undefined ? undefined : withTableEdit(text, args, outputs);
    if (skill !== "fs_edit") continue;
    const parts = typeof find === "string" && action === "replace" ? text?.split(find) : undefined;
    text = parts?.length === 2 && typeof put === "string" ? parts.join(put) : undefined;
  }
  return text;
}

/** The text of a table after a call of `table_edit`, with the values that the call has read as days, such as "today". */
function withTableEdit(
  text: string,
  args: EarlierCall["args"],
  outputs: NonNullable<EarlierCall["outputs"]>,
): string | undefined {
  const { path, cells, after } = outputs;
  const { data } = TableEditArgs.safeParse({
    ...args,
    ...(isRecord(args["values"]) && isRecord(cells) && { values: cells }),
    ...(args["value"] !== undefined && typeof after === "string" && { value: after }),
  });
  if (data === undefined) return undefined;
  try {
    return editTable(text, data, String(path)).text;
  } catch (error) {
    if (error instanceof InvalidArgsError) return undefined;
    throw error;
  }
}

/** Adds the source of the target to the preview. */
export function withSource(assessment: Assessment, naming: UnnamedTarget): Assessment {
  const facts = [...assessment.preview.facts, { label: "target", value: sourcePhrase(naming) }];
  return { ...assessment, preview: { ...assessment.preview, facts } };
}

export function targetSourceOf(naming: UnnamedTarget): NonNullable<Approval["targetSource"]> {
  const { source, set } = naming;
  return { text: sourcePhrase(naming), from: source, ...(set !== undefined && { set }) };
}

/** The ids and paths that the calls of earlier requests of the conversation created or changed. */
function targetsOfEarlierCalls(earlier: readonly EarlierRequest[], skills: RunContext["skills"]): string[] {
  const writing = new Set(skills.filter(({ effects }) => effects === "write").map(({ id }) => id));
  return earlier
    .flatMap(({ calls }) => calls)
    .filter(({ skill }) => writing.has(skill))
    .flatMap(({ outputs: { path, to, id, task } = {} }) => [
      path,
      to,
      id,
      isRecord(task) ? task["id"] : undefined,
    ])
    .filter((one) => typeof one === "string");
}

/** Only the assessment knows whether the call creates or overwrites something, and the canonical form of its paths and ids. */
function withAssessedEffect(
  { tool, args }: Action,
  {
    paths: [first, second],
    overwrites = false,
    creates = false,
    record,
  }: Pick<Assessment, "paths" | "overwrites" | "creates" | "record">,
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
      ...(creates && { create: true }),
      // A schedule may be found by words of its title, or as the only one.
      ...((tool === "schedule_update" || tool === "schedule_delete") && record && { id: record.id }),
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

/**
 * An answer that confirms a question, or all that it names. A model words the question, so it names nothing for the person otherwise:
 * "delete diary.md, or a short text?", answered with "a short text".
 */
const confirms = (answer: string): boolean =>
  onlyAgrees(answer) ||
  ((restAfterYes(answer) !== undefined || NAMES_ALL.test(answer)) && !LIMITS_YES.test(answer));
const NAMES_ALL =
  /^[^\p{L}\p{N}]*(?:both|all(?!\s+right)|each|every\p{L}*|them|those|alle|alles|beide|tous|toutes|todos|todas|tutt[ie]|kaikki)(?![\p{L}\p{N}])/iu;

/** The answers of the person, with the questions that they confirm. */
function answersIn(scratchpad: PriorText["scratchpad"] = []): string[] {
  return scratchpad.flatMap(({ action, observation }) => {
    const answer = observation?.outputs?.["answer"];
    if (action?.tool !== ASK_SKILL || observation?.success !== true || typeof answer !== "string") return [];
    const { question } = action.args;
    const isConfirmed = confirms(answer) && typeof question === "string";
    return isConfirmed ? [`${question} ${answer}`] : [answer];
  });
}
