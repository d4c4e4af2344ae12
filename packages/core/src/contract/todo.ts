import { z } from "zod";

/** One line of the checklist that a run keeps for itself. A task belongs to a person; a todo ends with its run. */
export const Todo = z.strictObject({
  text: z.string().trim().min(1).max(300),
  status: z.enum(["todo", "in_progress", "done"]).default("todo"),
});
export type Todo = z.infer<typeof Todo>;

/** The output of `write_todos`: the complete list. */
export const TodoList = z.strictObject({ todos: z.array(Todo) });
export type TodoList = z.infer<typeof TodoList>;

/** The skill whose last output is the checklist of a run. */
export const TODO_SKILL = "write_todos";
