import type { OperatorConfig } from "@metahuman/core/contract/config";
import { PlanInvalidError } from "@metahuman/core/errors/plan-invalid-error";
import { askForJson } from "@metahuman/models/ask";
import type { ModelRouter } from "@metahuman/models/router";
import type { Move, Planner } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import type { CatalogSource } from "./model/catalog.ts";
import { knownToPlanner } from "./model/known-to-planner.ts";
import { planningMessages, withStepsLeft } from "./model/messages.ts";
import { offeredTools } from "./model/offered-tools.ts";
import { catalogBudget, promptBudget, REPLY_TOKENS } from "./model/prompt-budget.ts";
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
        { messages, format, temperature: 0, maxTokens: REPLY_TOKENS },
        {
          router,
          role: config().models.planningModel,
          purpose: "plan",
          signal,
          onModelCall,
          onWarning,
          retry: scratchpad.enableErrorRetry,
        },
      );
      if (!reply.ok) throw unreadable(reply.problems);
      return toMove(reply.value);
    },
  };
}

function unreadable(problems: readonly string[]): PlanInvalidError {
  return new PlanInvalidError("The model's plan could not be read.", {
    context: { problems },
    suggestions: ["Try again, or choose another model for planning under Settings."],
  });
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
