import { oneLine } from "./format.ts";
import { stripJoinedMarkdown } from "./strip-markdown.ts";

/** The length of a title, in characters. */
const MAX_TITLE = 80;

/** A title made from the first request: one line without marks of Markdown, cut at a word. */
export function titleFromRequest(goal: string): string {
  const line = oneLine(stripJoinedMarkdown(goal));
  if (line === "") return "New conversation";
  const characters = Array.from(line);
  if (characters.length <= MAX_TITLE) return line;
  const cut = characters.slice(0, MAX_TITLE - 1).join("");
  const space = cut.lastIndexOf(" ");
  return `${space > MAX_TITLE / 2 ? cut.slice(0, space) : cut}…`;
}
