import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  choosePlanner,
  type PlannerDependencies,
} from "../../../brain/agents/operator/planners/choose-planner.ts";
import type { Planner } from "../../../brain/agents/operator/planner.ts";
import { createChooser } from "../../../brain/agents/operator/planners/replay/choose-function.ts";
import { createFindRecipe } from "../../../brain/agents/operator/planners/replay/find-recipe.ts";
import { offeredSkills } from "../../../brain/boot/offered-skills.ts";
import { createPlanning } from "../../../brain/boot/profile-operator.ts";
import { ModelsConfig } from "@metahuman/core/contract/models";
import { openConfig } from "@metahuman/core/config/config-source";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openProvider } from "@metahuman/models/open-provider";
import { createRouter } from "@metahuman/models/router";
import { startModelServer } from "../../support/model-server/server.ts";
import { openLibrary } from "../function-library.ts";
import { quantile } from "../statistics.ts";
import { valuesAgree } from "./compare-values.ts";
import type { LabelledRequest, LabelledRequests } from "./labelled-requests.ts";
import { functionOf, storeFunctions } from "./recipe-functions.ts";

/** Today in the labelled data, a Wednesday. */
export const TODAY = "2026-11-25T09:00:00.000Z";
const TIME_ZONE = "UTC";

/** The result of one labelled request. */
export type ReplayVerdict =
  | "replayed"
  | "offered"
  | "missed"
  | "wrong values"
  | "wrong replay"
  | "wrong offer"
  | "left alone";

export interface ReplayResult {
  labelled: LabelledRequest;
  verdict: ReplayVerdict;
  /** The recipe that was replayed or offered first, with its values. */
  recipe?: string;
  values?: Record<string, unknown>;
}

/** Asks each labelled request of a profile that has the recipes as functions, with no model. */
export async function measureReplay({ recipes, replay }: LabelledRequests): Promise<ReplayResult[]> {
  const asking = await openAsking(recipes.map(functionOf));
  try {
    const results: ReplayResult[] = [];
    for (const labelled of replay) results.push(await judge(labelled, recipes, asking.ask));
    return results;
  } finally {
    await asking.close();
  }
}

/**
 * Asks each labelled request with a model as chooser. The model is a server that answers each choice with the label, so
 * that the result depends only on the choices it is offered and on which right answers are followed.
 */
export async function measureChoices({ recipes, replay }: LabelledRequests): Promise<ReplayResult[]> {
  const functions = recipes.map(functionOf);
  let labelled: LabelledRequest | undefined;
  const models = await startModelServer({
    models: [{ name: MODEL, abilities: ["completion", "tools"], contextTokens: 16_384 }],
    answer: () => {
      const wanted = labelled?.shouldReplay === true ? labelled.recipe : labelled?.otherRecipe;
      const id = functions.find(({ name }) => name === wanted)?.id ?? null;
      return { json: { function: id, values: labelled?.values ?? {}, because: "It is the label." } };
    },
  });
  const asking = await openAsking(functions, models.url);
  try {
    const results: ReplayResult[] = [];
    for (const one of replay) {
      labelled = one;
      results.push(await judge(one, recipes, asking.choose));
    }
    return results;
  } finally {
    await asking.close();
    await models.close();
  }
}

/**
 * The number of requests about which a model is asked although no recipe matches: the cost of similar recipes. Requests
 * for which a recipe is certain or likely are not counted.
 */
export async function countChoicesOfNear(
  { recipes }: LabelledRequests,
  requests: readonly string[],
): Promise<number> {
  const asking = await openAsking(recipes.map(functionOf));
  try {
    let count = 0;
    for (const request of requests) if (await asking.isOnlyNear(request)) count += 1;
    return count;
  } finally {
    await asking.close();
  }
}

/** The number of paraphrases whose recipe is among the `depth` nearest that search finds. */
export async function countFound({ recipes, replay }: LabelledRequests, depth: number): Promise<number> {
  const asking = await openAsking(recipes.map(functionOf));
  try {
    let count = 0;
    for (const { request, recipe, shouldReplay } of replay)
      if (shouldReplay && (await asking.find(request, depth)).includes(recipe)) count += 1;
    return count;
  } finally {
    await asking.close();
  }
}

