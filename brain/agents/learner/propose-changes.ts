import { wholeWords } from "@metahuman/core/text/patterns";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { FunctionChange, FunctionMemory, Recipe } from "@metahuman/core/contract/function";
import type { Run } from "@metahuman/core/contract/run";
import { fenceData } from "@metahuman/core/context/fenced";
import { namesEveryOccasion } from "@metahuman/core/context/relevant-memories";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { endingPattern } from "@metahuman/core/functions/learning/generalize-run";
import { applyChange } from "@metahuman/core/functions/store/content-change";
import { contentOf } from "@metahuman/core/functions/store/stored-function";
import { recipeProblems } from "@metahuman/core/functions/verify/argument-shapes";
import { holdsSecret } from "@metahuman/core/log/redact";
import { isRecord } from "@metahuman/core/text/is-record";
import { skillCard } from "@metahuman/skills/skill-card";
import type { FunctionUseRecord } from "@metahuman/core/functions/functions-port";
import { skillShapes } from "../verifier/verifier.ts";
import { askCurator, type CuratorCallOptions } from "./ask-curator.ts";
import { describe } from "./describe.ts";
import type { EndedRun } from "./run-learner.ts";
import { factsAbout, hasSucceeded } from "./should-learn.ts";

/** Words that say that something was to be done in another way: "no, …", "instead", "should be", "next time". */
const CORRECTS = new RegExp(
  [
    String.raw`^\W*(?:no|nope|wrong|nein|non)\b\W`,
    wholeWords(
      "instead|next time",
      String.raw`(?:should|shall|must)(?:n['’]t)?(?: not| also| always)? (?:be|have|go|say|get|contain|include|start|end)`,
      String.raw`(?:that|it)(?:['’]s| is) (?:wrong|not right)`,
      "stattdessen|nächstes mal|sollte[nt]?",
      "à la place|plutôt|la prochaine fois",
      "en lugar de|la próxima vez",
    ),
  ].join("|"),
  "iu",
);

const Value = z.union([z.string().max(2_000), z.number(), z.boolean()]);
const Correction = z.object({
  isStanding: z.boolean(),
  reason: z.string().trim().max(600).default(""),
  changes: z
    .array(z.object({ step: z.int().positive(), argument: z.string().min(1).max(100), value: Value }))
    .max(20)
    .default([]),
  defaults: z
    .array(z.object({ parameter: z.string(), value: Value }))
    .max(20)
    .default([]),
  added: z
    .array(z.object({ skill: z.string(), args: z.record(z.string(), z.unknown()) }))
    .max(5)
    .default([]),
  steps: z.array(z.string().trim().min(1).max(500)).max(20).default([]),
});
type Correction = z.output<typeof Correction>;

/**
 * The function that the request of this run corrects in words: the one that the run, or the last run before it that did
 * something, followed or taught. A rule for every later occasion may also concern the function that the run was offered.
 * Undefined if there is none, or if nothing may be learned from the run.
 */
export async function correctedFunction(ended: EndedRun): Promise<FunctionMemory | undefined> {
  const { run, outcome, role, mode, trustLevel, config, replay, isDirect, isScheduled, skills } = ended;
  if (outcome !== "answered" || mode === "emulation" || isDirect || isScheduled) return undefined;
  if (!config.autoLearn || (role !== "owner" && role !== "member")) return undefined;
  if (trustLevel === "observe" || trustLevel === "suggest") return undefined;
  // A replay explains every word of its request.
  if (replay && replay.deviation === undefined) return undefined;
  const isRule = namesEveryOccasion(run.goal);
  if (!isRule && !CORRECTS.test(run.goal)) return undefined;
  const before = (await ended.earlierRuns()).find(({ scratchpad }) =>
    scratchpad.some((entry) => hasSucceeded(entry, skills)),
  );
  // Before anything was done, "it should say …" is a part of the order.
  if (!isRule && before === undefined) return undefined;
  const [offered] = isRule ? run.functionsUsed : [];
  const id = followedBy(run) ?? (before && (followedBy(before) ?? before.learnedFunction?.id)) ?? offered?.id;
  if (id === undefined) return undefined;
  try {
    const found = await ended.functions.loadFunction(id);
    return found.kind === "code" || found.status === "rejected" ? undefined : found;
  } catch (error) {
    if (error instanceof FunctionNotFoundError) return undefined;
    throw error;
  }
}

