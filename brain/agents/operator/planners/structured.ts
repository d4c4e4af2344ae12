import type { OperatorConfig } from "@metahuman/core/contract/config";
import { PlanInvalidError } from "@metahuman/core/errors/plan-invalid-error";
import { ModelError } from "@metahuman/models/model-error";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import type { Move, Planner, PlanState } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { askModel } from "./model/ask-model.ts";
import type { CatalogSource } from "./model/catalog.ts";
import { knownToPlanner } from "./model/known-to-planner.ts";
import { planningMessages, withStepsLeft } from "./model/messages.ts";
import { offeredTools } from "./model/offered-tools.ts";
import { catalogBudget, promptBudget, REPLY_TOKENS } from "./model/prompt-budget.ts";
import { readReply } from "./model/read-reply.ts";
import { replySchema, type PlannerReply } from "./model/reply.ts";

export interface ModelPlannerOptions {
  router: ModelRouter;
  config: () => OperatorConfig;
  catalog: CatalogSource;
}

/** Plans with JSON that a schema constrains. A reply that is none is asked for once more, with what was wrong with it. */
export function createStructuredPlanner({ router, config, catalog }: ModelPlannerOptions): Planner {
  async function ask(
    messages: readonly ChatMessage[],
    format: Record<string, unknown>,
    state: PlanState,
    signal: AbortSignal,
  ) {
    const { onModelCall, onWarning } = state;
    try {
      const reply = await askModel(
        { messages, format, temperature: 0, maxTokens: REPLY_TOKENS },
        { router, role: config().models.planningModel, purpose: "plan", signal, onModelCall, onWarning },
      );
      return reply.text;
    } catch (error) {
      // Nothing at all is one way of not replying as asked: it gets the same second chance.
      if (error instanceof ModelError && error.reason === "empty") return "";
      throw error;
    }
  }

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

      const first = await ask(messages, format, state, signal);
      const read = readReply(first);
      if (read.ok) return toMove(read.reply);
      if (!scratchpad.enableErrorRetry) throw unreadable(read.problems);

      const second = await ask([...messages, ...complaint(first, read.problems)], format, state, signal);
      const again = readReply(second);
      if (again.ok) return toMove(again.reply);
      throw unreadable(again.problems);
    },
  };
}

function unreadable(problems: readonly string[]): PlanInvalidError {
  return new PlanInvalidError("The model's plan could not be read.", {
    context: { problems },
    suggestions: ["Try again, or choose another model for planning under Settings."],
  });
}

/** How much of a bad reply is shown back to the model, in characters. */
const SHOWN_REPLY = 1_000;

function complaint(reply: string, problems: readonly string[]): ChatMessage[] {
  return [
    { role: "assistant", content: reply.slice(0, SHOWN_REPLY) || "(nothing)" },
    {
      role: "user",
      content: `That was not a valid reply:\n${problems.map((problem) => `- ${problem}`).join("\n")}\nReply again with one JSON object and nothing else.`,
    },
  ];
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
