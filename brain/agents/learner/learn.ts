import { isDeepStrictEqual } from "node:util";
import {
  type FunctionChange,
  type FunctionExample,
  type FunctionMemory,
  type NewFunction,
  Recipe,
} from "@metahuman/core/contract/function";
import type { FunctionActor, ProposedRevision } from "@metahuman/core/functions/functions-port";
import { withoutPastedText } from "@metahuman/core/policy/pasted-text";
import { asksOnlyToLook } from "@metahuman/core/policy/target-words";
import { areUnrelated, unnamedTarget } from "@metahuman/core/functions/learning/unlearnable-run";
import { generalizeRun, type GeneralizedRun } from "@metahuman/core/functions/learning/generalize-run";
import { deriveDefaults } from "@metahuman/core/functions/learning/parameters";
import { splitParameters } from "@metahuman/core/functions/learning/split-parameters";
import { coverRun } from "@metahuman/core/functions/learning/cover-run";
import type { FactsOf, LearnableRun } from "@metahuman/core/functions/learning/learnable-run";
import { describe, type Described } from "./describe.ts";
import type { EndedRun, LearningResult } from "./run-learner.ts";
import {
  type Covers,
  findMatchingFunction,
  firstMatching,
  isPartOf,
  type MatchedFunction,
  MAX_EXAMPLES,
  matchFollowed,
} from "./find-matching-function.ts";
import { compareWithEarlier } from "./compare-with-earlier.ts";
import { learnable, withFilesWritten } from "./learnable.ts";
import { widenGuide } from "./widen-guide.ts";
import { holdsSecret } from "@metahuman/core/log/redact";
import {
  DEPENDS_ON_EARLIER,
  earlierValue,
  factsAbout,
  hasSucceeded,
  omittedItem,
  reasonNothingToLearn,
  reasonNotToLearn,
  referenceToEarlier,
} from "./should-learn.ts";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { reasonNotWorthLearning } from "./worth-learning.ts";

/**
 * Learns a draft from a successful run, or adds the run to the function of which it is another example. If a person
 * requests it, a run of one call suffices, whatever the settings for automatic learning are.
 */
