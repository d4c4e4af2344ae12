import { nextTask } from "../ui/next-task.ts";

type Markdown = (typeof import("./Markdown.svelte"))["default"];

/** The Markdown renderer, which is loaded with the first answer: most visits start without one. */
class MarkdownPart {
  /** Absent until loaded; until then, texts are shown as plain text. */
  component = $state.raw<Markdown>();
  #loading: Promise<void> | undefined;

  /**
   * Resolves when it is loaded, or failed to load: answers are then shown as plain text, and the next one tries again.
   */
  load(): Promise<void> {
    this.#loading ??= import("./Markdown.svelte").then(
      async ({ default: component }) => {
        await nextTask();
        this.component = component;
      },
      () => {
        this.#loading = undefined;
      },
    );
    return this.#loading;
  }
}

/** The instance of the page. */
export const markdown = new MarkdownPart();
