interface ToastAction {
  label: string;
  /** The id of the archive entry that it restores. It is no longer offered when the archive does not have the entry. */
  restores?: string;
  /** Called after the toast is dismissed. Reports its own errors. */
  run: () => void;
}

export interface Toast {
  id: number;
  text: string;
  variant: "neutral" | "success" | "danger";
  action: ToastAction | undefined;
  /** The id of its subject. A newer toast with the same subject replaces it, so that no outdated action is offered. */
  about: string | undefined;
  /** Called when the toast disappears and its action was not chosen. */
  onclose: (() => void) | undefined;
}

const TOAST_MS = 8_000;
const TOAST_WITH_ACTION_MS = 20_000;

/** Whether a newer toast has the same subject, or says the same. */
function isReplaced(toast: Toast, newer: Toast): boolean {
  if (newer.about !== undefined && toast.about === newer.about) return true;
  return toast.text === newer.text && toast.action === undefined && newer.action === undefined;
}

/** Short messages at the edge of the page, some with an action such as Undo. */
export class Toasts {
  items = $state.raw<readonly Toast[]>([]);
  /** The height of the area at the bottom that toasts must not cover, in pixels. */
  offset = $state(0);
  /** Whether toasts stay: somebody points at or focuses them, or cannot see them. */
  isHeld: () => boolean = () => false;
  #next = 1;

  show(
    text: string,
    { variant = "neutral", action, about, onclose }: Partial<Omit<Toast, "id" | "text">> = {},
  ): void {
    const toast: Toast = { id: this.#next++, text, variant, action, about, onclose };
    for (const one of this.items) if (isReplaced(one, toast)) this.dismiss(one.id);
    for (const { id } of this.items.slice(0, -2)) this.dismiss(id);
    this.items = [...this.items, toast];
    this.#dismissLater(toast.id, toast.action ? TOAST_WITH_ACTION_MS : TOAST_MS);
  }

  dismiss(id: number): void {
    const left = this.#remove(id);
    left?.onclose?.();
  }

  /** Dismisses the toasts about a subject, whose actions are outdated. */
  withdraw(about: string): void {
    for (const one of this.items) if (one.about === about) this.dismiss(one.id);
  }

  /** Removes a toast and executes its action. */
  choose({ id, action }: Toast): void {
    if (this.#remove(id)) action?.run();
  }

  #remove(id: number): Toast | undefined {
    const removed = this.items.find((toast) => toast.id === id);
    this.items = this.items.filter((toast) => toast !== removed);
    return removed;
  }

  #dismissLater(id: number, wait: number): void {
    setTimeout(() => {
      if (this.isHeld()) this.#dismissLater(id, TOAST_MS);
      else this.dismiss(id);
    }, wait);
  }
}
