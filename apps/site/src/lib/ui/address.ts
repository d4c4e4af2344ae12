import { isRecord } from "@metahuman/core/text/is-record";
import { isPlainClick } from "./is-plain-click.ts";

/** The number of history entries that items have added since their list was shown, in `history.state`. */
export const OPENED_ITEMS = "openedItems";
/** The number of open dialogs, in `history.state`: each of them has added a history entry. */
export const OPEN_DIALOGS = "openDialogs";

/** Changes that wait until the history has moved to another entry, which takes a task. */
const waiting: (() => void)[] = [];
/** What is done when the history has moved; absent while it does not move. */
let arrive: ((event: PopStateEvent) => void) | undefined;

interface DialogEntry {
  dismiss: () => void;
  /** The address at which the dialog was opened. */
  href: string;
}
/** The open dialogs, the topmost last. */
const dialogs: DialogEntry[] = [];

if (typeof window !== "undefined") {
  // A reload closes the dialogs.
  forgetDialogs();
  // Registered before a page reads the address: a window calls its listeners in their order.
  window.addEventListener("popstate", (event) => {
    const arrived = arrive;
    if (!arrived) return dismissDialog(event);
    arrive = undefined;
    arrived(event);
    changeInTurn();
  });
  window.addEventListener("click", followInTurn);
}

/** Sets the address in the location bar: as a new history entry, or with `replace` in place of the current one. */
export function showAddress(address: string, { replace = false } = {}): void {
  afterMoving(() => setAddress(address, replace ? history.state : null, replace));
}

/**
 * Adds a history entry for a dialog that opens, so that Back calls `dismiss` and does not leave the page. A dialog that
 * stays open, because it asks about unsaved changes, gets its entry back. What the dialog opens on this page replaces the
 * entry. Returns a function for when the dialog has closed; it removes the entry.
 */
export function addDialogEntry(dismiss: () => void): () => void {
  const dialog: DialogEntry = { dismiss, href: "" };
  dialogs.push(dialog);
  enter(dialog);
  return () => {
    const depth = dialogs.indexOf(dialog) + 1;
    dialogs.splice(depth - 1, 1);
    afterMoving(() => {
      if (countEntries(OPEN_DIALOGS) !== depth) return;
      const { href } = location;
      goBack(1, (event) => {
        event.stopImmediatePropagation();
        // The address may have changed while the dialog was open.
        if (location.href !== href) history.replaceState(history.state, "", href);
      });
    });
  };
}

/** Makes Back close an open popover as it does a dialog. Returns a function for when the panel is removed. */
export function closeOnBack(panel: HTMLElement): () => void {
  let removeEntry: (() => void) | undefined;
  // Before the panel is hidden: what an item opens gets its entry after that of the panel is removed.
  panel.addEventListener("beforetoggle", ({ newState }) => {
    removeEntry?.();
    removeEntry = newState === "open" ? addDialogEntry(() => panel.hidePopover()) : undefined;
  });
  return () => removeEntry?.();
}

/** Calls back once the history moves no more, so that a page that is opened then follows the right entry. */
export function afterMoving(change: () => void): void {
  waiting.push(change);
  changeInTurn();
}

/** The address of a page with the parameters that are set. */
export function addressWith(page: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? page : `${page}?${new URLSearchParams(given)}`;
}

function changeInTurn(): void {
  while (!arrive) {
    const change = waiting.shift();
    if (!change) return;
    change();
  }
}

/** Goes back by so many entries, and calls back there. */
export function goBack(entries: number, arrived: (event: PopStateEvent) => void): void {
  arrive = arrived;
  history.go(-entries);
}

/** Sets the address as a new entry, or in place of the current one. */
export function setAddress(address: string, state: unknown, replaces = countEntries(OPEN_DIALOGS) > 0): void {
  if (address === location.pathname + location.search) return;
  if (replaces) history.replaceState(state, "", address);
  else history.pushState(state, "", address);
}

/**
 * What a link in a dialog or menu opens replaces its history entry. A click beside a menu closes it, so its link is
 * followed when the history has moved.
 */
function followInTurn(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
  if (!link || link.target || link.hasAttribute("download")) return;
  if (event.defaultPrevented || !isPlainClick(event) || !(arrive || dialogs.length > 0)) return;
  event.preventDefault();
  if (arrive) afterMoving(() => location.assign(link.href));
  else location.replace(link.href);
}

/** Adds the history entry of a dialog. */
function enter(dialog: DialogEntry): void {
  afterMoving(() => {
    const depth = dialogs.indexOf(dialog) + 1;
    if (depth === 0) return;
    history.pushState({ ...stateOf(), [OPEN_DIALOGS]: depth }, "");
    dialog.href = location.href;
  });
}

/** After Back: dismisses the topmost dialog, if its entry was left. Forward leads to the entry of one that was closed. */
function dismissDialog(event: PopStateEvent): void {
  const dialog = dialogs.at(-1);
  if (!dialog) return forgetDialogs();
  if (countEntries(OPEN_DIALOGS) >= dialogs.length) return;
  if (location.href === dialog.href) event.stopImmediatePropagation();
  dialog.dismiss();
  setTimeout(() => {
    if (dialogs.includes(dialog)) enter(dialog);
  });
}

/** Makes the current history entry one without dialogs. */
function forgetDialogs(): void {
  if (countEntries(OPEN_DIALOGS) > 0) history.replaceState({ ...stateOf(), [OPEN_DIALOGS]: 0 }, "");
}

function stateOf(): Readonly<Record<string, unknown>> {
  const state: unknown = history.state;
  return isRecord(state) ? state : {};
}

/** The number of such entries at the current one. */
export function countEntries(what: typeof OPENED_ITEMS | typeof OPEN_DIALOGS): number {
  const number = stateOf()[what];
  return typeof number === "number" ? number : 0;
}
