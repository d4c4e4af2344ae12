import type { Page } from "@metahuman/core/contract/http";
import { describeError, type ErrorDescription } from "../api/api-problem.ts";

export interface PageQuery {
  query: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** How many items are read at first, and each time somebody reads on. */
export const PAGE_LENGTH = 50;
const READ_ON = 100;
/** As many as are read again at once when something changed. */
const READ_AGAIN = 200;

/** A list that arrives page by page, narrowed by what is searched for. */
export class PagedList<Item extends { id: string }> {
  items = $state.raw<readonly Item[]>([]);
  total = $state(0);
  query = $state("");
  /** An answer, or a failure, has come. */
  loaded = $state(false);
  problem = $state.raw<ErrorDescription>();
  readonly hasMore = $derived.by(() => this.#cursor !== null);

  readonly #read: (query: PageQuery) => Promise<Page<Item>>;
  #cursor = $state.raw<string | null>(null);
  #asked = 0;
  /** The question whose answer is still on its way. */
  #taking: number | undefined;

  constructor(read: (query: PageQuery) => Promise<Page<Item>>) {
    this.#read = read;
  }

  /** Reads the first page of what is asked for now; what was there stays in sight until then. */
  async load(): Promise<void> {
    await this.#take((page) => page, { limit: PAGE_LENGTH });
  }

  /** Reads the beginning again because something changed; how far somebody has read on stays. */
  async refresh(): Promise<void> {
    const limit = Math.min(Math.max(this.items.length, PAGE_LENGTH), READ_AGAIN);
    await this.#take((page) => this.#withRest(page), { limit });
  }

  /** Reads the next page; while one is on its way, asking again changes nothing. */
  async loadMore(): Promise<void> {
    if (this.#cursor === null || this.#taking === this.#asked) return;
    const add = (page: Page<Item>) => ({ ...page, items: [...this.items, ...page.items] });
    await this.#take(add, { limit: READ_ON, cursor: this.#cursor });
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

  /** A first page that was read again, followed by what had been read after it. */
  #withRest(page: Page<Item>): Page<Item> {
    const before = this.items.findIndex(({ id }) => id === page.items.at(-1)?.id);
    if (page.nextCursor === null || before === -1) return page;
    const again = new Set(page.items.map(({ id }) => id));
    const rest = this.items.slice(before + 1).filter(({ id }) => !again.has(id));
    if (rest.length === 0) return page;
    return { ...page, items: [...page.items, ...rest], nextCursor: this.#cursor };
  }

  async #take(
    join: (page: Page<Item>) => Page<Item>,
    { limit, cursor }: Omit<PageQuery, "query">,
  ): Promise<void> {
    const asked = ++this.#asked;
    this.#taking = asked;
    try {
      const page = await this.#read({ query: this.query.trim() || undefined, cursor, limit });
      // An answer that was overtaken by a later question says nothing any more.
      if (asked !== this.#asked) return;
      const { items, total, nextCursor } = join(page);
      this.items = items;
      this.total = total;
      this.#cursor = nextCursor;
      this.problem = undefined;
    } catch (error) {
      if (asked === this.#asked) this.problem = describeError(error);
    } finally {
      this.loaded = true;
      if (this.#taking === asked) this.#taking = undefined;
    }
  }
}