const followedBy = ({ functionsUsed }: Run): string | undefined =>
  functionsUsed.find(({ followed }) => followed)?.id;

/**
 * Proposes the function as the person wants it from now on, and resolves to a sentence for them; a person accepts the
 * proposal. Undefined without a model, and if the words concern only what was just done or the change would not fit the
 * skills.
 */
export async function proposeCorrection(
  corrected: FunctionMemory,
  { run, functions, skills }: EndedRun,
  curating: CuratorCallOptions,
): Promise<string | undefined> {
  const calls = corrected.recipe?.actions.map(
    ({ skill, args }, index) => `${String(index + 1)}. ${skill} ${JSON.stringify(args)}`,
  );
  const user = [
    `Function: ${fenceData(`${corrected.title}\n${corrected.summary}`)}`,
    `Parameters: ${fenceData(JSON.stringify(corrected.parameters))}`,
    calls ? `Calls:\n${fenceData(calls.join("\n"))}` : `Steps:\n${fenceData(corrected.steps.join("\n"))}`,
    `Asked as: ${fenceData(corrected.examples.at(-1)?.prompt ?? corrected.title)}`,
    `What was done after the correction:\n${fenceData(callsIn(run).join("\n"))}`,
    `The correction: ${fenceData(run.goal)}`,
  ].join("\n");
  const correction = await askCurator(Correction, { prompt: "correct-function", user }, curating);
  if (!correction?.isStanding || holdsSecret(correction)) return undefined;
  const isAllowed = (skill: string): boolean =>
    corrected.skillsUsed.includes(skill) ||
    run.scratchpad.some((entry) => entry.action?.tool === skill && hasSucceeded(entry, skills));
  if (!correction.added.every(({ skill }) => isAllowed(skill))) return undefined;
  const change = changeOf(corrected, correction, skills);
  if (change === undefined) return undefined;
  const content = applyChange(contentOf(corrected), change);
  const shapes = skillShapes((id) => skills.find((skill) => skill.id === id));
  if (recipeProblems(content, shapes).length > 0) return undefined;
  const { status } = await functions.proposeRevision(
    corrected.id,
    {
      change,
      reason: `You said: “${run.goal.slice(0, 500)}”. ${correction.reason}`.trim(),
      origin: "learned",
      sourceOperatorRunId: run.id,
    },
    { by: "learner", isPerson: false, isOwner: false, runId: run.id },
  );
  return status === "accepted"
    ? `The function “${corrected.title}” was changed as you said.`
    : `A change of the function “${corrected.title}” was prepared from your correction. It applies once you accept it on the Functions page.`;
}

const callsIn = ({ scratchpad }: Run): string[] =>
  scratchpad.flatMap(({ action, observation }) =>
    action && observation?.success ? [`${action.tool} ${JSON.stringify(action.args).slice(0, 300)}`] : [],
  );

