interface NoticeAction {
  label: string;
  /** The id of the archive entry that it restores. It is no longer offered when the archive does not have the entry. */
  restores?: string;
  /** Called after the notice is dismissed. Reports its own errors. */
  run: () => void;
}

export interface Notice {
  id: number;
  text: string;
  variant: "neutral" | "success" | "danger";
  action: NoticeAction | undefined;
  /** The id of its subject. A newer notice with the same subject replaces it, so that no outdated action is offered. */
  about: string | undefined;
  /** Called when the notice disappears and its action was not chosen. */
  onclose: (() => void) | undefined;
}

const NOTICE_MS = 8_000;
const NOTICE_WITH_ACTION_MS = 20_000;

/** Whether a newer notice has the same subject, or says the same. */
function isReplaced(notice: Notice, newer: Notice): boolean {
  if (newer.about !== undefined && notice.about === newer.about) return true;
  return notice.text === newer.text && notice.action === undefined && newer.action === undefined;
}

/** Short messages at the edge of the page, some with an action such as Undo. */
export class Notices {
  items = $state.raw<readonly Notice[]>([]);
  /** The height of the area at the bottom that notices must not cover, in pixels. */
  offset = $state(0);
  /** Whether notices stay: somebody points at or focuses them, or cannot see them. */
  isHeld: () => boolean = () => false;
  #next = 1;

  show(
    text: string,
    { variant = "neutral", action, about, onclose }: Partial<Omit<Notice, "id" | "text">> = {},
  ): void {
    const notice: Notice = { id: this.#next++, text, variant, action, about, onclose };
    for (const one of this.items) if (isReplaced(one, notice)) this.dismiss(one.id);
    for (const { id } of this.items.slice(0, -2)) this.dismiss(id);
    this.items = [...this.items, notice];
    this.#dismissLater(notice.id, notice.action ? NOTICE_WITH_ACTION_MS : NOTICE_MS);
  }

  dismiss(id: number): void {
    const left = this.#remove(id);
    left?.onclose?.();
  }

  /** Dismisses the notices about a subject, whose actions are outdated. */
  withdraw(about: string): void {
    for (const one of this.items) if (one.about === about) this.dismiss(one.id);
  }

  /** Removes a notice and executes its action. */
  choose({ id, action }: Notice): void {
    if (this.#remove(id)) action?.run();
  }

  #remove(id: number): Notice | undefined {
    const removed = this.items.find((notice) => notice.id === id);
    this.items = this.items.filter((notice) => notice !== removed);
    return removed;
  }

  #dismissLater(id: number, wait: number): void {
    setTimeout(() => {
      if (this.isHeld()) this.#dismissLater(id, NOTICE_MS);
      else this.dismiss(id);
    }, wait);
  }
}