export async function learnFrom(ended: EndedRun, requestedBy?: FunctionActor): Promise<LearningResult> {
  const minCalls = requestedBy ? 1 : ended.config.minSkillCalls;
  const reason = requestedBy ? reasonNothingToLearn(ended, minCalls) : reasonNotToLearn(ended);
  if (reason !== undefined) return { kind: "nothing", reason };
  if (!requestedBy && (await ended.usedFallback()))
    return { kind: "nothing", reason: "The built-in planner took over part of it." };
  const reference = referenceToEarlier(ended.run, ended.skills);
  if (reference !== undefined && (await ended.earlierTexts()).length > 0)
    return { kind: "nothing", reason: DEPENDS_ON_EARLIER };
  const factsOf = factsAbout(ended.skills);
  const fixture = await ended.fixture();
  const learnableRun = { ...learnable(ended.run, ended.timeZone), executionTimeMs: ended.usage.durationMs };
  const unnamed = unnamedTarget(learnableRun);
  if (unnamed !== undefined) return { kind: "nothing", reason: unnamed };
  const writing = new Set(ended.skills.filter(({ effects }) => effects === "write").map(({ id }) => id));
  const writes = learnableRun.calls.some(({ skill, success }) => success && writing.has(skill));
  if (!requestedBy && writes && asksOnlyToLook(withoutPastedText(learnableRun.request)))
    return { kind: "nothing", reason: "It changed something that the request did not ask for." };
  const learned = generalizeRun(learnableRun, factsOf);
  if (!learned || learned.actions.length < minCalls)
    return { kind: "nothing", reason: "Too few of its calls contributed to the result." };
  const notWorthLearning = requestedBy ? undefined : reasonNotWorthLearning(learned, factsOf);
  if (notWorthLearning !== undefined) return { kind: "nothing", reason: notWorthLearning };
  if (holdsSecret({ ...learned, calls: [] })) return { kind: "nothing", reason: "It contains a secret." };
  if (fixture && !holdsSecret(fixture)) learned.example.fixture = fixture;
  // The values that a model composed show the next model what is wanted.
  if (!learned.isReplayable)
    learned.example.parameters = { ...learned.example.parameters, ...learned.composedValues };
  const effective = { ...learnableRun, calls: learned.calls };
  if (!requestedBy && areUnrelated(effective, factsOf))
    return { kind: "nothing", reason: "Its orders have nothing to do with each other." };
  const omitted = omittedItem(effective);
  if (omitted !== undefined)
    return { kind: "nothing", reason: `None of its calls covers “${omitted}” of the request.` };
  const by: FunctionActor = {
    ...(requestedBy ?? { by: "learner", isPerson: false, isOwner: false }),
    runId: ended.run.id,
  };
  const { steps } = describe(learned, factsOf);
  const covers: Covers = (known) => coverRun(known, learnableRun, factsOf);
  const followed = requestedBy ? undefined : await followedFunction(ended);
  const same = followed && matchFollowed(followed, learned, covers);
  if (followed && !same && isPartOf(learned, followed))
    return { kind: "nothing", reason: `It followed “${followed.title}” and adds nothing to it.` };
  const comparison = { steps, covers, reads: (skill: string) => factsOf(skill)?.reads === true };
  const known =
    same ??
    (await findMatchingFunction(learned, ended.functions, comparison)) ??
    (await findSameWriting(learnableRun, ended, factsOf));
  if (
    !requestedBy &&
    (known?.function.status === "rejected" ||
      (!known && firstMatching(await ended.functions.deletedFunctions(), learned, comparison) !== undefined))
  )
    return {
      kind: "nothing",
      reason: "The function that was learned from it was rejected, deleted or withdrawn.",
    };
  const pair = await compareWithEarlier(learnableRun, { learned, known: known?.function, ended, factsOf });
  if (pair) return addExample({ ...pair, steps, factsOf }, ended, by);
  const earlier =
    known || requestedBy ? undefined : earlierValue(effective, await ended.earlierTexts(), factsOf);
  if (earlier !== undefined)
    return { kind: "nothing", reason: `“${earlier}” comes from an earlier message, not from the request.` };
  return known ? addExample({ ...known, steps, factsOf }, ended, by) : saveDraft(learned, factsOf, ended, by);
}

/** The function that writes the files which the run created by adding to them. */
async function findSameWriting(
  learnableRun: LearnableRun,
  { functions }: EndedRun,
  factsOf: FactsOf,
): Promise<MatchedFunction | undefined> {
  const writing = withFilesWritten(learnableRun);
  const learned = writing && generalizeRun(writing, factsOf);
  if (!learned) return undefined;
  const { steps } = describe(learned, factsOf);
  const covers: Covers = (known) => coverRun(known, writing, factsOf);
  const reads = (skill: string): boolean => factsOf(skill)?.reads === true;
  return findMatchingFunction(learned, functions, { steps, covers, reads });
}

/** The function that all effective calls of the run followed; undefined if there is none, or if it was removed. */
async function followedFunction({ run, skills, functions }: EndedRun): Promise<FunctionMemory | undefined> {
  const calls = run.scratchpad.filter((entry) => hasSucceeded(entry, skills));
  const [id, ...others] = new Set(calls.map(({ functionId }) => functionId));
  if (id === undefined || others.length > 0) return undefined;
  try {
    return await functions.loadFunction(id);
  } catch (error) {
    if (error instanceof FunctionNotFoundError) return undefined;
    throw error;
  }
}

async function saveDraft(
  learned: GeneralizedRun,
  factsOf: FactsOf,
  { run, functions }: EndedRun,
  by: FunctionActor,
): Promise<LearningResult> {
  const { promptTemplate, isReplayable, actions, parameters, example, provenance } = learned;
  const content: NewFunction = {
    ...describe(learned, factsOf),
    skillsUsed: [...new Set(actions.map(({ skill }) => skill))],
    examples: [example],
    parameters,
    kind: isReplayable ? "recipe" : "guide",
    ...(provenance.length > 0 && { provenance }),
    ...(isReplayable && {
      recipe: { promptTemplates: promptTemplate === undefined ? [] : [promptTemplate], actions },
    }),
  };
  const { id, title } = await functions.saveFunction(content, by, {
    origin: "learned",
    sourceConversationId: run.conversationId,
    sourceOperatorRunId: run.id,
  });
  return { kind: "new", id, title };
}

