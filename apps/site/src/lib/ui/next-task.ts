/** Resolves in a new task: the browser can draw and answer input before what follows. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
