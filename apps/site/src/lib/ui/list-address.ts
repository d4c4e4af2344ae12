import { afterMoving, countEntries, goBack, OPEN_DIALOGS, OPENED_ITEMS, setAddress } from "./address.ts";

// Apart from `address.ts`, so that pages without lists do not load it (`chunking.mjs`).

/** Sets the address of an item that was opened from a list, as a new history entry: Back then closes the item. */
export function showItemAddress(address: string): void {
  afterMoving(() => setAddress(address, { [OPENED_ITEMS]: countEntries(OPENED_ITEMS) + 1 }));
}

/**
 * Sets the address of a list whose item was closed. It goes back to the history entry of the list, so that Back then
 * leaves the list. Without such an entry, because a link opened the page with the item, it replaces the current one.
 */
export function showListAddress(address: string): void {
  afterMoving(() => {
    const entries = countEntries(OPENED_ITEMS);
    // The list may have been searched or filtered while the item was open.
    const show = (): void => setAddress(address, history.state, true);
    if (entries === 0) show();
    else goBack(entries + countEntries(OPEN_DIALOGS), show);
  });
}