const MODEL = "chooser:1b";

/** Elapsed and processor time of all threads, in milliseconds. */
interface Cost {
  elapsed: number;
  processor: number;
}

/**
 * The cost of finding the recipes near a request among `count`, and of finding and matching them: p95 over the
 * requests. In the first round, the engine still compiles much of the code, which its threads add to the processor time; in
 * the second one, it is warm.
 */
export async function measureMatching(
  { recipes, replay }: LabelledRequests,
  count: number,
): Promise<{ find: Cost; findAndMatch: Cost; firstRound: Cost }> {
  const copies = Array.from({ length: count }, (_, number) => {
    const recipe = recipes[number % recipes.length];
    if (recipe === undefined) throw new Error("There are no recipes.");
    const round = Math.floor(number / recipes.length);
    const stored = functionOf(recipe, number);
    if (round === 0) return stored;
    // The others are asked for in words of their own, as functions about other things are.
    const other = (text: string): string => `${text} for department ${String(round)}`;
    return {
      ...stored,
      name: `${recipe.id}-${String(round)}`,
      title: other(stored.title),
      examples: stored.examples.map((example) => ({ ...example, prompt: other(example.prompt) })),
      recipe: {
        actions: stored.recipe?.actions ?? [],
        promptTemplates: recipe.promptTemplates.map(other),
      },
    };
  });
  const asking = await openAsking(copies);
  try {
    const requests = replay.map(({ request }) => request);
    const measured = async (asked: readonly string[], round: number): Promise<[Cost, Cost]> => {
      const [finding, matching]: [Cost[], Cost[]] = [[], []];
      for (const request of asked) {
        finding.push(await leastOf(() => asking.find(request)));
        // A request read a moment earlier is remembered; each run asks a millisecond later.
        matching.push(await leastOf((run) => asking.match(request, RUNS * round + run)));
      }
      return [p95(finding), p95(matching)];
    };
    await measured(requests.slice(0, WARM_UP), 0);
    const [, firstRound] = await measured(requests, 1);
    const [find, findAndMatch] = await measured(requests, 2);
    return { find, findAndMatch, firstRound };
  } finally {
    await asking.close();
  }
}

const WARM_UP = 20;
const RUNS = 5;

const p95 = (costs: readonly Cost[]): Cost => ({
  elapsed: quantile(
    costs.map(({ elapsed }) => elapsed),
    0.95,
  ),
  processor: quantile(
    costs.map(({ processor }) => processor),
    0.95,
  ),
});

/** The minimum of several runs, because other work on the machine only adds time. */
async function leastOf(work: (run: number) => Promise<unknown>): Promise<Cost> {
  const least: Cost = { elapsed: Infinity, processor: Infinity };
  for (let run = 0; run < RUNS; run += 1) {
    const [used, begun] = [process.cpuUsage(), performance.now()];
    await work(run);
    const elapsed = performance.now() - begun;
    const { user, system } = process.cpuUsage(used);
    least.elapsed = Math.min(least.elapsed, elapsed);
    least.processor = Math.min(least.processor, (user + system) / 1_000);
  }
  return least;
}

/** The outcome of a request: a replay, offers, or neither. */
interface Reuse {
  replayed?: { name: string; values: Record<string, unknown> };
  offered: { name: string; values: Record<string, unknown> }[];
}

async function judge(
  labelled: LabelledRequest,
  recipes: LabelledRequests["recipes"],
  ask: (request: string) => Promise<Reuse>,
): Promise<ReplayResult> {
  const { replayed, offered } = await ask(labelled.request);
  const first = replayed ?? offered[0];
  if (first === undefined) return { labelled, verdict: labelled.shouldReplay ? "missed" : "left alone" };
  const wanted = labelled.shouldReplay ? labelled.recipe : labelled.otherRecipe;
  const isKnown = recipes.some(({ id }) => id === wanted);
  const result = { labelled, recipe: first.name, values: first.values };
  if (!isKnown || first.name !== wanted)
    return { ...result, verdict: replayed ? "wrong replay" : "wrong offer" };
  if (!valuesAgree(labelled, first.values))
    return { ...result, verdict: replayed ? "wrong values" : "wrong offer" };
  return { ...result, verdict: replayed ? "replayed" : "offered" };
}

