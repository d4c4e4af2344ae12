import { Todo, TODO_SKILL, TodoList } from "@metahuman/core/contract/todo";
import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { inline } from "../markdown.ts";
import { linePreview } from "../support/phrasing.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** The list is the operator's own. What a person wants to get done is a task. */
const phrases: readonly (string | Phrase)[] = [];

const slots: Record<string, SlotType | Slot> = {};

const MARKS: Readonly<Record<Todo["status"], string>> = { todo: "[ ]", in_progress: "[~]", done: "[x]" };

export const writeTodos = defineSkill({
  id: TODO_SKILL,
  summary: "Keep the checklist of this run",
  category: "agent",
  input: z.strictObject({
    todos: z
      .array(z.union([Todo, Todo.shape.text.transform((text): Todo => ({ text, status: "todo" }))]))
      .max(50)
      .describe("The whole list, in order: texts, or {text, status: todo | in_progress | done}"),
  }),
  output: TodoList,
  effects: "agent",
  risk: "low",
  idempotent: true,
  notes: "For requests of several steps: write the list first, then again whenever a line is begun or done.",
  phrases,
  slots,
  narrate: ({ todos }) => {
    const done = todos.filter(({ status }) => status === "done").length;
    const next =
      todos.find(({ status }) => status === "in_progress") ?? todos.find(({ status }) => status === "todo");
    const progress = `The checklist has ${formatCount(todos.length, "line")}, ${done} done`;
    return next ? `${progress}; next: ${linePreview(next.text)}` : `${progress}.`;
  },
  structure: ({ todos }) =>
    todos.length === 0
      ? "The checklist is empty."
      : todos.map(({ text, status }) => `- ${MARKS[status]} ${inline(text)}`).join("\n"),
  run: async ({ todos }) => ({ todos }),
});
