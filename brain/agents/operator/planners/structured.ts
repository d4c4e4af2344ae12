import type { OperatorConfig } from "@metahuman/core/contract/config";
import { askForJson } from "@metahuman/models/structured-reply";
import type { ModelRouter } from "@metahuman/models/router";
import type { Move, Planner } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import type { CatalogSource } from "./model/catalog.ts";
import { knownToPlanner } from "./model/known-to-planner.ts";
import { planningMessages, withStepsLeft } from "./model/messages.ts";
import { offeredTools } from "./model/offered-tools.ts";
import { catalogBudget, promptBudget } from "./model/prompt-budget.ts";
import { unreadablePlan, writeInParts } from "./model/unusable-reply.ts";
import { PlannerReply, replySchema } from "./model/reply.ts";

export interface ModelPlannerOptions {
  router: ModelRouter;
  config: () => OperatorConfig;
  catalog: CatalogSource;
}

/** Plans with JSON that a schema constrains. A reply that is none is asked for once more, with what was wrong with it. */
export function createStructuredPlanner({ router, config, catalog }: ModelPlannerOptions): Planner {
  return {
    name: "structured",
    async next(state, signal) {
      const { scratchpad, budgets } = config();
      const budgetTokens = await promptBudget(router, config().models.planningModel);
      const { text, tools } = offeredTools(state, catalog, catalogBudget(budgets, budgetTokens));
      const format = replySchema(tools);
      const prompted = planningMessages({
        rules: prompt("planner", { catalog: text }),
        context: knownToPlanner(state),
        goal: state.request,
        scratchpad: state.scratchpad,
        budgetTokens,
        keepVerbatim: scratchpad.trimToLastN,
      });
      const messages = withStepsLeft(prompted, state.stepsLeft);

      const { onModelCall, onWarning } = state;
      const reply = await askForJson(
        PlannerReply,
        { messages, format, temperature: 0 },
        {
          router,
          role: config().models.planningModel,
          purpose: "plan",
          signal,
          onModelCall,
          onWarning,
          retry: scratchpad.enableErrorRetry,
          cutOffAdvice: writeInParts,
        },
      );
      if (!reply.ok) throw unreadablePlan(reply);
      return toMove(reply.value);
    },
  };
}

function toMove({ thought, action, responseStyle, functionId }: PlannerReply): Move {
  if (!action) return { kind: "answer", thought, style: responseStyle ?? "default" };
  return {
    kind: "act",
    thought,
    action: { tool: action.tool, args: action.args },
    ...(functionId && { functionId }),
  };
}