/** Adds the example: to a draft at once, to an active function through a proposal and only if it adds something. */
async function addExample(
  { function: found, widened, steps, factsOf }: MatchedFunction & { steps: string[]; factsOf: FactsOf },
  { run, functions }: EndedRun,
  by: FunctionActor,
): Promise<LearningResult> {
  const outcome = { kind: "example" as const, id: found.id, title: found.title, proposed: false };
  if (found.examples.some(({ prompt }) => prompt === widened.example.prompt)) return outcome;
  const addition = additionOf(found, widened, { steps, factsOf });
  if (found.trust === "verified") {
    if (!addition) return outcome;
    const change = withSharedValues(found, addition.change, factsOf);
    const proposed = { ...addition, change, origin: "learned" as const, sourceOperatorRunId: run.id };
    await functions.proposeRevision(found.id, proposed, by);
    return { ...outcome, proposed: true };
  }
  const provenance = found.provenance && { provenance: found.provenance };
  const change = addition?.change ?? { examples: withExample(found, widened), ...provenance };
  await functions.updateFunction(
    found.id,
    { ...withSharedValues(found, change, factsOf), version: found.version },
    by,
  );
  return outcome;
}

/** The change of a recipe with one parameter for each value that its examples vary, and with the defaults that they show. */
function withSharedValues(
  found: MatchedFunction["function"],
  change: FunctionChange,
  factsOf: FactsOf,
): FunctionChange {
  const recipe = change.recipe ?? found.recipe;
  if ((change.kind ?? found.kind) !== "recipe" || recipe === undefined) return change;
  const content = {
    recipe: Recipe.parse(recipe),
    parameters: change.parameters ?? found.parameters,
    examples: change.examples ?? found.examples,
  };
  const split = splitParameters(content);
  const derived = deriveDefaults((split ?? content).parameters, (split ?? content).examples);
  return {
    ...change,
    ...split,
    ...(derived && { parameters: derived }),
    ...(split && redescribed(found, { ...split, ...(derived && { parameters: derived }) }, factsOf)),
  };
}

/** The additions of the run: another value, another wording, a repeated step. */
function additionOf(
  found: MatchedFunction["function"],
  widened: MatchedFunction["widened"],
  { steps, factsOf }: { steps: string[]; factsOf: FactsOf },
): Pick<ProposedRevision, "change" | "reason"> | undefined {
  if (widened.kind === "wider")
    return {
      change: { ...redescribed(found, widened.change, factsOf), ...widened.change },
      reason: widened.reason,
    };
  if (found.kind !== "guide") return undefined;
  const wider = widenGuide(found, { steps, parameters: found.parameters });
  if (!wider) return undefined;
  const { change, reason } = wider;
  const storedProvenance = found.provenance && { provenance: found.provenance };
  return { change: { examples: withExample(found, widened), ...change, ...storedProvenance }, reason };
}

/** The title, summary and steps of a widened recipe, unless a person or a model wrote them. */
function redescribed(
  { title, summary, steps, recipe, parameters: known, examples: [first] }: MatchedFunction["function"],
  { recipe: wider, parameters = known }: FunctionChange,
  factsOf: FactsOf,
): Pick<FunctionChange, "title" | "summary" | "steps"> {
  if (!recipe || !wider || !first) return {};
  const describeAs = ({ promptTemplates: [template], actions }: Recipe, given: typeof known): Described =>
    describe(
      {
        actions,
        parameters: given,
        example: first,
        ...(template !== undefined && { promptTemplate: template }),
      },
      factsOf,
    );
  const [before, after] = [describeAs(recipe, known), describeAs(Recipe.parse(wider), parameters)];
  return {
    ...(title === before.title && { title: after.title }),
    ...(summary === before.summary && { summary: after.summary }),
    ...(isDeepStrictEqual(steps, before.steps) && { steps: after.steps }),
  };
}

function withExample(
  { examples }: MatchedFunction["function"],
  { example }: MatchedFunction["widened"],
): FunctionExample[] {
  return [...examples, example].slice(-MAX_EXAMPLES);
}
