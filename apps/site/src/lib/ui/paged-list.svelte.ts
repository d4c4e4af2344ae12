import type { Page } from "@metahuman/core/contract/http";
import { describeError, type ErrorDescription } from "../api/api-problem.ts";

export interface PageQuery {
  query: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** The length of the first page. */
export const PAGE_LENGTH = 50;
const NEXT_PAGE_LENGTH = 100;
/** The maximum number of items that one refresh loads. */
const MAX_REFRESH = 200;

/** A list that is loaded page by page, with an optional search query. */
export class PagedList<Item extends { id: string }> {
  items = $state.raw<readonly Item[]>([]);
  total = $state(0);
  query = $state("");
  /** Whether the first page has loaded or failed. */
  loaded = $state(false);
  problem = $state.raw<ErrorDescription>();
  readonly hasMore = $derived.by(() => this.#cursor !== null);

  readonly #fetch: (query: PageQuery) => Promise<Page<Item>>;
  #cursor = $state.raw<string | null>(null);
  #requests = 0;
  /** The number of the pending request. */
  #pending: number | undefined;
  /** Settles with the latest request. */
  #latest: Promise<void> = Promise.resolve();

  constructor(fetchPage: (query: PageQuery) => Promise<Page<Item>>) {
    this.#fetch = fetchPage;
  }

  /** Starts with a first page that the server rendered. */
  begin({ items, total, nextCursor }: Page<Item>): void {
    this.items = items;
    this.total = total;
    this.#cursor = nextCursor;
    this.loaded = true;
  }

  /** Loads the first page. The old items stay visible until it arrives. */
  async load(): Promise<void> {
    await this.#load((page) => page, { limit: PAGE_LENGTH });
  }

  /** Loads the beginning again after a change and keeps the pages after it. */
  async refresh(): Promise<void> {
    const limit = Math.min(Math.max(this.items.length, PAGE_LENGTH), MAX_REFRESH);
    await this.#load((page) => this.#withLaterItems(page), { limit });
  }

  /** Loads the next page, unless a request is pending. */
  async loadMore(): Promise<void> {
    if (this.#cursor === null || this.#pending === this.#requests) return;
    const add = (page: Page<Item>) => ({ ...page, items: [...this.items, ...page.items] });
    await this.#load(add, { limit: NEXT_PAGE_LENGTH, cursor: this.#cursor });
  }

  async search(query: string): Promise<void> {
    this.query = query;
    await this.load();
  }

  /** Replaces an item until the list is loaded again. */
  replace(item: Item): void {
    this.items = this.items.map((one) => (one.id === item.id ? item : one));
  }

  drop(id: string): void {
    if (!this.items.some((one) => one.id === id)) return;
    this.items = this.items.filter((one) => one.id !== id);
    this.total -= 1;
  }

  /** Appends the items that were loaded after the refreshed page. */
  #withLaterItems(page: Page<Item>): Page<Item> {
    const before = this.items.findIndex(({ id }) => id === page.items.at(-1)?.id);
    if (page.nextCursor === null || before === -1) return page;
    const again = new Set(page.items.map(({ id }) => id));
    const rest = this.items.slice(before + 1).filter(({ id }) => !again.has(id));
    if (rest.length === 0) return page;
    return { ...page, items: [...page.items, ...rest], nextCursor: this.#cursor };
  }

  /** Resolves when the list shows the answer to this request, or to a later one that has replaced it. */
  async #load(
    join: (page: Page<Item>) => Page<Item>,
    { limit, cursor }: Omit<PageQuery, "query">,
  ): Promise<void> {
    const request = ++this.#requests;
    this.#pending = request;
    let reading = this.#read(request, join, { limit, cursor });
    this.#latest = reading;
    await reading;
    while (reading !== this.#latest) {
      reading = this.#latest;
      await reading;
    }
  }

  async #read(
    request: number,
    join: (page: Page<Item>) => Page<Item>,
    { limit, cursor }: Omit<PageQuery, "query">,
  ): Promise<void> {
    try {
      const page = await this.#fetch({ query: this.query.trim() || undefined, cursor, limit });
      // A later request has replaced this one.
      if (request !== this.#requests) return;
      this.begin(join(page));
      this.problem = undefined;
    } catch (error) {
      if (request === this.#requests) this.problem = describeError(error);
    } finally {
      if (request === this.#requests) this.loaded = true;
      if (this.#pending === request) this.#pending = undefined;
    }
  }
}
