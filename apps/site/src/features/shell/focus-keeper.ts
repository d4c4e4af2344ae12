/** What the focus may move to. Fields are not among them: on a phone, they would open the keyboard. */
const FOCUSABLE = [
  "a[href]:not([href='#main'])",
  "button:not(:disabled)",
  "summary",
  "[tabindex='0']",
].join();
/** What can take the focus of something that was removed from it, if nothing in it does. */
const CONTAINER = "[tabindex], dialog";
/** The number of earlier places of the focus that are known. */
const MAX_TRAIL = 20;

/** An element that had the focus. */
interface Focused {
  element: Element;
  /** The words of a link or a button, by which the element that replaces it is found. */
  label: string | undefined;
}

/** An element that was removed with the focus in it. */
interface Removal {
  root: Element;
  parent: Element;
  /** For a row, or the like: the elements of the same kind that were next to it, nearest first. */
  alike: readonly Element[];
}

/**
 * Keeps the focus on the page when the element that has it is removed or disabled, as a browser does not. From a row of a
 * list it moves to the following row, else to the one before it. From anything else, such as a form or an open item, it
 * moves back to where it was before, or to the button of the same name that has taken that button's place; else to what
 * contained it. An element that was disabled gets it back. Where a component moves the focus itself, nothing is done.
 * Returns a function that ends this.
 */
export function keepFocus(): () => void {
  const end = new AbortController();
  /** Where the focus was, the newest last. */
  let trail: Focused[] = [];
  let removal: Removal | undefined;

  document.addEventListener(
    "focusin",
    ({ target }) => {
      if (target instanceof Element)
        trail = [...trail.slice(-MAX_TRAIL), { element: target, label: labelOf(target) }];
    },
    { signal: end.signal },
  );
  // A press on an empty part of the page removes the focus on purpose, once the browser has moved it.
  const forget = (): void => {
    if (isLost()) trail = [];
  };
  document.addEventListener("pointerdown", () => setTimeout(forget), { capture: true, signal: end.signal });

  const observer = new MutationObserver((records) => {
    const focused = trail.at(-1)?.element;
    if (!focused) return;
    for (const { target, removedNodes, nextSibling, previousSibling } of records)
      for (const root of removedNodes) {
        if (!(root instanceof Element && target instanceof Element)) continue;
        if (root.contains(focused))
          removal = {
            root,
            parent: target,
            alike: root.matches("dialog, form")
              ? []
              : [...alike(root, nextSibling, "next"), ...alike(root, previousSibling, "previous")],
          };
        // What contained it was removed after it.
        else if (removal?.root.contains(focused) === true && root.contains(removal.parent))
          removal = { ...removal, parent: target };
      }
    // Components move the focus after they have rendered.
    if (isLost()) setTimeout(restore);
  });
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["disabled"],
  });

  function restore(): void {
    const focused = trail.at(-1)?.element;
    if (!isLost() || !focused) return;
    if (focused.isConnected) return focus(focused);
    if (!removal?.root.contains(focused)) return;
    const { root, parent, alike } = removal;
    const row = alike.find((element) => element.isConnected && placeIn(element));
    // Without an earlier place, a dialog was opened while nothing had the focus.
    const place = row
      ? placeIn(row)
      : (placeBefore(root, parent, trail) ?? (root.matches("dialog") ? undefined : placeIn(parent)));
    if (place) focus(place);
  }

  end.signal.addEventListener("abort", () => observer.disconnect());
  return () => end.abort();
}

const isLost = (): boolean => document.activeElement === document.body;

function focus(element: Element): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

function labelOf(element: Element): string | undefined {
  if (!element.matches("a, button, summary")) return undefined;
  return (element.getAttribute("aria-label") ?? element.textContent).trim();
}

/** The siblings of the same kind as a removed element, from one on. */
function alike(removed: Element, from: Node | null, way: "next" | "previous"): Element[] {
  const found: Element[] = [];
  for (let node = from; node; node = way === "next" ? node.nextSibling : node.previousSibling)
    if (node instanceof Element && node.tagName === removed.tagName) found.push(node);
  return found;
}

/** The last place of the focus outside of a removed element, or what has taken that place. */
function placeBefore(root: Element, parent: Element, trail: readonly Focused[]): Element | undefined {
  for (const { element, label } of trail.toReversed()) {
    if (root.contains(element)) continue;
    if (element.matches(FOCUSABLE) && element.checkVisibility()) return element;
    if (label === undefined || element.isConnected || !parent.isConnected) continue;
    const named = [...parent.querySelectorAll(element.tagName)].find((one) => labelOf(one) === label);
    if (named?.matches(FOCUSABLE)) return named;
  }
  return undefined;
}

/** The element, what can be focused in it, or what contains it. */
function placeIn(element: Element): Element | undefined {
  if (element.matches(FOCUSABLE)) return element;
  const inside = element.matches(CONTAINER) ? undefined : element.querySelector(FOCUSABLE);
  return inside ?? element.closest(CONTAINER) ?? undefined;
}
