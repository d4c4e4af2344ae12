import type { RunEvent } from "@metahuman/core/contract/event";
import type { CallStage } from "@metahuman/core/contract/run";
import { type Todo, TodoList } from "@metahuman/core/contract/todo";
import { oneLine, truncate } from "@metahuman/core/text/format";

const WIDTH = 160;
const MARKS: Readonly<Record<Todo["status"], string>> = { todo: "[ ]", in_progress: "[~]", done: "[x]" };
const STAGE_MARKS: Readonly<Record<CallStage["state"], string>> = { begun: "…", done: "✓", failed: "✗" };

/** Formats a run event for a terminal. The answer is the command's result and is not included. */
export function eventLines(event: RunEvent): string[] {
  switch (event.type) {
    case "step-planned":
      return [
        `${String(event.step).padStart(2)}  ${truncate(oneLine(event.thought), WIDTH)}`,
        ...(event.action
          ? [`    ${event.action.tool}  ${truncate(oneLine(JSON.stringify(event.action.args)), WIDTH)}`]
          : []),
      ];
    case "observation-made": {
      const todoList = TodoList.safeParse(event.observation.outputs).data;
      if (todoList)
        return todoList.todos.map(
          ({ text, status }) => `    ${MARKS[status]} ${truncate(oneLine(text), WIDTH)}`,
        );
      return [
        ...event.observation.content
          .split("\n")
          .map((line, index) => (index === 0 ? `    → ${line}` : `      ${line}`)),
        `      ${String(Math.round(event.durationMs))} ms`,
      ];
    }
    case "stage-reached": {
      const { name, state, detail } = event.stage;
      return [
        `    ${STAGE_MARKS[state]} ${name}${detail === undefined ? "" : `: ${truncate(oneLine(detail), WIDTH)}`}`,
      ];
    }
    case "approval-requested":
      return [`    ? ${event.approval.preview.title}`];
    case "approval-resolved":
      return [
        `    ${event.expired ? "expired without a decision" : event.decision === "deny" ? "denied" : "allowed"}${event.reason === undefined ? "" : `: ${event.reason}`}`,
      ];
    case "question-asked":
      return [`    ? ${event.question}`];
    case "warning-raised":
      return [`    ! ${event.message}`];
    case "run-interrupted":
    case "run-resumed":
      return [`    ${event.type.replace("run-", "")}: ${event.reason}`];
    case "function-matched":
      return [`    ƒ ${event.function.title}: ${event.reason}`];
    case "function-learned":
      return [`    ƒ learned a draft: ${event.function.title}`];
    case "run-started":
    case "context-built":
    case "action-started":
    case "answer-delta":
    case "answer-completed":
    case "usage-recorded":
    case "run-ended":
      return [];
    default:
      return event satisfies never;
  }
}
