import { nextTask } from "./next-task.ts";

/** A component whose code is loaded when it is first needed. */
export class LazyComponent<Component> {
  /** Absent until loaded. */
  component = $state.raw<Component>();
  readonly #import: () => Promise<{ default: Component }>;
  #loading: Promise<void> | undefined;

  constructor(load: () => Promise<{ default: Component }>) {
    this.#import = load;
  }

  /** Resolves when it is loaded, or failed to load: the next call then tries again. */
  load(): Promise<void> {
    this.#loading ??= this.#import().then(
      async ({ default: component }) => {
        // Renders in another task than the one that has run the code of the component.
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
