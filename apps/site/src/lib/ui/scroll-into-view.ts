/** Scrolls an element into view when it appears outside the viewport in response to an action. */
export function scrollIntoView(element: Element): void {
  element.scrollIntoView({ block: "nearest" });
}
