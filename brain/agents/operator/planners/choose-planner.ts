import type { FollowedOffer } from "@metahuman/core/contract/http";
import type { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import { lacksTools } from "@metahuman/core/contract/model-abilities";
import { regionOf } from "@metahuman/core/contract/region";
import type { Interpretation } from "@metahuman/core/language/grammar/plan";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { RecipeMatch } from "@metahuman/core/functions/recipe/match-recipe";
import { noToolCalls } from "@metahuman/models/role-warnings";
import type { ModelRouter } from "@metahuman/models/router";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerChoice } from "../operator-options.ts";
import type { Planner } from "../planner.ts";
import { readingOf } from "./built-in/reading.ts";
import { createReplay } from "./replay.ts";
import type { Reuse } from "./replay/find-recipe.ts";
import { createOfferPlanner } from "./replay/offer.ts";
import { withFallback } from "./with-fallback.ts";
import type { Action } from "@metahuman/core/contract/run";

/** The planners there are. */
export interface Planners {
  builtIn: Planner;
  structured: Planner;
  toolCalling: Planner;
  conversation: Planner;
  noModelConversation: Planner;
}

export interface PlannerDependencies {
  planners: Planners;
  router: Pick<ModelRouter, "modelsFor" | "info">;
  skills: readonly Skill[];
  /** As they are at this moment. */
  flags: () => Promise<RuntimeConfig["operator"]>;
  config: () => OperatorConfig;
  /** The recipe that is certainly meant, or those that likely are; absent where functions take no part. */
  findRecipe?: (choice: PlannerChoice) => Promise<Reuse>;
  /** Asks a model which of these recipes is meant, the likeliest first, before `next` plans. */
  choosing?: (candidates: readonly FunctionMemory[], next: Planner) => Planner;
  /** The function that a person chose to follow, with their values. */
  followed?: (choice: PlannerChoice, follow: FollowedOffer) => Promise<RecipeMatch<FunctionMemory>>;
}

/** Who decides the steps of a run. */
export async function choosePlanner(
  choice: PlannerChoice,
  dependencies: PlannerDependencies,
): Promise<Planner> {
  const { planners, flags, findRecipe, followed, choosing } = dependencies;
  if (choice.direct) return createDirectPlanner(choice.direct);
  if (choice.conversationOnly) {
    return (await canTalk(dependencies)) ? planners.conversation : planners.noModelConversation;
  }
  const { follow } = choice.request;
  if (follow && followed) return createReplay(await followed(choice, follow), planners.builtIn);
  const reuse = (await flags()).useFunctions ? await findRecipe?.(choice) : undefined;
  const reading = await readingOf({
    request: choice.request.goal,
    requestedAt: choice.requestedAt,
    timeZone: regionOf(choice.request).timeZone,
    skills: dependencies.skills,
    ...(choice.earlier && { earlier: choice.earlier }),
  });
  const otherwise = await withoutRecipe(reading, choice, dependencies);
  if (reuse?.match) return createReplay(reuse.match, otherwise);
  const [likeliest] = reuse?.likely ?? [];
  const isPlannedByModel = otherwise.name === "structured" || otherwise.name === "tool-calling";
  if (reuse && isPlannedByModel && choosing) {
    const candidates = [...reuse.likely.map((one) => one.function), ...reuse.near];
    return candidates.length > 0 ? choosing(candidates, otherwise) : otherwise;
  }
  const isOffered = likeliest !== undefined && otherwise.name === "built-in" && choice.isScheduled !== true;
  if (reuse === undefined || !isOffered) return otherwise;
  // What the skills understand whole is done at once, unless the function explains as much.
  const isUnderstood = reading.kind === "plan" || reading.kind === "ambiguous";
  return isUnderstood && !likeliest.explainsAsMuch ? otherwise : createOfferPlanner(reuse.likely);
}

async function withoutRecipe(
  reading: Interpretation,
  { request, isScheduled }: PlannerChoice,
  dependencies: PlannerDependencies,
): Promise<Planner> {
  const { planners, config } = dependencies;
  if (isScheduled === true && reading.kind === "plan") return planners.builtIn;
  if (needsNoModel(reading, request.goal, config().scratchpad)) return planners.builtIn;
  if (reading.kind === "small-talk" && !reading.topic.startsWith("undo")) {
    return (await canTalk(dependencies))
      ? withFallback(planners.conversation, planners.builtIn)
      : planners.builtIn;
  }
  const planner = await modelPlanner(dependencies);
  return planner ? withFallback(planner, planners.builtIn) : planners.builtIn;
}

/** The planner that asks a model; undefined when there is none to ask. */
export async function modelPlanner({
  planners,
  router,
  flags,
  config,
}: Pick<PlannerDependencies, "planners" | "router" | "flags" | "config">): Promise<Planner | undefined> {
  const [model] = (await router.modelsFor(config().models.planningModel)).models;
  if (model === undefined) return undefined;
  if ((await flags()).reactV2) return planners.structured;
  if (lacksTools(await router.info(model))) return warningOnce(planners.structured, noToolCalls(model));
  return planners.toolCalling;
}

/** The planner of one run, with a warning at its first step. */
function warningOnce(planner: Planner, warning: string): Planner {
  let isFirst = true;
  return {
    name: planner.name,
    next(state, signal) {
      if (isFirst) state.onWarning?.(warning);
      isFirst = false;
      return planner.next(state, signal);
    },
  };
}

async function canTalk({ router, config }: Pick<PlannerDependencies, "router" | "config">): Promise<boolean> {
  return (await router.modelsFor(config().models.responseModel)).models.length > 0;
}

/** More is said than "don't": what else is meant, a model understands. */
const SEVERAL_CLAUSES = /[.,;:!?–—]\s*\p{L}/u;

/** One pure read is answered by its own output; nothing to do, and what can be done, are known without asking. */
function needsNoModel(
  reading: Interpretation,
  request: string,
  { enableVerbatimMode }: OperatorConfig["scratchpad"],
): boolean {
  switch (reading.kind) {
    case "plan":
      return enableVerbatimMode && isPlainRead(reading);
    case "empty":
    case "clock":
      return true;
    case "capabilities":
      return reading.about.length === 0;
    case "refrain":
      return !SEVERAL_CLAUSES.test(request);
    case "ambiguous":
    case "small-talk":
    case "not-understood":
      return false;
    default:
      return reading satisfies never;
  }
}

/** One call that only reads and whose arguments hold no free text: "find flights to Rome" is a model's to understand. */
function isPlainRead({ readOnly, calls }: Extract<Interpretation, { kind: "plan" }>): boolean {
  const [call] = calls;
  return readOnly && calls.length === 1 && call !== undefined && call.freeText.length === 0;
}

/** For a call that a person asked for by itself: makes it, and answers with what came of it. */
function createDirectPlanner(action: Action): Planner {
  return {
    name: "built-in",
    async next({ scratchpad }) {
      const observation = scratchpad.at(-1)?.observation;
      if (!observation) return { kind: "act", thought: "A person asked for exactly this call.", action };
      const text = observation.error?.message ?? observation.content;
      return { kind: "answer", thought: "", style: "strict", text };
    },
  };
}