/** The planner if nothing is replayed; its calls are not examined. */
const planned: Planner = {
  name: "structured",
  next: async () => ({ kind: "answer", thought: "", text: "", style: "strict" }),
};

async function openAsking(functions: Parameters<typeof storeFunctions>[1], modelUrl?: string) {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-reuse-"));
  const paths = profilePaths(home, "ada");
  storeFunctions(paths, functions);
  const names = new Map(functions.map(({ id, name }) => [id, name]));
  const config = openConfig({ home, shippedEtc: join(REPOSITORY, "etc") });
  const modelsConfig = ModelsConfig.parse({
    providers: modelUrl === undefined ? {} : { ollama: { kind: "ollama", baseUrl: modelUrl } },
  });
  const router = createRouter({
    config: () => modelsConfig,
    useSingleModel: () => false,
    think: () => "off",
    open: (id, entry, limits) => openProvider(id, entry, limits, {}),
  });
  const library = await openLibrary(paths, { maxPerProfile: 100_000 });
  const skills = () => offeredSkills(config.current()).skills;
  const choice = (goal: string, later = 0) => ({
    request: { goal, timeZone: TIME_ZONE },
    conversationOnly: false,
    agentId: "operator",
    requestedAt: new Date(Date.parse(TODAY) + later),
  });
  const findRecipe = createFindRecipe({
    functions: library.functions,
    skills,
    prefersFunctions: async () => true,
    canCompose: async () => false,
    onProblem: (message, cause) => console.error(message, cause),
  });
  const dependencies: PlannerDependencies = {
    ...createPlanning({ router, config, installation: { hasFolders: true } }),
    skills: skills(),
    findRecipe,
  };
  const named = ({ id, values }: { id: string; values: Record<string, unknown> }) => ({
    name: names.get(id) ?? id,
    values,
  });
  const stateOf = (request: string) => ({
    runId: "bench",
    request,
    requestedAt: new Date(TODAY),
    timeZone: TIME_ZONE,
    locale: "en",
    scratchpad: [],
    context: undefined,
    conversation: { turns: [], topics: [], omittedTurns: 0 },
    skills: skills(),
  });
  return {
    async choose(request: string): Promise<Reuse> {
      let chooser: Planner | undefined;
      const planner = await choosePlanner(choice(request), {
        ...dependencies,
        choosing: (candidates) => (chooser = createChooser(candidates, planned, router)),
      });
      await chooser?.next(stateOf(request), AbortSignal.timeout(30_000));
      const { matched } = chooser ?? planner;
      return { offered: [], ...(matched && { replayed: named(matched) }) };
    },
    async isOnlyNear(request: string): Promise<boolean> {
      const { match, likely, near } = await findRecipe(choice(request));
      return match === undefined && likely.length === 0 && near.length > 0;
    },
    async ask(request: string): Promise<Reuse> {
      const planner = await choosePlanner(choice(request), dependencies);
      const { matched } = planner;
      if (matched) return { replayed: named(matched), offered: [] };
      const move = await planner.next(stateOf(request), AbortSignal.timeout(5_000));
      const offers = move.kind === "answer" ? (move.offers ?? []) : [];
      return { offered: offers.map(({ functionId, values }) => named({ id: functionId, values })) };
    },
    find: async (request: string, depth = 7): Promise<string[]> => {
      const found = await library.functions.of().nearestRecipes(request, depth);
      return found.map((one) => one.function.name);
    },
    match: async (request: string, later: number) => {
      await findRecipe(choice(request, later));
    },
    async close() {
      await library.close();
      router.close();
      config.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