/** The change of the function; undefined if nothing changes, or if it names a step or parameter that does not exist. */
function changeOf(
  corrected: FunctionMemory,
  { changes, defaults, added, steps }: Correction,
  skills: EndedRun["skills"],
): FunctionChange | undefined {
  const { recipe } = corrected;
  if (!recipe) return steps.length === 0 || isDeepStrictEqual(steps, corrected.steps) ? undefined : { steps };
  const actions = structuredClone(recipe.actions);
  for (const { step, argument, value } of changes) {
    const action = actions[step - 1];
    if (!action) return undefined;
    setArgument(action, argument.split("."), value);
  }
  const hasUnknown = [...actions, ...added].some(
    ({ skill, args }) => !hasArguments(skill, Object.keys(args), skills),
  );
  if (hasUnknown) return undefined;
  actions.push(...added.map((call) => ({ ...call, expect: [] })));
  const byName = new Map(defaults.map(({ parameter, value }) => [parameter, value]));
  const { parameters } = corrected;
  if (defaults.some(({ parameter }) => !parameters.some(({ name }) => name === parameter))) return undefined;
  const next = {
    recipe: { ...recipe, actions },
    parameters: parameters.map((one) =>
      byName.has(one.name) ? { ...one, required: false, default: byName.get(one.name) } : one,
    ),
  };
  if (isDeepStrictEqual(next, { recipe, parameters })) return undefined;
  return {
    ...next,
    skillsUsed: [...new Set([...corrected.skillsUsed, ...actions.map(({ skill }) => skill)])],
    steps: describe(
      { actions, example: corrected.examples[0] ?? { prompt: corrected.title } },
      factsAbout(skills),
    ).steps,
    // The results of the examples were at places that the correction may have changed.
    examples: corrected.examples.map(({ resultPath: _before, ...example }) => example),
  };
}

/** True if the skill has all these arguments. */
function hasArguments(id: string, names: readonly string[], skills: EndedRun["skills"]): boolean {
  const skill = skills.find((one) => one.id === id);
  const inputs = skill ? skillCard(skill).inputs.map(({ name }) => name) : [];
  return names.every((name) => inputs.includes(name));
}

/** Sets an argument, or a field of a record in it, and expects the new value wherever the old one was expected. */
function setArgument(
  action: Recipe["actions"][number],
  [argument = "", ...fields]: readonly string[],
  value: string | number | boolean,
): void {
  const [field] = fields;
  const known = action.args[argument];
  action.args[argument] = field !== undefined && isRecord(known) ? { ...known, [field]: value } : value;
  action.expect = action.expect.map((one) => {
    if (one.field !== argument) return one;
    if (one.is === "equals") return { ...one, value };
    return one.is === "matches" ? { ...one, value: endingPattern(String(value)) } : one;
  });
}

const Repair = z.object({
  reason: z.string().trim().min(3).max(600),
  summary: z.string().trim().min(3).max(1_000),
  steps: z.array(z.string().trim().min(1).max(500)).min(1).max(20),
});

/**
 * Proposes better steps for a function that was followed and failed; does nothing without a model. A person decides.
 */
export async function proposeRepair(
  { functionId, error }: FunctionUseRecord,
  { functions, run }: EndedRun,
  curating: CuratorCallOptions,
): Promise<void> {
  const failed = await functions.loadFunction(functionId);
  const happened = run.scratchpad.flatMap(({ step, action, observation }) =>
    action
      ? [
          `${String(step)}. ${action.tool} ${JSON.stringify(action.args).slice(0, 300)} → ${(observation?.content ?? "").slice(0, 300)}`,
        ]
      : [],
  );
  const user = [
    `Function: ${fenceData(`${failed.title}\n${failed.summary}\n${failed.steps.join("\n")}`)}`,
    `Request: ${fenceData(run.goal)}`,
    `What happened:\n${fenceData(happened.join("\n"))}`,
    `Failure: ${fenceData(error ?? "")}`,
  ].join("\n");
  const repair = await askCurator(Repair, { prompt: "repair-function", user }, curating);
  if (repair === undefined || holdsSecret(repair)) return;
  const { reason, summary, steps } = repair;
  await functions.proposeRevision(
    functionId,
    { change: { summary, steps }, reason, origin: "failure", sourceOperatorRunId: run.id },
    { by: "learner", isPerson: false, isOwner: false, runId: run.id },
  );
}
