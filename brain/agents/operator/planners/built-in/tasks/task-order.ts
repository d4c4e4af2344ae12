/** The task that an order is for: by its title, or by its place in the list that was shown, "the second one". */
export type TaskReference = { kind: "title"; title: string } | { kind: "place"; place: string };

/** What a message does with a task of the conversation, or asks about it. `due` is a day or a time as the message words it. */
export type TaskOrder =
  | { kind: "finish" | "reopen" | "delete" | "ask-due"; task: TaskReference }
  | { kind: "set-due"; task: TaskReference; due: string }
  | { kind: "rename"; task: TaskReference; title: string };

export const withTitle = (title: string): TaskReference => ({ kind: "title", title });

/** An order in the words of the task skills' phrases: the grammar finds the task and reads the day. */
export function phraseTaskOrder(order: TaskOrder): string {
  const { task } = order;
  const named = task.kind === "title" ? `the task "${task.title}"` : task.place;
  switch (order.kind) {
    case "finish":
      return `mark ${named} as done`;
    case "reopen":
      return `reopen ${named}`;
    case "delete":
      return `delete ${named}`;
    case "ask-due":
      return `when is ${named} due`;
    case "set-due":
      return `${task.kind === "title" ? "set" : "make"} ${named} due ${order.due}`;
    case "rename":
      return `rename ${named} to "${order.title}"`;
    default:
      return order satisfies never;
  }
}
