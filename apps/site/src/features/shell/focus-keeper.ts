/** What the focus may move to. Fields are not among them: on a phone, they would open the keyboard. */
const FOCUSABLE = ["a[href]", "button:not(:disabled)", "summary", "[tabindex='0']"].join();
/** What can take the focus of something that was removed from it, if nothing in it does. */
const CONTAINER = "[tabindex], dialog";

/**
 * Keeps the focus on the page when the element that has it is removed or disabled, as a browser does not: it moves to the
 * following element of the same kind, such as the next row, else to the one before it, else to what contained it. An
 * element that was disabled gets it back. Where a component moves the focus itself, nothing is done. Returns a function
 * that ends this.
 */
export function keepFocus(): () => void {
  const end = new AbortController();
  let focused: Element | undefined;
  /** What is next to the removed element, nearest first. */
  let near: readonly Element[] = [];

  document.addEventListener(
    "focusin",
    ({ target }) => {
      focused = target instanceof Element ? target : undefined;
    },
    { signal: end.signal },
  );
  // A press on an empty part of the page removes the focus on purpose.
  document.addEventListener("pointerdown", () => (focused = undefined), {
    capture: true,
    signal: end.signal,
  });

  const observer = new MutationObserver((records) => {
    if (!focused) return;
    for (const { target, removedNodes, nextSibling, previousSibling } of records) {
      const isRemoved = [...removedNodes].some((node) => node.contains(focused ?? null));
      const [removed] = removedNodes;
      if (isRemoved && removed instanceof Element && target instanceof Element)
        near = [
          ...alike(removed, nextSibling, "next"),
          ...alike(removed, previousSibling, "previous"),
          target,
        ];
    }
    // Components move the focus after they have rendered.
    if (document.activeElement === document.body) setTimeout(restore);
  });
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["disabled"],
  });

  function restore(): void {
    if (document.activeElement !== document.body || !focused) return;
    if (focused.isConnected) return focus(focused);
    for (const element of near) {
      const place = element.isConnected ? placeIn(element) : undefined;
      if (place) return focus(place);
    }
  }

  end.signal.addEventListener("abort", () => observer.disconnect());
  return () => end.abort();
}

function focus(element: Element): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

/** The siblings of the same kind as a removed element, from one on. */
function alike(removed: Element, from: Node | null, way: "next" | "previous"): Element[] {
  const found: Element[] = [];
  for (let node = from; node; node = way === "next" ? node.nextSibling : node.previousSibling)
    if (node instanceof Element && node.tagName === removed.tagName) found.push(node);
  return found;
}

/** The element, what can be focused in it, or what contains it. */
function placeIn(element: Element): Element | undefined {
  if (element.matches(FOCUSABLE)) return element;
  const inside = element.matches(CONTAINER) ? undefined : element.querySelector(FOCUSABLE);
  return inside ?? element.closest(CONTAINER) ?? undefined;
}
