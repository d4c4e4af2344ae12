interface NoticeAction {
  label: string;
  /** Called after the notice is dismissed. Reports its own errors. */
  run: () => void;
}

export interface Notice {
  id: number;
  text: string;
  tone: "plain" | "good" | "risk";
  action: NoticeAction | undefined;
}

const NOTICE_MS = 8_000;
const NOTICE_WITH_ACTION_MS = 20_000;

/** Short messages at the edge of the page, some with an action such as Undo. */
export class Notices {
  items = $state.raw<readonly Notice[]>([]);
  /** The height of what notices must not cover at the foot of the page, in pixels. */
  offset = $state(0);
  /** Whether somebody points at or focuses the notices: then none disappears by itself. */
  isHeld: () => boolean = () => false;
  #next = 1;

  show(text: string, options: { tone?: Notice["tone"]; action?: NoticeAction } = {}): void {
    const notice: Notice = { id: this.#next++, text, tone: options.tone ?? "plain", action: options.action };
    this.items = [...this.items.slice(-2), notice];
    this.#dismissLater(notice.id, notice.action ? NOTICE_WITH_ACTION_MS : NOTICE_MS);
  }

  dismiss(id: number): void {
    this.items = this.items.filter((notice) => notice.id !== id);
  }

  #dismissLater(id: number, wait: number): void {
    setTimeout(() => {
      if (this.isHeld()) this.#dismissLater(id, NOTICE_MS);
      else this.dismiss(id);
    }, wait);
  }
}
