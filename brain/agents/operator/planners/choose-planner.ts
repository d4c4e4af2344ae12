import { oneOf } from "@metahuman/core/text/patterns";
import type { AcceptedOffer } from "@metahuman/core/contract/http";
import type { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import { mayAskForChange } from "@metahuman/core/policy/target-words";
import { lacksTools } from "@metahuman/core/contract/model-abilities";
import { regionOf } from "@metahuman/core/contract/region";
import type { Interpretation, SmallTalkTopic } from "@metahuman/core/language/grammar/plan";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { RecipeMatch } from "@metahuman/core/functions/recipe/match-types";
import { noToolCalls } from "@metahuman/models/role-warnings";
import type { ModelRouter } from "@metahuman/models/router";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerChoice } from "../operator-options.ts";
import type { Planner } from "../planner.ts";
import { interpretAlone, interpretRequest } from "./built-in/interpret-request.ts";
import { createReplayPlanner } from "./replay.ts";
import type { Reuse } from "./replay/find-recipe.ts";
import { createOfferPlanner } from "./replay/offer.ts";
import { createOfferReplyPlanner, findOfferReply } from "./replay/offer-reply.ts";
import { createReplayWithChange, type WaitingChange } from "./replay/waiting-change.ts";
import { withFallback } from "./with-fallback.ts";
import type { Action } from "@metahuman/core/contract/run";
import type { RuleInMemory } from "@metahuman/core/context/relevant-memories";

/** The available planners. */
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
  /** Returns the current flags. */
  flags: () => Promise<RuntimeConfig["operator"]>;
  config: () => OperatorConfig;
  /** Finds the recipe that the request certainly means, or the likely ones; absent if functions are switched off. */
  findRecipe?: (choice: PlannerChoice) => Promise<Reuse>;
  /** Creates a planner that lets a model choose one of these recipes, before `next` plans. */
  choosing?: (candidates: readonly FunctionMemory[], next: Planner) => Planner;
  /** Loads the function that a person accepted, with its values. */
  loadAccepted?: (choice: PlannerChoice, offer: AcceptedOffer) => Promise<RecipeMatch<FunctionMemory>>;
  /** The change of a function that waits for a person's decision, if there is one. */
  waitingChange?: (choice: PlannerChoice, followed: FunctionMemory) => Promise<WaitingChange | undefined>;
  /** The standing rules in memory about the subject of a request; empty if they cannot be looked up. */
  rulesInMemory?: (request: string) => Promise<readonly RuleInMemory[]>;
}

/** Chooses the planner of a run. */
export async function choosePlanner(
  choice: PlannerChoice,
  dependencies: PlannerDependencies,
): Promise<Planner> {
  const { planners, flags, findRecipe, loadAccepted, choosing } = dependencies;
  if (choice.direct) return createDirectPlanner(choice.direct);
  if (choice.conversationOnly) {
    return (await canTalk(dependencies)) ? planners.conversation : planners.noModelConversation;
  }
  const { follow: accepted } = choice.request;
  if (accepted && loadAccepted) {
    const match = await loadAccepted(choice, accepted);
    return createReplayPlanner(
      match,
      planners.builtIn,
      await newerRules(choice, [match.function], dependencies),
    );
  }
  // offers.ts has already stored the refusal; this only words the answer.
  const reply = await findOfferReply(choice.request.goal, async () => (await choice.earlier?.())?.[0]);
  if (reply && reply.kind !== "accepted") return createOfferReplyPlanner(reply.kind, reply.last.offers ?? []);
  const undone = await undoClause(choice, dependencies.skills);
  if (undone !== undefined) return planningAs(undone, planners.builtIn);
  const reuse = (await flags()).useFunctions ? await findRecipe?.(choice) : undefined;
  const reading = await interpretRequest({
    request: choice.request.goal,
    requestedAt: choice.requestedAt,
    timeZone: regionOf(choice.request).timeZone,
    skills: dependencies.skills,
    ...(choice.earlier && { earlier: choice.earlier }),
  });
  const otherwise = await withoutRecipe(reading, choice, dependencies);
  const isPlannedByModel = otherwise.name === "structured" || otherwise.name === "tool-calling";
  if (reuse?.match) {
    const rules = await newerRules(choice, [reuse.match.function], dependencies);
    // A recipe cannot follow a rule that it does not know, and a model that plans sees both.
    if (isPlannedByModel && rules.length > 0) return otherwise;
    const change = await dependencies.waitingChange?.(choice, reuse.match.function);
    if (change === undefined) return createReplayPlanner(reuse.match, otherwise, rules);
    const mayAsk = choice.isScheduled !== true;
    return createReplayWithChange(reuse.match, change, { fallback: otherwise, newerRules: rules, mayAsk });
  }
  const [likeliest] = reuse?.likely ?? [];
  if (reuse && isPlannedByModel && choosing) {
    // A function may be likely with different values.
    const all = [...reuse.likely.map((one) => one.function), ...reuse.near];
    const candidates = [...new Map(all.map((one) => [one.id, one])).values()];
    const rules = await newerRules(choice, candidates, dependencies);
    if (candidates.length === 0 || rules.length > 0) return otherwise;
    const unchanged = await withoutCorrections(candidates, choice, dependencies);
    return unchanged.length > 0 ? choosing(unchanged, otherwise) : otherwise;
  }
  const isOffered = likeliest !== undefined && otherwise.name === "built-in" && choice.isScheduled !== true;
  if (reuse === undefined || !isOffered) return otherwise;
  // A request that the skills understand completely is executed at once, unless the function explains as much.
  const isUnderstood = reading.kind === "plan" || reading.kind === "ambiguous";
  return isUnderstood && !likeliest.explainsAsMuch ? otherwise : createOfferPlanner(reuse.likely);
}

