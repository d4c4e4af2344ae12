/**
 * Whether a click on a link is handled by this page; with a modifier key or another button, the link opens elsewhere.
 */
export function isPlainClick({
  ctrlKey,
  metaKey,
  shiftKey,
  button,
}: Pick<MouseEvent, "ctrlKey" | "metaKey" | "shiftKey" | "button">): boolean {
  return !ctrlKey && !metaKey && !shiftKey && button === 0;
}
