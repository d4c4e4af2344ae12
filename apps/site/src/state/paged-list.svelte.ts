import type { Page } from "@metahuman/core/contract/http";
import { explain, type Explanation } from "./api-problem.ts";

export interface PageQuery {
  query: string | undefined;
  cursor: string | undefined;
  limit: number;
}

const LIMIT = 50;

/** A list that arrives page by page, narrowed by what is searched for. */
export class PagedList<Item extends { id: string }> {
  items = $state.raw<readonly Item[]>([]);
  total = $state(0);
  query = $state("");
  /** An answer, or a failure, has come. */
  loaded = $state(false);
  problem = $state.raw<Explanation>();
  readonly hasMore = $derived.by(() => this.#cursor !== null);

  readonly #read: (query: PageQuery) => Promise<Page<Item>>;
  #cursor = $state.raw<string | null>(null);
  #asked = 0;
  /** The question whose answer is still on its way. */
  #taking: number | undefined;

  constructor(read: (query: PageQuery) => Promise<Page<Item>>) {
    this.#read = read;
  }

  /** Reads the first page; the old one stays in sight until it is there. */
  async load(): Promise<void> {
    await this.#take(undefined);
  }

  /** Reads the next page; while one is on its way, asking again changes nothing. */
  async loadMore(): Promise<void> {
    if (this.#cursor !== null && this.#taking !== this.#asked) await this.#take(this.#cursor);
  }

  async search(query: string): Promise<void> {
    this.query = query;
    await this.load();
  }

  /** Shows an item as it is now, before the list is read again. */
  replace(item: Item): void {
    this.items = this.items.map((one) => (one.id === item.id ? item : one));
  }

  drop(id: string): void {
    if (!this.items.some((one) => one.id === id)) return;
    this.items = this.items.filter((one) => one.id !== id);
    this.total -= 1;
  }

  async #take(cursor: string | undefined): Promise<void> {
    const asked = ++this.#asked;
    this.#taking = asked;
    try {
      const page = await this.#read({ query: this.query.trim() || undefined, cursor, limit: LIMIT });
      // An answer that was overtaken by a later question says nothing any more.
      if (asked !== this.#asked) return;
      this.items = cursor === undefined ? page.items : [...this.items, ...page.items];
      this.total = page.total;
      this.#cursor = page.nextCursor;
      this.problem = undefined;
    } catch (error) {
      if (asked === this.#asked) this.problem = explain(error);
    } finally {
      this.loaded = true;
      if (this.#taking === asked) this.#taking = undefined;
    }
  }
}
