import { MAX_TOOL_NAME } from "@metahuman/core/contract/run";
import { askForToolCalls } from "@metahuman/models/structured-reply";
import type { ChatMessage, ToolCall } from "@metahuman/models/provider";
import type { Planner, PlanState, Step } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { knownToPlanner } from "./model/known-to-planner.ts";
import { observationText, withStepsLeft } from "./model/messages.ts";
import { offeredFunctions } from "./model/offered-tools.ts";
import { catalogBudget, clipToTokens, promptBudget, shownArgs } from "./model/prompt-budget.ts";
import { unreadablePlan, writeInParts } from "./model/unusable-reply.ts";
import type { ModelPlannerOptions } from "./structured.ts";

/** Plans with the model's own tool calls: the plain baseline that the structured planner is measured against. */
export function createToolCallingPlanner({ router, config, catalog }: ModelPlannerOptions): Planner {
  return {
    name: "tool-calling",
    async next(state, signal) {
      const budgetTokens = await promptBudget(router, config().models.planningModel);
      const offered = offeredFunctions(state, catalog, catalogBudget(config().budgets, budgetTokens));
      const tools = offered.tools.map(({ id, summary, args }) => ({
        name: id,
        description: summary,
        parameters: args,
      }));
      const answer = await askForToolCalls(
        {
          messages: withStepsLeft(toolMessages(state, offered.notes, budgetTokens), state.stepsLeft),
          tools,
          temperature: 0,
        },
        {
          router,
          role: config().models.planningModel,
          purpose: "plan",
          signal,
          onModelCall: state.onModelCall,
          onWarning: state.onWarning,
          retry: config().scratchpad.enableErrorRetry,
          cutOffAdvice: writeInParts,
        },
      );
      if (!answer.ok) throw unreadablePlan(answer);
      const reply = answer.value;
      const thought = reply.text.trim() || reply.thinking.trim();
      const [first, ...alongside] = reply.toolCalls.map((call) => stepOf(call, thought, state));
      if (!first) return { kind: "answer", thought: thought || "Nothing more to do.", style: "default" };
      return { kind: "act", ...first, ...(alongside.length > 0 && { alongside }) };
    },
  };
}

function stepOf({ name, args }: ToolCall, thought: string, state: PlanState): Step {
  return {
    thought: thought || `Call ${name}.`,
    action: { tool: name.slice(0, MAX_TOOL_NAME) || "unnamed", args },
    ...functionNamedIn(thought, state),
  };
}

/** Tool calls have no field for the guide they follow; the model is asked to name it in its text. */
function functionNamedIn(thought: string, { context }: PlanState): { functionId?: string } {
  const named = context?.relevantFunctions.find(({ id }) => thought.includes(id));
  return named ? { functionId: named.id } : {};
}

function toolMessages(state: PlanState, notes: string, budgetTokens: number): ChatMessage[] {
  const request = clipToTokens(state.request, Math.floor(budgetTokens / 3));
  const context = knownToPlanner(state);
  return [
    { role: "system", content: `${prompt("planner-tools")}\n\n${notes}` },
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
