/** Whether a click on a link is to be followed on this page; with a key held or another button it opens elsewhere. */
export function isPlainClick({
  ctrlKey,
  metaKey,
  shiftKey,
  button,
}: Pick<MouseEvent, "ctrlKey" | "metaKey" | "shiftKey" | "button">): boolean {
  return !ctrlKey && !metaKey && !shiftKey && button === 0;
}
