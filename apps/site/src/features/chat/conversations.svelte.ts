import type { Conversation } from "@metahuman/core/contract/conversation";
import type { Api } from "../shell/api.ts";
import { ApiProblem } from "../../lib/api/api-problem.ts";
import { PagedList } from "../../lib/ui/paged-list.svelte.ts";
import { startOfDay } from "../../lib/format/format.ts";
import { lazy } from "../../lib/format/lazy.ts";

/** Items under the name of their group: “Pinned”, a day, a month. */
interface Group<Item> {
  label: string;
  items: Item[];
}

/** The list of conversations, newest first. */
export class Conversations extends PagedList<Conversation> {
  /** The conversation whose title is being edited. */
  renaming = $state.raw<Conversation>();
  /** The ids that are selected; undefined outside selection mode. */
  selection = $state.raw<ReadonlySet<string>>();
  /** The pinned conversations, then the others by the day of their last message. */
  readonly groups: readonly Group<Conversation>[] = $derived.by(() => {
    const shown = this.items.filter(({ id }) => !this.#hidden.has(id));
    const pinned = shown.filter((one) => one.pinned === true);
    const others = shown.filter((one) => one.pinned !== true);
    const groups = groupByPeriod(others, ({ updatedAt }) => updatedAt, new Date(this.#today()));
    return pinned.length === 0 ? groups : [{ label: "Pinned", items: pinned }, ...groups];
  });

  readonly #api: Api;
  readonly #today: () => number;
  /** Hidden ids that the server still has: their deletion can be undone. */
  #hidden = $state.raw<ReadonlySet<string>>(new Set());

  /** `today` is the moment at which today began, in milliseconds; the groups follow it. */
  constructor(api: Api, today: () => number) {
    super((query) => api.conversations(query));
    this.#api = api;
    this.#today = today;
  }

  /** Does nothing before the list is shown for the first time. */
  override async refresh(): Promise<void> {
    if (this.loaded) await super.refresh();
  }

  async rename(id: string, title: string): Promise<void> {
    this.replace(await this.#api.editConversation(id, { title }));
  }

  /** Moves a conversation above the others, or back among them. */
  async pin(id: string, pinned: boolean): Promise<void> {
    await this.#api.editConversation(id, { pinned });
    await this.refresh();
  }

  toggle(id: string): void {
    const selected = new Set(this.selection);
    if (!selected.delete(id)) selected.add(id);
    this.selection = selected;
  }

  /** Hides conversations, to delete them later. */
  hide(ids: readonly string[]): void {
    this.#hidden = new Set([...this.#hidden, ...ids]);
    this.selection = undefined;
  }

  /** Shows hidden conversations again. */
  unhide(ids: readonly string[]): void {
    this.#hidden = new Set([...this.#hidden].filter((id) => !ids.includes(id)));
  }

  /**
   * Deletes those of the conversations that are still hidden. Those that the server does not delete are shown again, and the
   * first error is thrown.
   */
  async deleteHidden(ids: readonly string[]): Promise<void> {
    const hidden = ids.filter((id) => this.#hidden.has(id));
    const results = await Promise.allSettled(hidden.map(async (id) => this.#delete(id)));
    this.unhide(hidden);
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }

  /** Deletes the hidden conversations now, because the page closes. Nothing is left to undo if the page comes back. */
  deleteOnExit(): void {
    const hidden = [...this.#hidden];
    for (const id of hidden) {
      void this.#api.deleteConversation(id, { keepalive: true }).catch(() => undefined);
      this.drop(id);
    }
    this.unhide(hidden);
  }

  /** Deletes a conversation, which may have been deleted elsewhere already. */
  async #delete(id: string): Promise<void> {
    try {
      await this.#api.deleteConversation(id);
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 404)) throw error;
    }
    this.drop(id);
  }
}

const DAY_MS = 86_400_000;
const monthFormat = lazy(() => new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric" }));

/** Groups items, newest first, by the calendar of this browser: today, yesterday, the last 7 and 30 days, then months. */
export function groupByPeriod<Item>(
  items: readonly Item[],
  dateOf: (item: Item) => string,
  now: Date,
): Group<Item>[] {
  const groups: Group<Item>[] = [];
  for (const item of items) {
    const label = labelOf(new Date(dateOf(item)), now);
    const last = groups.at(-1);
    if (last?.label === label) last.items.push(item);
    else groups.push({ label, items: [item] });
  }
  return groups;
}

function labelOf(date: Date, now: Date): string {
  const days = Math.round((startOfDay(now) - startOfDay(date)) / DAY_MS);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days <= 7) return "Last 7 days";
  if (days <= 30) return "Last 30 days";
  return monthFormat().format(date);
}
