type Markdown = (typeof import("./Markdown.svelte"))["default"];

/** What draws answers, loaded when there is one: most of a page's visits begin without. */
class MarkdownPart {
  /** Absent until it is loaded; the text is shown as it is meanwhile. */
  component = $state.raw<Markdown>();
  #loading: Promise<void> | undefined;

  /** Resolves once it is there, or cannot be had now: an answer can be read without, and the next one asks again. */
  load(): Promise<void> {
    this.#loading ??= import("./Markdown.svelte").then(
      ({ default: component }) => {
        this.component = component;
      },
      () => {
        this.#loading = undefined;
      },
    );
    return this.#loading;
  }
}

/** One for the whole page. */
export const markdown = new MarkdownPart();
