import { MAX_TOOL_NAME } from "@metahuman/core/contract/run";
import type { ChatMessage } from "@metahuman/models/provider";
import { z } from "zod";
import type { Planner, PlanState } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { askModel } from "./model/ask-model.ts";
import { buildCatalog } from "./model/catalog.ts";
import { knownToPlanner } from "./model/known-to-planner.ts";
import { observationText, withStepsLeft } from "./model/messages.ts";
import { plainSchema } from "./model/reply.ts";
import { clipToTokens, promptBudget, shownArgs } from "./model/prompt-budget.ts";
import type { ModelPlannerOptions } from "./structured.ts";

const Schema = z.record(z.string(), z.unknown());

/** Plans with the model's own tool calls: the plain baseline that the structured planner is measured against. */
export function createToolCallingPlanner({ router, config, cards }: ModelPlannerOptions): Planner {
  return {
    name: "tool-calling",
    async next(state, signal) {
      const budgetTokens = await promptBudget(router, "planner");
      const { offered } = buildCatalog(
        cards(state),
        state.request,
        Math.min(config().budgets.catalog, Math.floor(budgetTokens / 2)),
      );
      const tools = state.skills
        .filter(({ id }) => offered.includes(id))
        .map(({ id, summary, input }) => ({
          name: id,
          description: summary,
          parameters: Schema.parse(plainSchema(z.toJSONSchema(input, { io: "input" }))),
        }));
      const reply = await askModel(
        {
          messages: withStepsLeft(toolMessages(state, budgetTokens), state.stepsLeft),
          tools,
          temperature: 0,
        },
        {
          router,
          role: "planner",
          purpose: "plan",
          signal,
          onModelCall: state.onModelCall,
          onWarning: state.onWarning,
        },
      );
      const [call] = reply.toolCalls;
      const thought = reply.text.trim() || reply.thinking.trim();
      if (!call) return { kind: "answer", thought: thought || "Nothing more to do.", style: "default" };
      return {
        kind: "act",
        thought: thought || `Call ${call.name}.`,
        action: { tool: call.name.slice(0, MAX_TOOL_NAME) || "unnamed", args: call.args },
      };
    },
  };
}

function toolMessages(state: PlanState, budgetTokens: number): ChatMessage[] {
  const request = clipToTokens(state.request, Math.floor(budgetTokens / 3));
  const context = knownToPlanner(state);
  return [
    { role: "system", content: prompt("planner-tools") },
    { role: "user", content: context === "" ? request : `${context}\n\nRequest: ${request}` },
    ...state.scratchpad.flatMap((entry): ChatMessage[] => {
      if (!entry.action) return [];
      const id = `call-${String(entry.step)}`;
      return [
        {
          role: "assistant",
          content: entry.thought,
          toolCalls: [{ id, name: entry.action.tool, args: shownArgs(entry.action.args) }],
        },
        { role: "tool", callId: id, name: entry.action.tool, content: observationText(entry) },
      ];
    }),
  ];
}
