/** Requests that work on a fresh profile with no model, as a newcomer can try them. */
export const EXAMPLES: readonly { request: string; shows: string }[] = [
  { request: "make sandwich file", shows: "writes a file, and shows every step" },
  { request: "add a task to buy milk tomorrow, high priority", shows: "adds a task" },
  {
    request: "remember that the garage code is kept in the blue notebook",
    shows: "remembers what you tell it",
  },
  { request: "what can you do?", shows: "lists its skills" },
];
