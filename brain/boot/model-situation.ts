import { BUILT_IN_EMBEDDER } from "@metahuman/core/contract/built-in-embedder";
import { canFillRole, HOW_TO_GET_A_MODEL, problemOfAdded } from "@metahuman/core/contract/model-abilities";
import {
  ModelRole,
  splitModelRef,
  type ModelRef,
  type ModelsConfig,
  type ModelServerState,
  type ModelSituation,
  type RoleState,
} from "@metahuman/core/contract/models";
import { roleWarnings } from "@metahuman/models/role-warnings";
import { matchesModel } from "@metahuman/models/choose-models";
import type { ModelRouter, RoleChoice } from "@metahuman/models/router";

/** The features that still work without a model for a role; the built-in embedder is always available. */
const WITHOUT: Readonly<Record<Exclude<ModelRole, "embedder">, string>> = {
  planner: "No model: the built-in planner handles the requests that it understands.",
  persona: "No model: answers are written by rules.",
  chooser: "No model: likely functions are offered, and you decide.",
  curator: "No model: you write and improve functions by hand.",
  summarizer: "No model: long texts are shortened to their first sentences.",
};

export interface SituationOptions {
  embedder: string;
  assigned: ModelsConfig["roles"];
  /** The role that plans with native tool calls; undefined if plans are structured steps. */
  toolCallingRole: ModelRole | undefined;
}

/** Returns the state of every configured model server and role. */
export async function modelSituation(
  router: ModelRouter,
  { embedder, assigned, toolCallingRole }: SituationOptions,
): Promise<ModelSituation> {
  const servers = (await router.servers()).map(({ provider, health }): ModelServerState => {
    const { reachable, problem, latencyMs, models } = health;
    return {
      id: provider.id,
      kind: provider.kind,
      address: provider.address,
      reachable,
      ...(problem !== undefined && { problem }),
      ...(latencyMs !== undefined && { latencyMs }),
      models: [...models],
    };
  });
  const choices = await Promise.all(ModelRole.options.map((role) => router.modelsFor(role)));
  const roles = await Promise.all(
    choices.map(async (choice): Promise<RoleState> => {
      const [model] = choice.models;
      const warnings =
        model === undefined
          ? []
          : roleWarnings({
              role: choice.role,
              model,
              info: await router.info(model),
              maxContextTokens: router.maxContextTokens(),
              plansWithToolCalls: choice.role === toolCallingRole,
            });
      const state = roleState(choice, assigned[choice.role], servers);
      return warnings.length > 0 ? { ...state, warnings } : state;
    }),
  );
  const planner = roles.find(({ role }) => role === "planner")?.models[0];
  return {
    available: planner !== undefined,
    summary: summaryOf(planner, servers),
    embedder,
    servers,
    roles,
    tokensPerSecond: router.speeds(),
  };
}

function roleState(
  choice: RoleChoice,
  assigned: readonly ModelRef[] | undefined,
  servers: readonly ModelServerState[],
): RoleState {
  const missing = missingFrom(choice, assigned, servers);
  return {
    ...choice,
    ...(assigned && { assigned: [...assigned] }),
    ...(missing !== undefined && { missing }),
  };
}

/** Describes what a role lacks; undefined if the assigned model plays it. */
function missingFrom(
  { role, models }: RoleChoice,
  assigned: readonly ModelRef[] = [],
  servers: readonly ModelServerState[],
): string | undefined {
  for (const ref of assigned) {
    if (role === "embedder" && ref === BUILT_IN_EMBEDDER) continue;
    const { provider, model } = splitModelRef(ref);
    const server = servers.find(({ id }) => id === provider);
    if (!server) return `${ref} was chosen, but no server is called ${provider}.`;
    if (!server.reachable) return `${ref} was chosen, but its server at ${server.address} does not answer.`;
    if (!listsModel(server, model)) return `${ref} was chosen, but its server does not have it.`;
    const about = server.models.find(({ name }) => matchesModel(model, name));
    if (about && !canFillRole(about, role))
      return `${ref} was chosen, but it ${role === "embedder" ? "does not embed" : "only embeds"}. Choose another model for this role.`;
  }
  return models.length > 0 || role === "embedder" ? undefined : WITHOUT[role];
}

/** Whether a server lists a model; for Ollama, `name` means `name:latest`. */
export function listsModel({ models }: ModelServerState, model: string): boolean {
  return models.some(({ name }) => matchesModel(model, name));
}

function summaryOf(
  planner: RoleState["models"][number] | undefined,
  servers: readonly ModelServerState[],
): string {
  if (planner !== undefined) return `Plans with ${planner}.`;
  const reachable = servers.filter((server) => server.reachable);
  if (reachable.length > 0) {
    const places = reachable.map(({ address }) => address).join(" and ");
    return `The model server at ${places} answers, but has no model to plan with. Pull one: ollama pull qwen3:4b`;
  }
  const problem = problemOfAdded(servers);
  if (problem !== undefined)
    return `${problem} Only plain requests for the installed skills work until it answers.`;
  return `No model server answers, so only plain requests for the installed skills work. ${HOW_TO_GET_A_MODEL}`;
}
