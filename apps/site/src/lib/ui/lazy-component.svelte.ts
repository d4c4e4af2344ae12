import { untrack } from "svelte";
import { nextTask } from "./next-task.ts";

/** A component whose code is loaded when it is first needed. */
export class LazyComponent<Component> {
  /** Absent until loaded. */
  component = $state.raw<Component>();
  readonly #import: () => Promise<{ default: Component }>;
  #loading: Promise<Component> | undefined;

  constructor(load: () => Promise<{ default: Component }>) {
    this.#import = load;
  }

  /** For `{#await}`: once loaded, the component itself, which is rendered at once. Rejects if it cannot be loaded. */
  get ready(): Component | Promise<Component> {
    return untrack(() => this.component) ?? this.#load();
  }

  /** Resolves when it is loaded, or failed to load: the next call then tries again. */
  async load(): Promise<void> {
    await this.#load().catch(() => undefined);
  }

  #load(): Promise<Component> {
    this.#loading ??= this.#import().then(
      async ({ default: component }) => {
        // Renders in another task than the one that has run the code of the component.
        await nextTask();
        this.component = component;
        return component;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }
}

/**
 * Parts of a page that are only there sometimes, by the name in the attribute `data-part` of their element. The server
 * renders them with the page.
 */
export type LazyParts = Readonly<Record<string, Pick<LazyComponent<unknown>, "load">>>;

/** Loads the parts that are in the HTML of the page, so that they can be hydrated; on the server, all. */
export async function loadRenderedParts(parts: LazyParts): Promise<void> {
  const rendered = Object.entries(parts).filter(
    ([name]) => import.meta.env.SSR || document.querySelector(`[data-part="${name}"]`) !== null,
  );
  await Promise.all(rendered.map(([, part]) => part.load()));
}
