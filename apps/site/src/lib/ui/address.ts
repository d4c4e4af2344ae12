import { isRecord } from "@metahuman/core/text/is-record";

/** The number of history entries that items have added since their list was shown, in `history.state`. */
const OPENED_ITEMS = "openedItems";

/** What changes the address once the entries of closed items are left; absent unless they are being left. */
let postponed: (() => void)[] | undefined;

// Registered before a page reads the address: a window calls its listeners in their order.
if (typeof window !== "undefined")
  window.addEventListener("popstate", () => {
    const changes = postponed ?? [];
    postponed = undefined;
    for (const change of changes) change();
  });

/** Sets the address in the location bar: as a new history entry, or with `replace` in place of the current one. */
export function showAddress(address: string, { replace = false } = {}): void {
  afterClosing(() => {
    if (address === location.pathname + location.search) return;
    if (replace) history.replaceState(history.state, "", address);
    else history.pushState(null, "", address);
  });
}

/** Sets the address of an item that was opened from a list, as a new history entry: Back then closes the item. */
export function showItemAddress(address: string): void {
  afterClosing(() => {
    if (address === location.pathname + location.search) return;
    history.pushState({ [OPENED_ITEMS]: countOpenedItems() + 1 }, "", address);
  });
}

/**
 * Sets the address of a list whose item was closed. It goes back to the history entry of the list, so that Back then
 * leaves the list. Without such an entry, because a link opened the page with the item, it replaces the current one.
 */
export function showListAddress(address: string): void {
  afterClosing(() => {
    const entries = countOpenedItems();
    if (entries === 0) return showAddress(address, { replace: true });
    // The list may have been searched or filtered while the item was open.
    postponed = [() => showAddress(address, { replace: true })];
    history.go(-entries);
  });
}

/** The address of a page with the parameters that are set. */
export function addressWith(page: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? page : `${page}?${new URLSearchParams(given)}`;
}

function afterClosing(change: () => void): void {
  if (postponed) postponed.push(change);
  else change();
}

function countOpenedItems(): number {
  const state: unknown = history.state;
  const count = isRecord(state) ? state[OPENED_ITEMS] : undefined;
  return typeof count === "number" ? count : 0;
}