const INTERJECTION_WORDS = oneOf(
  "oh|ah|hm+|uh|um|er|oops|ups|no+|nope|wait|stop|sorry|ok(?:ay)?|actually|well|hey|nein|ach|moment",
  "halt|non|attends|pardon|espera",
);
/** Words before an order that order nothing: "Oh wait, undo that", "hmm no, undo it please". */
const INTERJECTIONS = new RegExp(String.raw`^\W*(?:${INTERJECTION_WORDS}[\s,.!–—-]+)+(?=\p{L})`, "iu");
/** Where a first clause ends: "Undo that, I will argue with him." */
const END_OF_CLAUSE = /[,.;:!–—\n]|\s(?=(?:because|since|i|we|that was)(?!\p{L}))/iu;
/** No order to undo is longer; reading long words takes long. */
const MAX_UNDO = 200;
/** Words by which what follows an order to undo limits or corrects it: "undo that, I meant the other port". */
const ADDS_TO_UNDOING =
  /(?<!\p{L})(?:meant?|means|instead|rather|but|only|except|until|other|first|last|then|also|and|after|before)(?!\p{L})/iu;

/**
 * The clause that orders to undo the last request, if its calls are known to be reversible and what follows orders nothing else. The
 * reversal of all calls is calculated, so a model would only guess it.
 */
async function undoClause(
  { request: { goal, timeZone }, requestedAt, earlier }: PlannerChoice,
  skills: readonly Skill[],
): Promise<string | undefined> {
  if (earlier === undefined) return undefined;
  const order = goal.replace(INTERJECTIONS, "").trim();
  const [clause = ""] = order.split(END_OF_CLAUSE, 1);
  if (clause.length > MAX_UNDO) return undefined;
  const asked = { request: clause, requestedAt, timeZone: regionOf({ timeZone }).timeZone, skills };
  const alone = interpretAlone(asked);
  if (alone.kind !== "small-talk" || alone.topic !== "undo") return undefined;
  const rest = order.slice(clause.length);
  if (rest.includes("?") || ADDS_TO_UNDOING.test(rest) || mayAskForChange(rest)) return undefined;
  return (await interpretRequest({ ...asked, earlier })).kind === "plan" ? clause : undefined;
}

/** A planner that reads these words in place of the request. */
const planningAs = (request: string, planner: Planner): Planner => ({
  name: planner.name,
  next: (state, signal) => planner.next({ ...state, request }, signal),
});

/** The standing rules about the subject of the request that are newer than one of these functions, which cannot know them. */
async function newerRules(
  { request }: PlannerChoice,
  functions: readonly FunctionMemory[],
  { rulesInMemory, flags }: Pick<PlannerDependencies, "rulesInMemory" | "flags">,
): Promise<readonly RuleInMemory[]> {
  if (rulesInMemory === undefined || functions.length === 0 || !(await flags()).useContextPackage) return [];
  const rules = await rulesInMemory(request.goal);
  return rules.filter(({ since }) => functions.some(({ updatedAt }) => updatedAt < since));
}

