import { Todo, TODO_SKILL, TodoList } from "@metahuman/core/contract/todo";
import { isRecord } from "@metahuman/core/text/is-record";
import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { escapeInline } from "../markdown.ts";
import { linePreview } from "../support/phrasing.ts";

const MARKS: Readonly<Record<Todo["status"], string>> = { todo: "[ ]", in_progress: "[~]", done: "[x]" };

export const writeTodos = defineSkill({
  id: TODO_SKILL,
  summary: "Keep the checklist of this run",
  category: "agent",
  input: z.strictObject({
    todos: z
      .preprocess(
        linesOf,
        z
          .array(z.union([Todo, Todo.shape.text.transform((text): Todo => ({ text, status: "todo" }))]))
          .max(50),
      )
      .describe("The whole list, in order: texts, or {text, status: todo | in_progress | done}"),
  }),
  output: TodoList,
  effects: "agent",
  risk: "low",
  idempotent: true,
  notes: "For requests of several steps: write it first, then whenever a line is done; this costs no step.",
  // The list is the operator's own. What a person wants to get done is a task.
  phrases: [],
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
      : todos.map(({ text, status }) => `- ${MARKS[status]} ${escapeInline(text)}`).join("\n"),
  run: async ({ todos }) => ({ todos }),
});

/** The lines of a list in the forms that models give it, as texts or with their status; any other value as it is. */
function linesOf(list: unknown): unknown {
  const lines: unknown = typeof list === "string" ? [list] : list;
  return Array.isArray(lines) ? lines.flatMap(textsIn).map(lineOf) : lines;
}

/** A text with several lines is one item for each of them. */
function textsIn(item: unknown): unknown[] {
  return typeof item === "string" && item.includes("\n")
    ? item.split("\n").filter((line) => line.trim() !== "")
    : [item];
}

const NAMES_OF_TEXT = ["text", "task", "title", "content", "item", "todo", "step", "name", "description"];
const NAMES_OF_STATUS = ["status", "state", "done", "completed", "complete", "checked", "finished"];

function lineOf(line: unknown): unknown {
  if (typeof line === "string") return markedLine(line);
  if (!isRecord(line)) return line;
  const text = NAMES_OF_TEXT.map((name) => line[name]).find((value) => typeof value === "string");
  if (text === undefined) return line;
  const status = NAMES_OF_STATUS.map((name) => line[name]).find(
    (value) => value !== undefined && value !== null,
  );
  const marked = markedLine(text);
  return status === undefined ? marked : { text: marked.text, status: statusOf(status) };
}

/** A line of a Markdown list: an optional bullet, an optional mark such as `[x]` or `✓`, and the text. */
const MARKED_LINE =
  /^\s*(?:[-*+•]\s+|\d+[.)]\s+(?=\[))?(?:\[(?<box>[ xX~/✓✔-]?)\]|(?<sign>[☐☑✅✓✔⬜🔲]))?\uFE0F?\s*(?<text>.*)$/su;

function markedLine(line: string): { text: string; status: unknown } {
  const { box, sign, text = line } = MARKED_LINE.exec(line)?.groups ?? {};
  const mark = (sign ?? box ?? "").toLowerCase();
  return { text, status: statusOf(mark) };
}

const TODO = /^(?:|todo|to[ _-]do|pending|open|waiting|planned|false|no|not[ _-](?:started|done)|[☐⬜🔲])$/u;
const IN_PROGRESS = /^(?:[~/-]|doing|started|active|current|ongoing|in[ _-]?progress)$/u;
const DONE = /^(?:x|done|completed?|finished|true|yes|checked|[☑✅✓✔])$/u;

/** The status that a word, a mark or a truth value names; any other value as it is, which the schema rejects. */
function statusOf(value: unknown): unknown {
  const word = String(value).trim().toLowerCase();
  if (DONE.test(word)) return "done";
  if (IN_PROGRESS.test(word)) return "in_progress";
  return TODO.test(word) ? "todo" : value;
}
