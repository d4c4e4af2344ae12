/** Attached to what answers an action: shows it where it would be below or above what is in sight. */
export function scrollIntoView(element: Element): void {
  element.scrollIntoView({ block: "nearest" });
}
