import { createBuiltInPlanner } from "@metahuman/agents/operator/planners/built-in";
import type { Choosing } from "@metahuman/agents/operator/planners/choose-planner";
import { createConversationPlanner } from "@metahuman/agents/operator/planners/conversation";
import { createCatalogSource } from "@metahuman/agents/operator/planners/model/catalog";
import { noModelConversation } from "@metahuman/agents/operator/planners/no-model-conversation";
import { createStructuredPlanner } from "@metahuman/agents/operator/planners/structured";
import { createToolCallingPlanner } from "@metahuman/agents/operator/planners/tool-calling";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { ModelRouter } from "@metahuman/models/router";

/** Every planner of a profile, and what is needed to choose among them but for the run's own part. */
export function createPlanning(
  router: ModelRouter,
  config: ConfigSource,
  cards: () => readonly SkillCard[],
): Pick<Choosing, "planners" | "router" | "config" | "flags"> {
  const operator = () => config.current().operator;
  const catalog = createCatalogSource({ cards, settings: () => operator().performance });
  const models = { router, config: operator, catalog };
  return {
    router,
    config: operator,
    flags: async () => (await config.refresh()).runtime.operator,
    planners: {
      builtIn: createBuiltInPlanner(),
      structured: createStructuredPlanner(models),
      toolCalling: createToolCallingPlanner(models),
      conversation: createConversationPlanner(router, () => operator().models.responseModel),
      noModelConversation,
    },
  };
}
