/** Marks text as data. A mark inside the text is broken up, so that nothing recalled can end its own fence. */
export function fenced(text: string): string {
  return `<data>${text.replaceAll(/<(?=[\s/]*data\b)/gi, "‹")}</data>`;
}