/** The functions without those that the person corrected in words: a model that plans sees the words, a replay does not. */
async function withoutCorrections(
  functions: readonly FunctionMemory[],
  choice: PlannerChoice,
  { waitingChange }: Pick<PlannerDependencies, "waitingChange">,
): Promise<FunctionMemory[]> {
  const changes = await Promise.all(functions.map(async (one) => waitingChange?.(choice, one)));
  return functions.filter((_, index) => changes[index]?.origin !== "learned");
}

async function withoutRecipe(
  reading: Interpretation,
  { request, isScheduled }: PlannerChoice,
  dependencies: PlannerDependencies,
): Promise<Planner> {
  const { planners, config } = dependencies;
  if (isScheduled === true && reading.kind === "plan") {
    const model = await modelPlanner(dependencies);
    return model ? replacedAfterMisreading(planners.builtIn, model, dependencies.skills) : planners.builtIn;
  }
  if (isPlainReminder(reading)) {
    const rules = (await dependencies.rulesInMemory?.(request.goal)) ?? [];
    if (rules.length === 0) return planners.builtIn;
  }
  if (needsNoModel(reading, request.goal, config().scratchpad)) return planners.builtIn;
  if (reading.kind === "small-talk" && isTalk(reading.topic)) {
    return (await canTalk(dependencies))
      ? withFallback(planners.conversation, planners.builtIn)
      : planners.builtIn;
  }
  const planner = await modelPlanner(dependencies);
  return planner ? withFallback(planner, planners.builtIn) : planners.builtIn;
}

/**
 * Plans with `planner` until a call cannot be carried out as it was read, such as reading a folder as a file, and nothing was changed
 * before; then with `next`, which sees the calls. The scratchpad decides, so a run that waited continues with the same planner.
 */
function replacedAfterMisreading(planner: Planner, next: Planner, skills: readonly Skill[]): Planner {
  const isRead = (tool: string): boolean => skills.find(({ id }) => id === tool)?.effects === "read";
  let current = planner;
  return {
    get name() {
      return current.name;
    },
    next(state, signal) {
      const misread = state.scratchpad.findIndex(
        ({ observation }) => observation?.error?.code === "INVALID_ARGS",
      );
      const hasChanged = state.scratchpad
        .slice(0, Math.max(misread, 0))
        .some(({ action, observation }) => action && observation?.success === true && !isRead(action.tool));
      current = misread === -1 || hasChanged ? planner : next;
      return current.next(state, signal);
    },
  };
}

/** False for what the operator is asked to do or to explain. */
const isTalk = (topic: SmallTalkTopic): boolean => !topic.startsWith("undo") && topic !== "reasons";

/** The planner with a model; undefined if no model is available. */
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

/** Adds a warning to the first step of a planner. */
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

/** A request with several clauses. After "don't", only a model understands the others. */
const SEVERAL_CLAUSES = /[.,;:!?–—]\s*\p{L}/u;

/** True for requests that need no model: a single read, nothing to do, or a question about abilities. */
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
    case "small-talk":
      return reading.topic === "permissions";
    case "ambiguous":
    case "not-understood":
      return false;
    default:
      return reading satisfies never;
  }
}

/** True for a single read without free text in its arguments. A model must interpret "find flights to Rome". */
function isPlainRead({ readOnly, calls }: Extract<Interpretation, { kind: "plan" }>): boolean {
  const [call] = calls;
  return readOnly && calls.length === 1 && call !== undefined && call.freeText.length === 0;
}

/** What may be more than words of a reminder: a further clause, or another order after "and". */
const FURTHER_CLAUSE = /[.,;:!?–—]\s*\p{L}|\s(?:and|then|und|dann|et|puis|y|luego)\s/iu;

/**
 * True for one reminder at regular times: the person reads its text, nobody carries it out, so a model has nothing to interpret.
 */
function isPlainReminder(reading: Interpretation): boolean {
  const [call, ...others] = reading.kind === "plan" ? reading.calls : [];
  if (call?.skill !== "remind" || others.length > 0 || call.invented.length > 0) return false;
  const { text } = call.args;
  return (
    Object.values(call.args).every(({ from }) => from === "request") &&
    text?.from === "request" &&
    typeof text.value === "string" &&
    !FURTHER_CLAUSE.test(text.value)
  );
}

/** Creates a planner for one call that a person requested directly. */
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
