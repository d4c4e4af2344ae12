import { showItemAddress } from "./list-address.ts";

/** The open editors: one on the page, and at most one in a dialog above it. */
const editors = new Set<UnsavedChanges>();

function register(editor: UnsavedChanges): () => void {
  editors.add(editor);
  return () => editors.delete(editor);
}

/** The changes of an editor, which must not be lost without asking. Create it while the editor is initialized. */
export class UnsavedChanges {
  /** Whether the editor asks: Save, Keep editing or Discard. */
  asking = $state(false);

  readonly #isDirty: () => boolean;
  #answer: ((mayLeave: boolean) => void) | undefined;

  constructor(isDirty: () => boolean) {
    this.#isDirty = isDirty;
    $effect(() => {
      const close = register(this);
      return () => {
        close();
        this.#settle(true);
      };
    });
    askBeforeUnload(isDirty);
  }

  /** Resolves to whether the editor may be closed: at once without changes, otherwise when the person has answered. */
  async ask(): Promise<boolean> {
    if (!this.#isDirty()) return true;
    this.#settle(false);
    this.asking = true;
    return await new Promise((resolve) => (this.#answer = resolve));
  }

  /** The person keeps editing, or saving failed. */
  keep(): void {
    this.#settle(false);
  }

  /** The changes were saved or discarded. */
  leave(): void {
    this.#settle(true);
  }

  #settle(mayLeave: boolean): void {
    this.asking = false;
    this.#answer?.(mayLeave);
    this.#answer = undefined;
  }
}

/**
 * While `isDirty`, the browser asks in its own words before the page is left. Call it while a component is initialized.
 */
export function askBeforeUnload(isDirty: () => boolean): void {
  $effect(() => {
    const unload = (event: BeforeUnloadEvent): void => {
      if (isDirty()) event.preventDefault();
    };
    window.addEventListener("beforeunload", unload);
    return () => window.removeEventListener("beforeunload", unload);
  });
}

/** Resolves to whether the page may show something else: the open editors ask first where changes would be lost. */
export async function mayLeave(): Promise<boolean> {
  for (const editor of [...editors].reverse()) if (!(await editor.ask())) return false;
  return true;
}

/** As {@link mayLeave}, after Back or Forward: a person who keeps editing gets the editor's address back. */
export async function mayFollow(address: string): Promise<boolean> {
  if (await mayLeave()) return true;
  showItemAddress(address);
  return false;
}
