export interface NoticeAct {
  label: string;
  /** The notice goes away when it is pressed; a failure of its own is shown by what it calls. */
  run: () => void;
}

export interface Notice {
  id: number;
  text: string;
  tone: "plain" | "good" | "risk";
  act: NoticeAct | undefined;
}

const SHOWN_MS = 8_000;
const SHOWN_WITH_ACT_MS = 20_000;

/** Short news at the edge of the page: what was done, with the way back where there is one. */
export class Notices {
  items = $state.raw<readonly Notice[]>([]);
  /** While true (pointer or focus rests on them) nothing goes away by itself. */
  held = $state(false);
  #next = 1;

  show(text: string, options: { tone?: Notice["tone"]; act?: NoticeAct } = {}): void {
    const notice: Notice = { id: this.#next++, text, tone: options.tone ?? "plain", act: options.act };
    this.items = [...this.items.slice(-2), notice];
    this.#dismissLater(notice.id, notice.act ? SHOWN_WITH_ACT_MS : SHOWN_MS);
  }

  dismiss(id: number): void {
    this.items = this.items.filter((notice) => notice.id !== id);
  }

  #dismissLater(id: number, wait: number): void {
    setTimeout(() => {
      if (this.held) this.#dismissLater(id, SHOWN_MS);
      else this.dismiss(id);
    }, wait);
  }
}
