import { z } from "zod";

/** One line of the checklist that a run keeps for itself. A task is a person's; a todo is gone with its run. */
export const Todo = z.strictObject({
  text: z.string().trim().min(1).max(300),
  status: z.enum(["todo", "in_progress", "done"]).default("todo"),
});
export type Todo = z.infer<typeof Todo>;

/** The outputs of `write_todos`: the whole list as it stands. */
export const TodoList = z.strictObject({ todos: z.array(Todo) });
export type TodoList = z.infer<typeof TodoList>;

/** The skill whose last outputs are a run's checklist. */
export const TODO_SKILL = "write_todos";
