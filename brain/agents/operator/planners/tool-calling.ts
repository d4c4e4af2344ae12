import { escapeDataTags } from "@metahuman/core/context/fenced";
import { MAX_TOOL_NAME } from "@metahuman/core/contract/run";
import { clipToTokens, estimateTokens } from "@metahuman/core/contract/tokens";
import { askForToolCalls } from "@metahuman/models/structured-reply";
import type { ChatMessage, ChatReply, ToolCall } from "@metahuman/models/provider";
import type { PlannerDecision, Planner, PlanState, Step } from "../planner.ts";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";
import { parseJson } from "@metahuman/core/contract/parse-json";
import { callIn, readableCall } from "./model/reply.ts";
import { answerWithin, withoutInvalidCitations } from "../answer/model-answer-writer.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { isObserved } from "../answer/evidence.ts";
import { plannerContext } from "./model/planner-context.ts";
import { observationText, promptSections, appendSituation } from "./model/messages.ts";
import { recentSkills, selectFunctions } from "./model/offered-tools.ts";
import { catalogBudget, promptBudget, argsForPrompt } from "./model/prompt-budget.ts";
import { invalidPlanError, cutOffAdvice } from "./model/invalid-plan.ts";
import type { ModelPlannerOptions } from "./structured.ts";
import { watchedAnswerText } from "./watched-answer-text.ts";

/** Plans with the model's native tool calls; the baseline for measurements of the structured planner. */
export function createToolCallingPlanner({ router, config, catalog }: ModelPlannerOptions): Planner {
  return {
    name: "tool-calling",
    async next(state, signal) {
      const budgetTokens = await promptBudget(router, config().models.planningModel);
      const isLast = state.stepsLeft !== undefined && state.stepsLeft <= 0;
      const asked = { ...state, recent: await recentSkills(state) };
      const offered = selectFunctions(asked, catalog, catalogBudget(config().budgets, budgetTokens));
      const tools = offered.tools.map(({ id, summary, args }) => ({
        name: id,
        description: summary,
        parameters: args,
      }));
      const messages = appendSituation(toolMessages(state, offered.notes, budgetTokens), state, NO_STEP_LEFT);
      const sections = promptSections(state, {
        rulesTokens: estimateTokens(messages[0]?.content ?? ""),
        catalogTokens: isLast ? 0 : estimateTokens(JSON.stringify(tools)),
        messages,
      });
      const { onAnswerText, hasBegun } = watchedAnswerText(state.onAnswerText);
      const answer = await askForToolCalls(
        {
          messages,
          ...(!isLast && { tools }),
          temperature: 0,
        },
        {
          router,
          role: config().models.planningModel,
          purpose: "plan",
          signal,
          onModelCall: (call) => state.onModelCall?.({ ...call, sections }),
          onWarning: state.onWarning,
          retry: config().scratchpad.enableErrorRetry,
          cutOffAdvice,
          ...(!isLast && { onText: onAnswerText }),
        },
      );
      if (!answer.ok) throw invalidPlanError(answer);
      const reply = answer.value;
      const text = answerWithin(reply.text);
      // A call of the answer skill ends the run.
      const native = reply.toolCalls.filter(({ name }) => name !== ANSWER_SKILL);
      const written =
        native.length === 0 && !isLast ? callInText(reply.text.trim(), state.skills) : undefined;
      const calls = written ? [written] : native;
      const [first, ...parallel] = calls.map((call) =>
        stepOf(call, written ? { ...reply, text: "" } : reply, state),
      );
      if (!first) return isLast ? lastAnswer(text, state) : finalAnswer(text, state);
      // Text next to a call is a thought, and the text of an incomplete reply is invalid: neither starts the answer.
      if (hasBegun()) onAnswerText("", 0);
      return { kind: "act", ...first, ...(parallel.length > 0 && { parallel }) };
    },
  };
}

/** The call of a skill that a model wrote as its whole text, as many small models do. */
function callInText(text: string, skills: PlanState["skills"]): ToolCall | undefined {
  const json = /^(?:<tool_call>|```(?:json)?)?\s*(\{[\s\S]*\})\s*(?:<\/tool_call>|```)?$/u.exec(text)?.[1];
  const call = callIn(json === undefined ? undefined : parseJson(json));
  return call && skills.some(({ id }) => id === call.tool)
    ? { id: "", name: call.tool, args: call.args }
    : undefined;
}

const NO_STEP_LEFT =
  'No step is left: reply now with what was found. Begin with "FINISHED:" only if everything that was asked is done, else with "UNFINISHED:", and say what is missing.';

/** The model's final text is the answer; its citations are checked like those of every answer. */
function finalAnswer(text: string, state: PlanState): PlannerDecision {
  if (text === "") return { kind: "answer", thought: "Nothing more to do.", style: "default" };
  const cited = withoutInvalidCitations(state.scratchpad.filter(isObserved), text, state.onWarning);
  return { kind: "answer", thought: "", style: "default", text: cited, streamed: true };
}

/** The marker that `NO_STEP_LEFT` asks for, with the colon after it and the Markdown around it, but nothing of the answer. */
const END_MARKER =
  /^[\s#>]*(\*{1,2}|["“])?(UN)?FINISHED(?![\p{L}\p{N}])\1?(?:\s*[:.,!–—]|\s+-(?=\s))?\1?\s*/u;

function lastAnswer(text: string, state: PlanState): PlannerDecision {
  const [marker = "", , isUnfinished] = END_MARKER.exec(text) ?? [];
  const isFinished = marker === "" ? state.isSingleStep === true : isUnfinished === undefined;
  const answer = finalAnswer(text.slice(marker.length), state);
  return {
    ...answer,
    ...(answer.kind === "answer" && { streamed: false, ...(!isFinished && { outcome: "stopped" }) }),
  };
}

/** Later prompts repeat the text that came with a call, but not the model's thinking. */
function stepOf({ name, args }: ToolCall, { text, thinking }: ChatReply, state: PlanState): Step {
  return {
    thought: text.trim() || `Call ${name}.`,
    ...readableCall({ tool: name.slice(0, MAX_TOOL_NAME) || "unnamed", args }, state.skills),
    ...functionNamedIn(text || thinking, state),
  };
}

/** Native tool calls have no field for the guide they follow, so the model names it in its text. */
function functionNamedIn(thought: string, { context }: PlanState): { functionId?: string } {
  const named = context?.relevantFunctions.find(({ id }) => thought.includes(id));
  return named ? { functionId: named.id } : {};
}

function toolMessages(state: PlanState, notes: string, budgetTokens: number): ChatMessage[] {
  const request = clipToTokens(state.request, Math.floor(budgetTokens / 3));
  const context = plannerContext(state);
  return [
    { role: "system", content: `${prompt("planner-tools")}\n\n${notes}` },
    { role: "user", content: context === "" ? request : `${context}\n\nRequest: ${request}` },
    ...state.scratchpad.flatMap((entry): ChatMessage[] => {
      // The findings of a review are not the result of a call.
      if (!entry.action)
        return entry.observation
          ? [
              { role: "assistant", content: state.rejectedAnswer ?? entry.thought },
              { role: "user", content: escapeDataTags(entry.observation.content) },
            ]
          : [];
      const id = `call-${String(entry.step)}`;
      return [
        {
          role: "assistant",
          content: entry.thought,
          toolCalls: [{ id, name: entry.action.tool, args: argsForPrompt(entry.action, entry.observation) }],
        },
        { role: "tool", callId: id, name: entry.action.tool, content: observationText(entry) },
      ];
    }),
  ];
}
