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

  /** Absent for an editor that is closed by its owner. */
  readonly onclose: (() => void) | undefined;
  readonly #isDirty: () => boolean;
  #answer: ((mayLeave: boolean) => void) | undefined;

  constructor(isDirty: () => boolean, onclose?: () => void) {
    this.#isDirty = isDirty;
    this.onclose = onclose;
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

  /** Closes the editor, unless the person wants to keep its changes. */
  readonly close = (): void => void this.ask().then((mayLeave) => mayLeave && this.onclose?.());

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

/** Returns whether values differ from those that they have now. */
export function changesOf(read: () => unknown): () => boolean {
  const before = JSON.stringify(read());
  return () => JSON.stringify(read()) !== before;
}

/** Closes an editor on Escape, and submits its form on Ctrl S. */
export function editorKeys(
  event: KeyboardEvent & { currentTarget: HTMLFormElement | HTMLTextAreaElement },
  onclose: () => void,
): void {
  const isSave = event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey);
  if (event.key !== "Escape" && !isSave) return;
  event.preventDefault();
  const { currentTarget: part } = event;
  if (isSave) (part instanceof HTMLFormElement ? part : part.form)?.requestSubmit();
  else onclose();
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
